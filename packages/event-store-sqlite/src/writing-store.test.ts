import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createVirtualRuntime } from '@action-ledger/testkit';
import {
  openSqliteEventStore,
  readOwner,
  type SqliteEventStore,
  type SqliteEventStoreOptions,
} from './index.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';
let opened: SqliteEventStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  path = join(folder, 'ledger.db');
});

afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

describe('one writer per file', () => {
  it('refuses a second writer in the same process, by any path', async () => {
    await open();
    const held = { code: 'store.held', detail: { pid: process.pid, socket: `${path}.sock` } };
    await expect(open()).rejects.toMatchObject(held);
    await expect(
      open({ path: join(folder, '..', folder.slice(5), 'ledger.db') }),
    ).rejects.toMatchObject(held);
  });

  it('names its holder in a readable file until it is closed', async () => {
    const store = await open();
    expect(JSON.parse(readFileSync(`${path}.owner`, 'utf8'))).toEqual(store.owner());
    expect(readOwner(path)).toEqual({
      pid: process.pid,
      startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      socket: `${path}.sock`,
    });
    await store.close();
    expect(readOwner(path)).toBeUndefined();
    expect((await open()).owner()?.pid).toBe(process.pid);
  });

  it('puts the socket into the temporary folder where the path is too long for one', async () => {
    const long = join(folder, `${'x'.repeat(100)}.db`);
    const socket = (await open({ path: long })).owner()?.socket ?? '';
    expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103);
    expect(readOwner(long)?.socket).toBe(socket);
    await opened[0]?.close();
    expect(existsSync(join(socket, '..'))).toBe(false);
  });

  it('is one by whatever name the file has', async () => {
    await open();
    symlinkSync(path, join(folder, 'other-name.db'));
    await expect(open({ path: join(folder, 'other-name.db') })).rejects.toMatchObject({
      code: 'store.held',
    });
  });

  it('leaves a folder alone that is named as its own and holds the file', async () => {
    const named = mkdtempSync(join(tmpdir(), 'action-ledger-'));
    try {
      const store = await open({ path: join(named, 'ledger.db') });
      await store.close();
      expect(existsSync(join(named, 'ledger.db'))).toBe(true);
    } finally {
      rmSync(named, { recursive: true, force: true });
    }
  });

  it('removes a socket that a killed holder has left, and nothing else at its path', async () => {
    const server = createServer();
    const socket = join(folder, 's');
    await new Promise<void>((resolve) => {
      server.listen(socket, resolve);
    });
    renameSync(socket, `${path}.sock`);
    await (await open()).close();
    expect(existsSync(`${path}.sock`)).toBe(false);
    server.close();
    writeFileSync(`${path}.sock`, 'a file of somebody');
    await (await open()).close();
    expect(readFileSync(`${path}.sock`, 'utf8')).toBe('a file of somebody');
  });

  it('notices what was written past the lock, and numbers on from there', async () => {
    const store = await open();
    await store.append('action-a', 'no stream', someEvents(2));
    const copy = await openBeside(path);
    copy.insert(3, 'action-b');
    const result = await store.append('action-b', 'no stream', someEvents(1));
    expect(result).toEqual({ kind: 'conflict', actual: 0 });
    expect(await store.append('action-b', 0, someEvents(1))).toMatchObject({ position: 4 });
    copy.close();
  });
});

describe('a lock held by another connection', () => {
  it('F207 an append waits 6.5 s without blocking, and is stored when the lock goes', async () => {
    const manual = createVirtualRuntime();
    const store = await open({ runtime: manual });
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const append = watch(store.append('action-a', 'no stream', someEvents(2)));
    for (let waited = 0; waited < 6500; waited += 50) {
      await manual.advance(50);
      expect(append.state()).toBe('pending');
    }
    expect(await store.readStream('action-a')).toEqual([]);
    other.exec('rollback');
    await manual.advance(50);
    expect(await append.promise).toMatchObject({ kind: 'appended', revision: 1 });
    other.close();
  });

  it('after the bound an append is refused as not stored, and later ones go on', async () => {
    const manual = createVirtualRuntime();
    const store = await open({ runtime: manual, busyWaitMs: 1000 });
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const first = watch(store.append('action-a', 'no stream', someEvents(1)));
    await manual.advance(900);
    const second = watch(store.append('action-b', 'no stream', someEvents(1)));
    await manual.advance(200);
    expect([first.state(), second.state()]).toEqual(['rejected', 'pending']);
    await expect(first.promise).rejects.toMatchObject({ code: 'store.busy', retry: 'safe' });
    other.exec('commit');
    await manual.advance(50);
    expect(await second.promise).toMatchObject({ kind: 'appended', position: 1 });
    other.close();
  });

  it('opening waits for it too', async () => {
    await (await open()).close();
    const manual = createVirtualRuntime();
    const other = new DatabaseSync(path);
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    const store = watch(open({ runtime: manual }));
    await manual.advance(500);
    expect(store.state()).toBe('pending');
    other.close();
    await manual.advance(50);
    expect(await (await store.promise).head()).toBe(0);
  });

  it('a full queue refuses more appends at once', async () => {
    const manual = createVirtualRuntime();
    const store = await open({ runtime: manual });
    const other = new DatabaseSync(path);
    other.exec('begin immediate');
    const big = `"${'x'.repeat(500_000)}"`;
    const appends = Array.from({ length: 200 }, (_, n) =>
      watch(store.append(`action-${n}`, 'no stream', [{ ...someEvent(), data: big }])),
    );
    await turn();
    const refused = appends.filter((append) => append.state() === 'rejected');
    expect(refused.length).toBeGreaterThan(50);
    await expect(refused[0]?.promise).rejects.toMatchObject({ code: 'store.busy', retry: 'safe' });
    other.exec('commit');
    await manual.advance(50);
    await Promise.allSettled(appends.map((append) => append.promise));
    expect(await store.head()).toBe(200 - refused.length);
    other.close();
  });
});

describe('a file that is not what it should be', () => {
  const refusals: readonly (readonly [string, string, (path: string) => void | Promise<void>])[] = [
    [
      'is no database',
      'store.corrupt',
      (at) => {
        writeFileSync(at, 'not a database, but long enough to be read as one '.repeat(50));
      },
    ],
    [
      'belongs to another program',
      'store.format',
      (at) => {
        exec(at, 'create table users (name text)');
      },
    ],
    [
      'has a newer format',
      'store.format',
      async (at) => {
        await made(at);
        exec(at, 'pragma user_version = 99');
      },
    ],
    [
      'is cut short',
      'store.corrupt',
      async (at) => {
        await made(at);
        writeFileSync(at, readFileSync(at).subarray(0, 9000));
      },
    ],
    [
      'has lost its table',
      'store.corrupt',
      async (at) => {
        await made(at);
        exec(at, 'drop table events');
      },
    ],
    [
      'has a garbled first page',
      'store.corrupt',
      async (at) => {
        await made(at);
        garble(at, 100, 3000);
      },
    ],
  ];
  it.each(refusals)('that %s is refused with %s, and left as it is', async (_, code, damage) => {
    await damage(path);
    const before = readFileSync(path);
    for (const readOnly of [false, true]) {
      await expect(open({ readOnly })).rejects.toMatchObject({
        code,
        retry: 'never',
        message: expect.stringContaining(path),
      });
    }
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readOwner(path)).toBeUndefined();
  });

  it('is said to be missing, where it is opened to read or its folder is not there', async () => {
    const missing = { code: 'store.not-found', retry: 'never' };
    await expect(open({ readOnly: true })).rejects.toMatchObject(missing);
    await expect(open({ path: join(folder, 'no', 'ledger.db') })).rejects.toMatchObject(missing);
  });

  it('is created where it is missing or empty', async () => {
    writeFileSync(path, '');
    const store = await open();
    expect(store.condition()).toEqual({ kind: 'ready' });
    expect(await store.append('action-a', 'no stream', someEvents(1))).toMatchObject({
      position: 1,
    });
  });
});

describe('damage by hand', () => {
  it('to the text of a row concerns its stream only, and names stream and position', async () => {
    for (const [n, text] of [
      "'nonsense'",
      "x'00ff'",
      'substr(events, 1, 60)',
      "''",
      '12',
    ].entries()) {
      const at = join(folder, `edited-${n}.db`);
      await made(at);
      exec(at, `update events set events = ${text} where stream = 'action-5'`);
      const store = await open({ path: at });
      const damaged = { stream: 'action-5', position: 11, through: 12 };
      expect(store.damaged()).toEqual([damaged]);
      expect(store.condition()).toEqual({ kind: 'ready' });
      const corrupt = { code: 'store.corrupt', retry: 'never', detail: damaged };
      await expect(store.readStream('action-5')).rejects.toMatchObject(corrupt);
      await expect(store.append('action-5', 'no stream', someEvents(1))).rejects.toMatchObject(
        corrupt,
      );
      expect(await store.readStream('action-4')).toHaveLength(2);
      expect(await store.append('action-4', 1, someEvents(1))).toMatchObject({ revision: 2 });
      expect(await store.readAll({ after: 0, max: 1000 })).toHaveLength(10);
      await expect(store.readAll({ after: 10, max: 1000 })).rejects.toMatchObject(corrupt);
      expect((await store.readAll({ after: 12, max: 1 }))[0]?.position).toBe(13);
    }
  });

  it('to the JSON of an event is found at opening, and its text is given as it is', async () => {
    await made(path);
    exec(path, `update events set events = replace(events, '{"n":', '{"n;') where position = 11`);
    const store = await open();
    expect(store.damaged()).toMatchObject([{ stream: 'action-5', position: 11 }]);
    expect((await store.readStream('action-5'))[0]?.data).toMatch(/^\{"n;/);
  });

  it('to what a row says of its place is damage of its stream', async () => {
    for (const [n, change] of [
      'revision = 1 where position = 5',
      'count = 1 where position = 3',
      'previous = 1 where position = 9',
      'previous = null where position = 9',
      'previous = 5 where position = 9',
      "stream = 'action-b' where position = 5",
    ].entries()) {
      const at = join(folder, `moved-${n}.db`);
      const store = await open({ path: at });
      await store.append('action-a', 'no stream', someEvents(2));
      for (const last of [1, 3, 5]) await store.append('action-a', last, someEvents(2));
      await store.append('action-a', 7, someEvents(1));
      await store.append('action-b', 'no stream', someEvents(1));
      await store.close();
      exec(at, `update events set ${change}`);
      const again = await open({ path: at });
      await expect(again.readStream('action-a')).rejects.toMatchObject({ code: 'store.corrupt' });
      expect(await again.readStream('action-b')).toHaveLength(1);
    }
  });

  it('that removes a row the index knows is damage of its stream, whichever row it is', async () => {
    for (const [name, revision] of [
      ['first', 0],
      ['middle', 2],
      ['last', 4],
    ] as const) {
      const at = join(folder, `${name}.db`);
      const store = await open({ path: at, pendingStreamsMax: 0 });
      await made(store, 5);
      await store.append('action-2', 1, someEvents(2));
      await store.append('action-2', 3, someEvents(1));
      await store.append('action-3', 1, someEvents(1));
      await store.append('action-4', 1, someEvents(1));
      await store.close();
      exec(at, `delete from events where stream = 'action-2' and revision = ${revision}`);
      const again = await open({ path: at });
      const corrupt = { code: 'store.corrupt', retry: 'never', detail: { stream: 'action-2' } };
      await expect(again.readStream('action-2')).rejects.toMatchObject(corrupt);
      const appends = await Promise.allSettled([
        again.append('action-2', 'no stream', someEvents(1)),
        again.append('action-3', 2, someEvents(1)),
      ]);
      expect(appends).toMatchObject([
        { status: 'rejected', reason: corrupt },
        { status: 'fulfilled', value: { revision: 3 } },
      ]);
      expect(await again.readStream('action-4')).toHaveLength(3);
      expect((await again.checkIndex()).reached).toBeLessThan((await again.checkIndex()).rows);
    }
  });

  it('that removes a row near the end leaves the store recovering, and other streams readable', async () => {
    await made(path);
    exec(path, "delete from events where stream = 'action-5'");
    const store = await open();
    expect(store.condition()).toEqual({
      kind: 'recovering',
      reason: 'Positions are missing: 11 to 12.',
      mark: 40,
      head: 40,
    });
    expect(await store.readStream('action-4')).toHaveLength(2);
    expect(await store.readAll({ after: 0, max: 1000 })).toHaveLength(38);
    const seen: number[] = [];
    await new Promise<void>((resolve) => {
      store.subscribe(8, {
        onEvents: (events) => void seen.push(...events.map((e) => e.position)),
        onCaughtUp: resolve,
      });
    });
    expect(seen.slice(0, 4)).toEqual([9, 10, 13, 14]);
  });
});

describe('a long file', () => {
  it('is ready, and a row missing in its middle is the matter of its stream', async () => {
    const store = await open({ pendingStreamsMax: 0 });
    await made(store, 1000);
    await store.append('tool-a', 'no stream', someEvents(1));
    await store.close();
    exec(path, "delete from events where stream = 'action-100'");
    const again = await open();
    expect(again.condition()).toEqual({ kind: 'ready' });
    await expect(again.readStream('action-100')).rejects.toMatchObject({ code: 'store.corrupt' });
    await again.close();
    exec(path, "delete from events where stream = 'action-600'");
    expect((await openOnce()).condition).toMatchObject({
      reason: 'Positions are missing: 1201 to 1202.',
    });
  });
});

describe('rows whose names were changed by hand', () => {
  const streams = ['action-a', 'action-b'] as const;
  /** Each with two rows: 1 and 3, 5 and 7; `action-c` stays as it is. */
  async function changed(sql: string, isKilled: boolean): Promise<SqliteEventStore> {
    const store = await open();
    for (const stream of streams) {
      await store.append(stream, 'no stream', someEvents(2));
      await store.append(stream, 1, someEvents(2));
    }
    await store.append('action-c', 'no stream', someEvents(1));
    const copy = isKilled ? killed(path) : path;
    await store.close();
    exec(copy, sql);
    return open({ path: copy });
  }

  it.each([
    ['a last row moved', `update events set stream = 'action-b' where position = 3`, ['action-a']],
    [
      'a last row renamed',
      `update events set stream = 'action-x' where position = 3`,
      ['action-a'],
    ],
    [
      'a first row renamed',
      `update events set stream = 'action-x' where position = 1`,
      ['action-a'],
    ],
    ['a revision raised', 'update events set revision = 5 where position = 3', ['action-a']],
    [
      'names of ends swapped',
      `update events set stream = iif(position = 3, 'action-b', 'action-a') where position in (3, 7)`,
      streams,
    ],
  ])('%s: neither is shorter than it was, nor new', async (_, sql, broken) => {
    for (const isKilled of [false, true]) {
      let store = await changed(sql, isKilled);
      for (const time of ['first', 'second']) {
        for (const stream of broken) {
          const corrupt = { code: 'store.corrupt', retry: 'never', detail: { stream } };
          await expect(store.readStream(stream)).rejects.toMatchObject(corrupt);
          await expect(store.append(stream, 'no stream', someEvents(1))).rejects.toMatchObject(
            corrupt,
          );
        }
        expect(await store.readStream('action-c')).toHaveLength(1);
        // Still so when the index has been brought up to date by a close.
        await store.close();
        if (time === 'first') store = await open({ path: isKilled ? `${folder}/killed.db` : path });
      }
      rmSync(path);
      rmSync(`${path}.mark`);
    }
  });

  it('after a close a whole stream that was renamed is missed by the index', async () => {
    const store = await changed(`update events set stream = 'x' where stream = 'action-a'`, false);
    await expect(store.append('action-a', 'no stream', someEvents(1))).rejects.toMatchObject({
      code: 'store.corrupt',
    });
  });

  it('a copy of a row takes no part in its stream', async () => {
    for (const isKilled of [false, true]) {
      const store = await changed(
        `insert into events select 10, stream, revision, count, previous, events from events where position = 1`,
        isKilled,
      );
      expect(await store.readStream('action-a')).toHaveLength(4);
      expect((await store.checkIndex()).faults).toMatchObject([
        { stream: 'action-a', position: 10 },
      ]);
      await store.close();
      rmSync(path);
      rmSync(`${path}.mark`);
    }
  });
});

describe('rows that the index lacks', () => {
  it('are missed by their positions, however many came after them', async () => {
    const store = await open();
    await made(store, 30);
    const events = Array.from({ length: 60 }, () => someEvents(50));
    await Promise.all(events.map((some, n) => store.append(`tool-${n}`, 'no stream', some)));
    const copy = killed(path);
    exec(copy, "delete from events where stream in ('action-0', 'action-7')");
    const again = await open({ path: copy });
    expect(again.condition()).toMatchObject({
      kind: 'recovering',
      reason: 'Positions are missing: 1 to 2, 15 to 16.',
      head: 3060,
    });
  });
});

describe('a backup', () => {
  it('holds what was stored when it was taken, while writing goes on, and opens as recovering', async () => {
    const store = await open();
    await made(store, 200);
    const to = join(folder, 'backup.db');
    const [taken] = await Promise.all([
      store.backup(to),
      ...Array.from({ length: 50 }, (_, n) =>
        store.append(`tool-${n}`, 'no stream', someEvents(2)),
      ),
    ]);
    expect(taken.head).toBeGreaterThanOrEqual(400);
    await expect(store.backup(to)).rejects.toMatchObject({ code: 'store.io', retry: 'never' });
    const copy = await open({ path: to });
    expect(await copy.head()).toBe(taken.head);
    expect(await copy.checkIndex()).toMatchObject({ reached: taken.head / 2, faults: [] });
    expect(copy.condition()).toMatchObject({
      kind: 'recovering',
      reason: expect.stringContaining(taken.takenAt),
      mark: taken.head,
    });
    await copy.confirmRecovered();
    await copy.close();
    expect((await openOnce({ path: to })).condition).toEqual({ kind: 'ready' });
    expect((await openOnce({ readOnly: true })).condition).toEqual({ kind: 'ready' });
  });
});

describe('the mark', () => {
  it('is the highest position stored, readable, and never ahead', async () => {
    const store = await open();
    expect(markOf(path)).toBe(0);
    for (let n = 0; n < 5; n += 1) {
      const before = markOf(path);
      const append = store.append(`action-${n}`, 'no stream', someEvents(2));
      expect(markOf(path)).toBe(before);
      await append;
      expect(markOf(path)).toBe(await store.head());
    }
  });

  it('FW25 shows that the file went back in time, until an operator confirms', async () => {
    await made(path, 5);
    copyFileSync(path, `${path}.backup`);
    const store = await open();
    await store.append('action-x', 'no stream', someEvents(3));
    await store.close();
    copyFileSync(`${path}.backup`, path);
    const recovering = {
      kind: 'recovering',
      reason: 'The file ends at position 10, but was known to hold 13.',
      mark: 13,
      head: 10,
    };
    const restored = await open();
    expect(restored.condition()).toEqual(recovering);
    // Appends are the caller's decision; they neither lower the mark nor end the recovery.
    await restored.append('quarantine-1', 'no stream', someEvents(1));
    expect(markOf(path)).toBe(13);
    await restored.append('quarantine-1', 0, someEvents(9));
    await restored.close();
    expect((await openOnce({ readOnly: true })).condition).toEqual(recovering);
    const again = await open();
    expect(again.condition()).toEqual(recovering);
    await again.confirmRecovered();
    expect(again.condition()).toEqual({ kind: 'ready' });
    expect(markOf(path)).toBe(20);
    await again.close();
    expect((await openOnce()).condition).toEqual({ kind: 'ready' });
  });

  it('that is missing or unreadable beside a file with events leaves the store recovering', async () => {
    await made(path, 5);
    for (const spoil of [
      () => {
        rmSync(`${path}.mark`);
      },
      () => {
        writeFileSync(`${path}.mark`, 'x');
      },
    ]) {
      spoil();
      const store = await open();
      expect(store.condition()).toMatchObject({ kind: 'recovering', mark: 0, head: 10 });
      await store.confirmRecovered();
      await store.close();
      expect((await openOnce()).condition).toEqual({ kind: 'ready' });
    }
  });

  it('confirmed, missing positions are not found again', async () => {
    await made(path);
    exec(path, 'delete from events where position = 11');
    const store = await open();
    expect(store.condition().kind).toBe('recovering');
    await store.confirmRecovered();
    await store.close();
    expect((await openOnce()).condition).toEqual({ kind: 'ready' });
    exec(path, 'delete from events where position = 21');
    expect((await openOnce()).condition).toMatchObject({
      reason: 'Positions are missing: 21 to 22.',
    });
  });
});

describe('limits and counters', () => {
  it('refuses what does not fit on the disk as not stored, and goes on with what does', async () => {
    const store = await open({ fileBytesMax: 200_000 });
    const large = { ...someEvent(), data: `"${'x'.repeat(150_000)}"` };
    expect(await store.append('action-a', 'no stream', [large])).toMatchObject({ position: 1 });
    await expect(store.append('action-b', 'no stream', [large])).rejects.toMatchObject({
      code: 'store.disk-full',
      retry: 'safe',
    });
    expect(await store.readStream('action-b')).toEqual([]);
    expect(await store.append('action-b', 'no stream', someEvents(1))).toMatchObject({
      position: 2,
    });
  });

  it('writes the appends of many callers with few commits', async () => {
    const store = await open();
    await Promise.all(
      Array.from({ length: 64 }, (_, n) => store.append(`action-${n}`, 'no stream', someEvents(3))),
    );
    await store.append('action-1', 0, someEvents(1));
    expect(store.counters()).toMatchObject({ commits: 1, syncs: 1, appends: 64 });
    expect(store.counters().bytes).toBeGreaterThan(64 * 100);
  });
});

describe('a read-only store', () => {
  it('follows what a writer in another connection appends', async () => {
    const manual = createVirtualRuntime();
    const writer = await open();
    await writer.append('action-a', 'no stream', someEvents(2));
    const reader = await open({ readOnly: true, runtime: manual });
    const seen: number[] = [];
    reader.subscribe(1, { onEvents: (events) => void seen.push(...events.map((e) => e.position)) });
    await turn();
    expect(seen).toEqual([2]);
    await writer.append('action-b', 'no stream', someEvents(2));
    await writer.append('action-a', 1, someEvents(1));
    expect(await reader.readStream('action-a')).toHaveLength(3);
    expect(await reader.head()).toBe(5);
    await manual.advance(100);
    expect(seen).toEqual([2, 3, 4, 5]);
    await expect(reader.append('action-a', 2, someEvents(1))).rejects.toMatchObject({
      code: 'store.read-only',
    });
    await expect(reader.confirmRecovered()).rejects.toMatchObject({ code: 'store.read-only' });
  });
});

async function open(options: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ path, runtime, ...options });
  opened.push(store);
  return store;
}

/** The files as a process leaves them that is killed now. */
function killed(at: string): string {
  const copy = join(folder, 'killed.db');
  for (const beside of ['', '-wal', '.mark']) copyFileSync(`${at}${beside}`, `${copy}${beside}`);
  return copy;
}

async function openOnce(options: Partial<SqliteEventStoreOptions> = {}) {
  const store = await open(options);
  const condition = store.condition();
  await store.close();
  return { condition };
}

/** `streams` streams with two events each, in a file that is closed again, or a store. */
async function made(at: string | SqliteEventStore, streams = 20): Promise<void> {
  const store = typeof at === 'string' ? await openSqliteEventStore({ path: at, runtime }) : at;
  await Promise.all(
    Array.from({ length: streams }, (_, n) =>
      store.append(`action-${n}`, 'no stream', someEvents(2)),
    ),
  );
  if (typeof at === 'string') await store.close();
}

function exec(at: string, sql: string): void {
  const db = new DatabaseSync(at);
  db.exec(sql);
  db.close();
}

/** A second connection that writes as the adapter would, without its lock. */
async function openBeside(at: string) {
  const db = new DatabaseSync(at);
  return {
    insert: (position: number, stream: string) => {
      db.prepare(
        'insert into events (position, stream, revision, count, previous, events) values (?, ?, 0, 1, null, ?)',
      ).run(position, stream, 'e1\nActionPlanned\n{}\n{}');
    },
    close: () => {
      db.close();
    },
  };
}

function garble(at: string, from: number, length: number): void {
  const bytes = readFileSync(at);
  bytes.fill(0x5a, from, from + length);
  writeFileSync(at, bytes);
}

function markOf(at: string): number {
  return Number(readFileSync(`${at}.mark`, 'utf8'));
}

function someEvent(): NewEvent {
  const id = runtime.ids.next();
  return { id, type: 'ActionPlanned', data: `{"n":"${id}"}`, metadata: '{"schema":1}' };
}

function someEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, someEvent);
}

function watch<Value>(promise: Promise<Value>) {
  let state = 'pending';
  promise.then(
    () => {
      state = 'resolved';
    },
    () => {
      state = 'rejected';
    },
  );
  return { promise, state: () => state };
}

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(() => {
      setImmediate(resolve);
    });
  });
}
