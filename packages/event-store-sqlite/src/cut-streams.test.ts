import { copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
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

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-store-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

const streams = 200;

async function filled(): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ path, runtime });
  const appends = Array.from({ length: streams }, async (_, n) => {
    await store.append(`action-${n}`, 'no stream', [event(), event(), event()]);
    await store.append(`action-${n}`, 2, [event()]);
    await store.append(`action-${n}`, 3, [event()]);
  });
  await Promise.all(appends);
  return store;
}

const cutsOf = (before: number) =>
  Array.from({ length: streams }, (_, n) => ({ stream: `action-${n}`, before }));

describe('a file in which streams were cut', () => {
  it('has room for new events where the old ones were, and keeps every place', async () => {
    const store = await filled();
    const pagesBefore = usedPages();
    await store.truncate(cutsOf(4));
    expect(usedPages()).toBeLessThan(pagesBefore / 2);
    expect(await store.checkIndex()).toMatchObject({ streams, rows: 3 * streams, faults: [] });
    expect(await store.head()).toBe(5 * streams);
    await store.close();
    const size = statSync(path).size;
    const again = await openSqliteEventStore({ path, runtime });
    expect(again.condition()).toEqual({ kind: 'ready' });
    for (let n = 0; n < streams; n += 1) await again.append(`new-${n}`, 'no stream', [event()]);
    await again.close();
    expect(statSync(path).size).toBe(size);
  });

  it('can be read beside the process that cuts it, and restored from a copy', async () => {
    const store = await filled();
    await store.truncate(cutsOf(2));
    const reader = await openSqliteEventStore({ path, runtime, readOnly: true });
    expect(await reader.readStream('action-7')).toEqual(await store.readStream('action-7'));
    expect(await reader.givenUp({ after: 0, through: 3 })).toEqual(
      await store.givenUp({ after: 0, through: 3 }),
    );
    await expect(reader.truncate([])).rejects.toMatchObject({ code: 'store.read-only' });
    const copy = join(folder, 'backup.db');
    await reader.backup(copy);
    await reader.close();
    const restored = await openSqliteEventStore({ path: copy, runtime, readOnly: true });
    expect(await restored.readAll({ after: 0, max: 10_000 })).toEqual(
      await store.readAll({ after: 0, max: 10_000 }),
    );
    await restored.close();
    await store.close();
  });

  it('was cut wholly or not at all, stream by stream, wherever the process ends', async () => {
    const store = await filled();
    const cutting = store.truncate(cutsOf(4));
    const copy = join(folder, 'copy.db');
    // As a killed process leaves it: between two of its transactions.
    for (const beside of ['', '-wal', '.mark'])
      copyFileSync(`${path}${beside}`, `${copy}${beside}`);
    await cutting;
    await store.close();
    const found = await openSqliteEventStore({ path: copy, runtime });
    const lengths = await Promise.all(
      cutsOf(4).map(async ({ stream }) => (await found.readStream(stream)).length),
    );
    expect(new Set(lengths)).toEqual(new Set([1, 5]));
    await found.truncate(cutsOf(4));
    expect(await found.readAll({ after: 0, max: 10_000 })).toHaveLength(streams);
    await found.close();
  });
});

describe('a row emptied by hand as if it had been given up', () => {
  it.each([
    ['at the end of its stream', 'revision = 4'],
    ['between two others', 'revision = 3'],
  ])('%s is damage', async (_, where) => {
    await (await filled()).close();
    const db = new DatabaseSync(path);
    db.exec(`update events set events = '~' where stream = 'action-7' and ${where}`);
    db.close();
    const store = await openSqliteEventStore({ path, runtime });
    const corrupt = { code: 'store.corrupt', retry: 'never' };
    await expect(store.readStream('action-7')).rejects.toMatchObject(corrupt);
    expect(await store.readStream('action-8')).toHaveLength(5);
    await store.close();
  });
});

function usedPages(): number {
  const db = new DatabaseSync(path, { readOnly: true });
  const { used } = db
    .prepare(
      'select page_count - freelist_count as used from pragma_page_count, pragma_freelist_count',
    )
    .get() as { readonly used: number };
  db.close();
  return used;
}

function event(): NewEvent {
  const id = runtime.ids.next();
  return {
    id,
    type: 'ActionPlanned',
    data: `{"n":"${id.repeat(20)}"}`,
    metadata: `{"at":1,"hash":"${id}"}`,
  };
}
