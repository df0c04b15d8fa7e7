// Every way to change by hand where a row belongs is named, with its stream and position.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore, type SqliteEventStore } from './index.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'check-index-'));
  path = join(folder, 'ledger.db');
  // Every stream in the table: each commit merges what is pending.
  const store = await openSqliteEventStore({ path, runtime, pendingStreamsMax: 0 });
  for (const stream of ['a', 'b', 'c']) await store.append(stream, 'no stream', someEvents(2));
  for (const stream of ['a', 'b', 'c']) await store.append(stream, 1, someEvents(1));
  for (let n = 0; n < 2; n += 1) await store.append(`end-${n}`, 'no stream', someEvents(1));
  await store.close();
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('checkIndex', () => {
  it('finds nothing in a whole file', async () => {
    expect(await check('select 1')).toEqual({ streams: 5, rows: 8, reached: 8, faults: [] });
  });

  it.each([
    ['a stream renamed', `update events set stream = 'x' where stream = 'a'`, ['a', 'x']],
    ['a row moved', `update events set stream = 'b' where position = 7`, ['a']],
    ['a first row moved', `update events set stream = 'b' where position = 1`, ['a']],
    ['a revision changed', 'update events set revision = 9 where position = 7', ['a']],
    ['a first revision changed', 'update events set revision = 1 where position = 1', ['a']],
    ['a link changed', 'update events set previous = 3 where position = 7', ['a']],
    ['a link cut', 'update events set previous = null where position = 7', ['a']],
    ['a stream taken out of the index', `delete from streams where name = 'a'`, ['a']],
    ['a stream renamed in the index', `update streams set name = 'x' where name = 'a'`, ['a']],
    ['an index that names an earlier end', `update streams set last = 1 where name = 'a'`, ['a']],
    [
      'a row copied',
      `insert into events select 12, stream, revision, count, previous, events from events where position = 7`,
      ['a'],
    ],
  ])('names %s', async (_, sql, streams) => {
    const { faults } = await check(sql);
    const named = [...new Set(faults.map(({ stream }) => stream))].sort();
    expect(named).toEqual(expect.arrayContaining([...streams]));
    for (const { position, what } of faults) {
      expect(position).toBeGreaterThan(0);
      expect(what).toMatch(/^(is|continues) /);
    }
  });

  it('of the whole file names what a walk of every stream names, and no more', async () => {
    const changes = [
      `update events set stream = 'x' where stream = 'a'`,
      `update events set stream = 'b' where position = 1`,
      'update events set revision = 9 where position = 7',
      'update events set previous = 3 where position = 7',
      'update events set previous = null where position = 9',
      'update events set count = 1 where position = 3',
      'delete from events where position = 5',
      `delete from streams where name = 'a'`,
      `update streams set last = 1 where name = 'b'`,
      `update streams set last = 99 where name = 'c'`,
    ];
    for (const sql of changes) {
      exec(sql);
      const { faults, ...counted } = await inReader((store) => store.checkIndex());
      const walked = await inReader((store) => store.checkIndex({ after: 0 }));
      expect(faults).toEqual(expect.arrayContaining([...walked.faults]));
      expect(counted).toMatchObject({
        streams: walked.streams,
        rows: walked.rows,
        reached: walked.reached,
      });
    }
  });

  it('finds nothing where the index lags behind the rows, nor while it is written', async () => {
    const lagging = join(folder, 'lagging.db');
    const store = await openSqliteEventStore({ path: lagging, runtime });
    for (const stream of ['a', 'b']) await store.append(stream, 'no stream', someEvents(2));
    await store.append('a', 1, someEvents(1));
    expect(await store.checkIndex()).toEqual({ streams: 2, rows: 3, reached: 3, faults: [] });
    expect(await inReader((reader) => reader.checkIndex(), lagging)).toMatchObject({ faults: [] });
    await store.close();
  });

  it('looks at a part of the file only, where it is asked to', async () => {
    exec(`delete from streams where name = 'a'`);
    const store = await openSqliteEventStore({ path, runtime, readOnly: true });
    expect(await store.checkIndex({ after: 2, through: 6 })).toMatchObject({ rows: 2, faults: [] });
    expect(await store.checkIndex({ after: 6, through: 7 })).toMatchObject({
      rows: 1,
      faults: [{ stream: 'a', position: 7 }],
    });
    await store.close();
  });
});

async function check(sql: string) {
  exec(sql);
  return inReader((store) => store.checkIndex());
}

async function inReader<Found>(
  look: (store: SqliteEventStore) => Promise<Found>,
  of = path,
): Promise<Found> {
  const store = await openSqliteEventStore({ path: of, runtime, readOnly: true });
  try {
    return await look(store);
  } finally {
    await store.close();
  }
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
