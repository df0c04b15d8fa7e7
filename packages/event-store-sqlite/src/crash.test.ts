import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type RecordedEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore, readOwner, type SqliteEventStore } from './index.ts';
import {
  contentOf,
  expectWholeAppends,
  killStarted,
  readStreams,
  start,
  type Stored,
} from '../test-support/store-process.ts';

/** Starting a process takes seconds on a machine that is busy. */
jest.setTimeout(120_000);

const runtime = createSystemRuntime();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-crash-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  killStarted();
  rmSync(folder, { recursive: true, force: true });
});

describe('a process killed with -9 while it appends', () => {
  const kills = 20;

  it(`FW06 loses nothing it has acknowledged, and leaves no half append, over ${kills} kills`, async () => {
    const acknowledged: Stored[] = [];
    let headBefore = 0;
    for (let round = 0; round < kills; round += 1) {
      const callers = [1, 16, 64][round % 3] ?? 1;
      const child = start({ path, task: 'append', callers, pendingStreamsMax: 64 });
      expect(await child.next()).toMatchObject({ kind: 'opened', condition: 'ready' });
      acknowledged.push(...(await child.killAfter(20 + 130 * runtime.randomness.next())));
      const store = await openSqliteEventStore({ path, runtime, pendingStreamsMax: 64 });
      expect(store.condition()).toEqual({ kind: 'ready' });
      const head = await store.head();
      expect(head).toBeGreaterThanOrEqual(headBefore);
      headBefore = head;
      if (round % 5 === 4) await expectSound(store, acknowledged);
      await store.close();
    }
    expect(acknowledged.length).toBeGreaterThan(kills * 5);
  }, 120_000);
});

describe('the end of the write-ahead log', () => {
  it.each(['cut', 'garbled'] as const)(
    'when %s, leaves whole appends in order up to some point',
    async (damage) => {
      const store = await openSqliteEventStore({ path, runtime });
      for (let n = 0; n < 40; n += 1) await store.append(`action-${n}`, 'no stream', someEvents(3));
      const all = await store.readAll({ after: 0, max: 1000 });
      const copy = join(folder, 'copy.db');
      const heads: number[] = [];
      for (const fromEnd of [1, 100, 4096, 4097, 20_000, 60_000]) {
        copyFileSync(path, copy);
        copyFileSync(`${path}.mark`, `${copy}.mark`);
        copyFileSync(`${path}-wal`, `${copy}-wal`);
        await harm(`${copy}-wal`, fromEnd, damage);
        const again = await openSqliteEventStore({ path: copy, runtime });
        const rest = await again.readAll({ after: 0, max: 1000 });
        expect(rest).toEqual(all.slice(0, rest.length));
        expect(rest.length % 3).toBe(0);
        expect(again.condition()).toMatchObject({
          kind: 'recovering',
          mark: 120,
          head: rest.length,
        });
        heads.push(rest.length);
        await again.close();
        for (const end of ['', '-wal', '-shm', '.mark']) rmSync(`${copy}${end}`, { force: true });
      }
      expect(heads[0]).toBeGreaterThan(90);
      expect(heads.at(-1)).toBeLessThan(117);
      await store.close();
    },
  );
});

describe('durability', () => {
  it('F205 an append that has resolved is in a copy of the files made at that moment', async () => {
    const store = await openSqliteEventStore({ path, runtime });
    for (let n = 0; n < 5; n += 1) {
      await store.append(`action-${n}`, 'no stream', someEvents(2));
      const copy = join(folder, `copy-${n}.db`);
      copyFileSync(path, copy);
      copyFileSync(`${path}-wal`, `${copy}-wal`);
      copyFileSync(`${path}.mark`, `${copy}.mark`);
      const again = await openSqliteEventStore({ path: copy, runtime });
      expect(again.condition()).toEqual({ kind: 'ready' });
      expect(await again.readStream(`action-${n}`)).toHaveLength(2);
      await again.close();
    }
    await store.close();
  });

  it('F205 the log is synced before an append resolves', async () => {
    if (spawnSync('strace', ['-V']).error !== undefined) {
      skipped('strace is not installed: the syncs of one append were not watched');
      return;
    }
    const log = join(folder, 'calls');
    const trace = ['strace', '-f', '-e', 'trace=fsync,fdatasync,write', '-s', '60', '-o', log];
    const reports = await start({ path, task: 'few', callers: 1 }, { before: trace }).all();
    expect(reports.length).toBeGreaterThan(5);
    const calls = readFileSync(log, 'utf8').split('\n');
    const kinds = calls.flatMap((call) =>
      / f(data)?sync\(/.test(call) ? ['sync'] : call.includes('"kind\\":\\"stored') ? ['told'] : [],
    );
    const told = kinds.flatMap((kind, index) => (kind === 'told' ? [kinds[index - 1]] : []));
    expect(told).toHaveLength(reports.length - 1);
    expect(new Set(told)).toEqual(new Set(['sync']));
  });
});

describe('a file that another process holds', () => {
  it('is refused for writing with the name of the holder, and can be read beside it', async () => {
    const child = start({ path, task: 'append', callers: 4 });
    for (let n = 0; n < 20; n += 1) await child.next();
    const pid = child.process.pid ?? 0;
    await expect(openSqliteEventStore({ path, runtime })).rejects.toMatchObject({
      code: 'store.held',
      retry: 'safe',
      message: expect.stringContaining(`process ${pid}`),
      detail: { pid, socket: `${path}.sock` },
    });
    const reader = await openSqliteEventStore({ path, runtime, readOnly: true });
    const seen: RecordedEvent[] = [];
    const enough = new Promise<void>((resolve) => {
      reader.subscribe(0, {
        onEvents: (events) => {
          seen.push(...events);
          if (seen.length > 400) resolve();
        },
      });
    });
    void child.drain();
    await enough;
    expect(seen.map((event) => event.position)).toEqual(seen.map((_, index) => index + 1));
    await expect(reader.append('action-a', 'no stream', someEvents(1))).rejects.toMatchObject({
      code: 'store.read-only',
    });
    await reader.close();
  });

  it('is free again once the holder was killed, whatever its owner file says', async () => {
    const child = start({ path, task: 'hold', callers: 0 });
    await child.next();
    await child.killAfter(0);
    expect(readOwner(path)?.pid).toBe(child.process.pid);
    const store = await openSqliteEventStore({ path, runtime });
    expect(readOwner(path)?.pid).toBe(process.pid);
    await store.close();
    expect(readOwner(path)).toBeUndefined();
  });
});

describe('a disk that is full', () => {
  it('refuses appends as not stored', async () => {
    // A name space of its own: the small file system goes with the process.
    const mount = `unshare -m sh -c 'mount -t tmpfs -o size=2m none ${folder} && exec "$0" "$@"' "$@"`;
    const before = ['sh', '-c', mount, 'sh'];
    if (spawnSync('sh', [...before.slice(1), 'true']).status !== 0) {
      skipped('no small file system can be mounted here: only the size limit was tried');
      return;
    }
    const child = start({ path, task: 'append', callers: 8 }, { before });
    const reports = await child.all();
    expect(reports.length).toBeGreaterThan(100);
    // Other callers' appends of the last whole group may still be reported behind the first fault.
    const fault = reports.find(({ kind }) => kind === 'fault');
    expect(fault).toMatchObject({ code: 'store.disk-full', retry: 'safe' });
  });
});

describe('a file that the system lets grow no further', () => {
  it('refuses appends with a fault, and holds what it had acknowledged', async () => {
    const limit = ['sh', '-c', `trap '' XFSZ; ulimit -f 1500; exec "$0" "$@"`];
    const child = start({ path, task: 'append', callers: 8 }, { before: limit });
    const reports = await child.all();
    expect(reports.find(({ kind }) => kind === 'fault')).toMatchObject({
      code: expect.stringMatching(/^store\.(io|disk-full)$/),
    });
    const store = await openSqliteEventStore({ path, runtime });
    await expectSound(
      store,
      reports.filter((report) => report.kind === 'stored'),
    );
    await store.close();
  });
});

describe('a folder without write access', () => {
  it.each([
    { what: 'the lock there', isThere: true, fileMode: 0o644, folderMode: 0o555 },
    { what: 'no lock there', isThere: false, fileMode: 0o644, folderMode: 0o555 },
    { what: 'the file alone', isThere: true, fileMode: 0o444, folderMode: 0o777 },
  ])(
    'is refused for writing and can be read ($what)',
    async ({ isThere, fileMode, folderMode }) => {
      const store = await openSqliteEventStore({ path, runtime });
      await store.append('action-a', 'no stream', someEvents(1));
      await store.close();
      const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
      if (!isThere) rmSync(`${path}.lock`);
      chmodSync(path, fileMode);
      chmodSync(folder, folderMode);
      try {
        const writer = await start({ path, task: 'hold', callers: 0 }, user).all();
        expect(writer).toMatchObject([{ kind: 'fault', code: 'store.read-only', retry: 'never' }]);
        const reader = start({ path, task: 'hold', callers: 0, readOnly: true }, user);
        expect(await reader.next()).toEqual({ kind: 'opened', condition: 'ready' });
      } finally {
        chmodSync(folder, 0o755);
      }
    },
  );
});

async function expectSound(
  store: SqliteEventStore,
  acknowledged: readonly Stored[],
): Promise<void> {
  const streams = await readStreams(store);
  const check = await store.checkIndex();
  expect(check).toMatchObject({ streams: streams.size, reached: check.rows, faults: [] });
  for (const [stream, events] of streams) {
    // The index agrees with a full scan.
    expect(await store.readStream(stream)).toEqual(events);
    expectWholeAppends(events);
  }
  for (const { stream, revision, append } of acknowledged) {
    const event = streams.get(stream)?.[revision];
    expect(event && contentOf(event).append).toBe(append);
  }
}

async function harm(file: string, fromEnd: number, damage: 'cut' | 'garbled'): Promise<void> {
  const size = statSync(file).size;
  if (damage === 'cut') {
    truncateSync(file, size - fromEnd);
    return;
  }
  const handle = await openFile(file, 'r+');
  await handle.write(Buffer.alloc(Math.min(fromEnd, 64), 0x5a), 0, undefined, size - fromEnd);
  await handle.close();
}

function someEvents(count: number) {
  return Array.from({ length: count }, () => ({
    id: runtime.ids.next(),
    type: 'ActionPlanned',
    data: `{"filling":"${'x'.repeat(200)}"}`,
    metadata: '{}',
  }));
}

function skipped(why: string): void {
  process.stderr.write(`skipped: ${why}\n`);
}
