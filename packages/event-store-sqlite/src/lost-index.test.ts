// Rows of the index, and of what the file says of it, that were deleted or changed by hand while
// nobody had the file open, or beside a process that has: what is stored is never taken for new.
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  openSqliteEventStore,
  type SqliteEventStore,
  type SqliteEventStoreOptions,
} from './index.ts';

const runtime = createSystemRuntime();
/** More than are looked at when a file is opened. */
const streams = 1200;
const old = 'action-7';
let folder = '';
let path = '';
let opened: SqliteEventStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lost-index-'));
  path = join(folder, 'ledger.db');
});

afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

async function open(options: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ path, runtime, ...options });
  opened.push(store);
  return store;
}

/** All streams in the index but the newest few, in a file as a close, or as a kill, leaves it. */
async function made(how: 'closed' | 'killed'): Promise<void> {
  const first = await open();
  for (let n = 0; n < streams; n += 1) void first.append(`action-${n}`, 'no stream', someEvents(2));
  await first.close();
  const second = await open();
  await Promise.all(
    Array.from({ length: 5 }, (_, n) => second.append(`late-${n}`, 'no stream', someEvents(1))),
  );
  const copy = join(folder, 'killed.db');
  if (how === 'killed') {
    for (const beside of ['', '-wal', '.mark'])
      copyFileSync(`${path}${beside}`, `${copy}${beside}`);
  }
  await second.close();
  if (how === 'killed') path = copy;
}

function exec(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

function someEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, () => {
    const id = runtime.ids.next();
    return { id, type: 'ActionPlanned', data: `{"n":"${id}"}`, metadata: '{"schema":1}' };
  });
}

const lostFault = {
  stream: old,
  position: 15,
  what: 'is not to be found from the end of its stream',
};
const corrupt = { code: 'store.corrupt', retry: 'never', detail: { stream: old, position: 15 } };

describe.each(['closed', 'killed'] as const)('in a file that was %s', (how) => {
  it('an old entry deleted is known at once: no append finds its stream new', async () => {
    await made(how);
    exec(`delete from streams where name = '${old}'`);
    const reading = await open({ readOnly: true });
    expect(await reading.lostStreams()).toEqual([lostFault]);
    expect((await reading.checkIndex()).faults).toEqual([lostFault]);
    for (let times = 0; times < 2; times += 1) {
      const store = await open();
      expect(store.condition()).toEqual({ kind: 'ready' });
      expect(await store.lostStreams()).toEqual([lostFault]);
      await expect(store.append(old, 'no stream', someEvents(1))).rejects.toMatchObject(corrupt);
      await expect(store.append(old, 1, someEvents(1))).rejects.toMatchObject(corrupt);
      expect(await store.readStream(old)).toHaveLength(2);
      expect(await store.append('action-8', 'no stream', someEvents(1))).toMatchObject({
        kind: 'conflict',
      });
      expect(await store.append(`new-${times}`, 'no stream', someEvents(1))).toMatchObject({
        kind: 'appended',
      });
      expect((await store.checkIndex()).faults).toEqual([lostFault]);
      await store.close();
    }
    exec(`insert into streams values ('${old}', 15)`);
    const mended = await open();
    expect(await mended.lostStreams()).toEqual([]);
    expect(await mended.append(old, 1, someEvents(1))).toMatchObject({ revision: 2 });
    expect((await mended.checkIndex()).faults).toEqual([]);
  });

  it('an old stream deleted together with its entry leaves the store recovering', async () => {
    await made(how);
    exec(`delete from streams where name = '${old}'; delete from events where stream = '${old}'`);
    for (let times = 0; times < 2; times += 1) {
      const store = await open();
      expect(store.condition()).toMatchObject({
        kind: 'recovering',
        reason: 'Positions are missing: 15 to 16.',
      });
      await store.append(`quarantine-${times}`, 'no stream', someEvents(1));
      await store.close();
    }
    const confirming = await open();
    await confirming.confirmRecovered();
    await confirming.close();
    expect((await open()).condition()).toEqual({ kind: 'ready' });
  });

  it.each([
    `delete from facts where name = 'indexed-through'`,
    `delete from facts where name = 'indexed-streams'`,
    `update facts set value = value + 5 where name = 'indexed-through'`,
    `update facts set value = value - 5 where name = 'indexed-through'`,
    `update facts set value = 1e9 where name = 'indexed-through'`,
    `update facts set value = 'x' where name like 'indexed-%'`,
    `delete from facts`,
  ])('%s: every stream is known, and it is said', async (sql) => {
    await made(how);
    exec(sql);
    const reading = await open({ readOnly: true });
    expect((await reading.checkIndex()).faults).toEqual([
      { stream: '', position: await reading.head(), what: expect.stringContaining('"facts"') },
    ]);
    for (let times = 0; times < 2; times += 1) {
      const store = await open();
      expect(await store.lostStreams()).toEqual([]);
      for (const stream of [old, 'action-8', 'late-0', 'late-4'])
        expect(await store.append(stream, 'no stream', someEvents(1))).toMatchObject({
          kind: 'conflict',
        });
      expect(await store.checkIndex()).toMatchObject({ streams: streams + 5, faults: [] });
      await store.close();
    }
    const again = await open({ readOnly: true });
    expect((await again.checkIndex()).faults).toEqual([]);
  });
});

describe('in a file that is open', () => {
  it('an old entry deleted is known before the next append', async () => {
    await made('closed');
    const store = await open();
    exec(`delete from streams where name = '${old}'`);
    await expect(store.append(old, 'no stream', someEvents(1))).rejects.toMatchObject(corrupt);
    expect(await store.append('new', 'no stream', someEvents(1))).toMatchObject({
      kind: 'appended',
    });
    expect(await store.lostStreams()).toEqual([lostFault]);
  });
});

describe('what is told of lost streams', () => {
  it('is bounded, but all of them are known', async () => {
    await made('closed');
    exec('delete from streams');
    const store = await open();
    expect(await store.lostStreams()).toHaveLength(100);
    const appends = Array.from({ length: streams }, (_, n) =>
      store.append(`action-${n}`, 'no stream', someEvents(1)),
    );
    const settled = await Promise.allSettled(appends);
    expect(new Set(settled.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });
});
