import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewEvent, type RecordedEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore } from './index.ts';
import { rowText } from './row-text.ts';
import { applicationId, createPlainLayout, formatVersion, numberOf } from './schema.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a file of format 1', () => {
  it('is brought to the current format at opening, with every event as it was', async () => {
    const events = makeFormat1(path, 300);
    const store = await openSqliteEventStore({ path, runtime });
    expect(await store.readAll({ after: 0, max: 10_000 })).toEqual(events);
    for (const stream of new Set(events.map((event) => event.stream))) {
      const own = events.filter((event) => event.stream === stream);
      expect(await store.readStream(stream)).toEqual(own);
      expect(await store.readStream(stream, own.length - 1)).toEqual(own.slice(-1));
    }
    expect(await store.checkIndex()).toMatchObject({ streams: 300, rows: 900, reached: 900 });
    const [first] = events;
    expect(
      await store.append('action-0', 'no stream', first === undefined ? [] : [first]),
    ).toMatchObject({
      repeated: true,
    });
    expect(await store.append('action-0', 4, [event()])).toMatchObject({ position: 1501 });
    await store.close();
    const again = await openSqliteEventStore({ path, runtime, readOnly: true });
    expect(await again.lostStreams()).toEqual([]);
    await again.close();
    const db = new DatabaseSync(path);
    expect(numberOf(db, 'pragma user_version')).toBe(formatVersion);
    expect(layoutOf(db)).toEqual(await newLayout());
    db.close();
  });

  it('is left as it was when the disk is full, and brought over later', async () => {
    const events = makeFormat1(path, 300);
    const before = readFileSync(path);
    await expect(
      openSqliteEventStore({ path, runtime, fileBytesMax: before.length + 10_000 }),
    ).rejects.toMatchObject({ code: 'store.disk-full', retry: 'safe' });
    const db = new DatabaseSync(path);
    expect(numberOf(db, 'pragma user_version')).toBe(1);
    expect(numberOf(db, 'select count(*) from events')).toBe(900);
    db.close();
    const store = await openSqliteEventStore({ path, runtime });
    expect(await store.readAll({ after: 0, max: 10_000 })).toEqual(events);
    await store.close();
  });

  it('is refused read-only, with the advice to open it for writing once', async () => {
    makeFormat1(path, 3);
    await expect(openSqliteEventStore({ path, runtime, readOnly: true })).rejects.toMatchObject({
      code: 'store.format',
      message: expect.stringContaining('Open it once for writing'),
    });
  });
});

describe('a file of format 2', () => {
  const setBack = `delete from facts where name = 'indexed-streams'; pragma user_version = 2`;

  it.each([
    ['as it was closed', '', 60],
    ['as it was killed', '', 60],
    ['without the note of how far its index goes', `delete from facts`, 60],
    ['with that note garbled', `update facts set value = 'x'`, 60],
    ['with that note lowered', `update facts set value = '4'`, 60],
    ['that is empty', `delete from facts`, 0],
  ])('%s is counted at opening', async (how, sql, streams) => {
    const store = await openSqliteEventStore({ path, runtime, pendingStreamsMax: 20 });
    for (let n = 0; n < streams; n += 1) await store.append(`a-${n}`, 'no stream', [event()]);
    for (let n = 0; n < streams; n += 1) await store.append(`a-${n}`, 0, [event()]);
    const copy = join(folder, 'copy.db');
    for (const beside of ['', '-wal', '.mark'])
      copyFileSync(`${path}${beside}`, `${copy}${beside}`);
    await store.close();
    const at = how.endsWith('killed') ? copy : path;
    exec(at, `${setBack}; ${sql}`);
    await expect(openSqliteEventStore({ path: at, runtime, readOnly: true })).rejects.toMatchObject(
      { code: 'store.format', message: expect.stringContaining('Open it once for writing') },
    );
    const again = await openSqliteEventStore({ path: at, runtime });
    expect(await again.lostStreams()).toEqual([]);
    for (let n = 0; n < streams; n += 1)
      expect(await again.append(`a-${n}`, 'no stream', [event()])).toMatchObject({ actual: 1 });
    expect(await again.checkIndex()).toEqual({
      streams,
      rows: 2 * streams,
      reached: 2 * streams,
      faults: [],
    });
    await again.close();
    exec(at, `delete from streams where name = 'a-7'`);
    const changed = await openSqliteEventStore({ path: at, runtime });
    expect(await changed.lostStreams()).toHaveLength(streams === 0 ? 0 : 1);
    await changed.close();
  });
});

describe('a file of format 3', () => {
  it('is taken over as it is, and then kept from a version that would take empty rows for damage', async () => {
    const store = await openSqliteEventStore({ path, runtime });
    for (let n = 0; n < 30; n += 1) await store.append(`a-${n}`, 'no stream', [event(), event()]);
    const events = await store.readAll({ after: 0, max: 100 });
    await store.close();
    exec(path, 'pragma user_version = 3');
    await expect(openSqliteEventStore({ path, runtime, readOnly: true })).rejects.toMatchObject({
      code: 'store.format',
    });
    const again = await openSqliteEventStore({ path, runtime });
    expect(again.condition()).toEqual({ kind: 'ready' });
    expect(await again.readAll({ after: 0, max: 100 })).toEqual(events);
    await again.close();
    const db = new DatabaseSync(path);
    expect(numberOf(db, 'pragma user_version')).toBe(4);
    db.close();
  });
});

/** Streams of three appends: three events, then one in another order of streams, then one. */
function makeFormat1(at: string, streams: number): readonly RecordedEvent[] {
  const db = new DatabaseSync(at);
  db.exec('pragma journal_mode = wal');
  createPlainLayout(db);
  db.exec(`pragma application_id = ${applicationId}; pragma user_version = 1; begin`);
  const insert = db.prepare(
    'insert into events (position, stream, revision, count, events) values (?, ?, ?, ?, ?)',
  );
  const all: RecordedEvent[] = [];
  const append = (stream: string, revision: number, events: readonly NewEvent[]): void => {
    const position = all.length + 1;
    insert.run(position, stream, revision, events.length, rowText(events));
    for (const [n, one] of events.entries()) {
      all.push({ ...one, stream, revision: revision + n, position: position + n });
    }
  };
  for (let n = 0; n < streams; n += 1) append(`action-${n}`, 0, [event(), event(), event()]);
  for (let n = streams - 1; n >= 0; n -= 1) append(`action-${n}`, 3, [event()]);
  for (let n = 0; n < streams; n += 1) append(`action-${n}`, 4, [event()]);
  db.exec('commit');
  db.close();
  return all;
}

function exec(at: string, sql: string): void {
  const db = new DatabaseSync(at);
  db.exec(sql);
  db.close();
}

async function newLayout(): Promise<readonly unknown[]> {
  const at = join(folder, 'new.db');
  await (await openSqliteEventStore({ path: at, runtime })).close();
  const db = new DatabaseSync(at);
  const layout = layoutOf(db);
  db.close();
  return layout;
}

function layoutOf(db: DatabaseSync): readonly unknown[] {
  return db.prepare('select name, sql from sqlite_schema order by name').all();
}

function event(): NewEvent {
  const id = runtime.ids.next();
  return { id, type: 'ActionPlanned', data: `{"n":"${id}"}`, metadata: `{"hash":"${id}"}` };
}
