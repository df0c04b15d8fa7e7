import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { openSqliteActionIndex } from '@action-ledger/read-models';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createToolSet } from '@action-ledger/tools';
import { createLedger, defineTool } from './index.ts';
import { matchRulesOf } from './match-rules.ts';
import { viewsPathOf } from './open-index.ts';
import { startViewsThread } from './views-thread.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'action-ledger-client-'));
  path = join(folder, 'ledger.db');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const book = defineTool({
  name: 'book',
  input: z.object({ seat: z.string() }),
  guarantee: 'manual',
  scope: 'tenant',
  undoneBy: [{ tool: 'release', match: { 'arguments.booking': 'outcome.booking' } }],
  execute: ({ arguments: args, beforeSend }) => {
    beforeSend();
    return { booking: `b-${args.seat}` };
  },
});
const release = defineTool({
  name: 'release',
  input: z.object({ booking: z.string() }),
  guarantee: 'manual',
  scope: 'tenant',
  execute: ({ beforeSend }) => {
    beforeSend();
    return {};
  },
});
const tools = { book, release };

describe('the views of a ledger with a file', () => {
  it('answer the same after a restart, and after they were deleted', async () => {
    const first = await createLedger({ path, tools });
    await first.tools.book.call({ seat: '1' }, { run: 'r-1', call: 'c-1' });
    await first.tools.book.call({ seat: '2' }, { run: 'r-1', call: 'c-2' });
    await first.tools.release.call({ booking: 'b-1' }, { run: 'r-1', call: 'c-3' });
    const rows = first.list({ limit: 10 });
    expect(rows.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
      'release succeeded',
      'book succeeded',
      'book succeeded',
    ]);
    await first.close();
    const second = await createLedger({ path, tools });
    expect(second.list({ limit: 10 })).toEqual(rows);
    // The undoer finds what an earlier process did.
    await second.tools.release.call({ booking: 'b-2' }, { run: 'r-2', call: 'c-4' });
    const again = await second.tools.book.call({ seat: '2' }, { run: 'r-2', call: 'c-5' });
    expect(again).toMatchObject({ word: 'done', epoch: 1 });
    const later = second.list({ limit: 10 });
    await second.close();
    rmSync(viewsPathOf(path));
    const third = await createLedger({ path, tools });
    expect(third.list({ limit: 10 })).toEqual(later);
    await third.close();
  });

  it('keep what was held back, across a restart', async () => {
    const first = await createLedger({ path, tools });
    await first.tools.book.call({ seat: '1' }, { call: 'c-1' });
    await first.tools.book.call({ seat: '1' }, { call: 'c-1' });
    const earlier = first.sideEntries(5);
    expect(earlier).toHaveLength(1);
    await first.close();
    const second = await createLedger({ path, tools });
    await second.tools.book.call({ seat: '1' }, { call: 'c-1' });
    const entries = second.sideEntries(5);
    expect(entries.map(({ kind }) => kind)).toEqual(['duplicate', 'duplicate']);
    expect(entries.slice(1)).toEqual(earlier);
    expect(second.sideEntries(1)).toHaveLength(1);
    await second.close();
  });
});

describe('views that have seen more than the file holds', () => {
  const besides = ['', '-wal', '-shm', '.mark'];

  async function called(seat: string, at = path): Promise<unknown> {
    const ledger = await createLedger({ path: at, tools });
    const { word, code } = await ledger.tools.book.call({ seat }, { run: 'r', call: 'c' });
    await ledger.close();
    return code ?? word;
  }

  it('hold what is new where the file and its mark were deleted, until a person confirms', async () => {
    expect(await called('1')).toBe('done');
    for (const beside of besides) rmSync(`${path}${beside}`, { force: true });
    for (let opened = 0; opened < 2; opened += 1) {
      expect(await called('1')).toBe('ledger.recovering');
      const store = await openSqliteEventStore({ path, runtime: createSystemRuntime() });
      expect(store.condition()).toMatchObject({
        kind: 'recovering',
        reason: expect.stringMatching(/^The index beside the file has seen position \d+, and/),
      });
      await store.close();
    }
    const store = await openSqliteEventStore({ path, runtime: createSystemRuntime() });
    await store.confirmRecovered();
    await store.close();
    expect(await called('1')).toBe('done');
    expect(await called('2')).toBe('done');
    // What was lost with the end of the file says nothing of what stands there now.
    const db = new DatabaseSync(path);
    db.exec('delete from events where position = 6');
    db.close();
    expect(await called('3')).toBe('ledger.recovering');
  });

  it('hold what is new where an older file with its mark took the place', async () => {
    expect(await called('1')).toBe('done');
    const copy = join(folder, 'copy.db');
    for (const beside of ['', '.mark']) copyFileSync(`${path}${beside}`, `${copy}${beside}`);
    expect(await called('2')).toBe('done');
    for (const beside of besides) rmSync(`${path}${beside}`, { force: true });
    for (const beside of ['', '.mark']) copyFileSync(`${copy}${beside}`, `${path}${beside}`);
    expect(await called('1')).toBe('already-done');
    expect(await called('2')).toBe('ledger.recovering');
  });

  it('say nothing where they went with the file, or belong to a shorter one', async () => {
    expect(await called('1')).toBe('done');
    expect(await called('2')).toBe('done');
    const other = join(folder, 'other.db');
    expect(await called('1', other)).toBe('done');
    for (const beside of ['', '.mark']) copyFileSync(`${path}${beside}`, `${other}${beside}`);
    expect(await called('2', other)).toBe('already-done');
    for (const beside of [...besides, '.views', '.views-wal', '.views-shm'])
      rmSync(`${path}${beside}`, { force: true });
    expect(await called('1')).toBe('done');
  });
});

describe('the thread that writes the views', () => {
  const matchRules = matchRulesOf(createToolSet([book, release]).all);
  const data = () => ({ storePath: path, viewsPath: viewsPathOf(path), matchRules });

  it('writes what the store holds, by the rules that it was given', async () => {
    const ledger = await createLedger({ path, tools });
    await ledger.close();
    const runtime = createSystemRuntime();
    const reading = await openSqliteEventStore({ path, runtime, readOnly: true });
    const index = await openSqliteActionIndex({
      path: viewsPathOf(path),
      store: reading,
      runtime,
      matchesOf: () => [],
      matchRules,
    });
    const busy = await createLedger({
      path,
      tools,
      store: await openSqliteEventStore({ path, runtime }),
    });
    const thread = startViewsThread(data());
    await busy.tools.book.call({ seat: '1' }, { run: 'r-1', call: 'c-1' });
    const reached = await thread?.advance([]);
    expect(reached).toBe(await busy.store.head());
    await busy.tools.book.call({ seat: '2' }, { run: 'r-1', call: 'c-2' });
    expect(await thread?.advance([])).toBe(await busy.store.head());
    const db = new DatabaseSync(viewsPathOf(path), { readOnly: true });
    const rows = db.prepare('select status from actions order by position').all();
    expect(rows.map(({ status }) => status)).toEqual(['succeeded', 'succeeded']);
    expect(db.prepare('select count(*) as n from undoable').get()).toEqual({ n: 2 });
    db.close();
    await thread?.close();
    await busy.close();
    await index.close();
    await reading.close();
  }, 30_000);

  it('says that it has failed, once and at every later call', async () => {
    const thread = startViewsThread(data());
    await expect(thread?.advance([])).rejects.toThrow(/no file/i);
    await expect(thread?.advance([])).rejects.toThrow(/no file/i);
    await thread?.close();
  }, 30_000);
});
