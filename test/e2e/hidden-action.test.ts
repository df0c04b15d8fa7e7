// Rows that were renamed, moved, swapped, copied or renumbered by hand: whatever was done outside
// before is not done again, because the ledger notices that something cannot be found any more.
import { DatabaseSync } from 'node:sqlite';
import { copyFileSync, existsSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, type Ledger, type Outcome } from '@action-ledger/client';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { inputFromJsonSchema } from '@action-ledger/tools';
import { runCli, type Folder, temporaryFolder } from './run-cli.ts';

const runtime = createSystemRuntime();
const input = inputFromJsonSchema({
  type: 'object',
  properties: { order: { type: 'string' } },
  required: ['order'],
});

let folder: Folder;
let path: string;
let effects: string[] = [];
let ledgers: Ledger[] = [];

const pay = defineTool({
  name: 'pay',
  input,
  // Of this guarantee an attempt is sent again where its outcome is not known.
  guarantee: 'idempotent',
  keyWindow: '24h',
  timeoutMs: 500,
  inFlightMs: 500,
  settleMs: 10,
  execute: ({ arguments: { order }, beforeSend }) => {
    beforeSend();
    effects.push(JSON.stringify(order));
    return { paid: true };
  },
});

beforeEach(() => {
  folder = temporaryFolder();
  path = folder.file('ledger.db');
  effects = [];
});

afterEach(async () => {
  for (const ledger of ledgers) await ledger.close();
  ledgers = [];
  folder.remove();
});

async function open(at: string): Promise<Ledger> {
  const ledger = await createLedger({ path: at, tools: { pay } });
  ledgers.push(ledger);
  return ledger;
}

function call(ledger: Ledger, order: string, turn = '1', key?: string): Promise<Outcome<unknown>> {
  const context = { run: 'r', turn, call: `${turn}-${order}` };
  const tool = ledger.tools['pay'];
  if (tool === undefined) throw new Error('the tool is declared');
  return tool.call({ order }, key === undefined ? context : { ...context, key });
}

/** Six orders paid; then the file as a close, or as a kill, leaves it. @returns their streams */
async function paid(isKilled: boolean, key?: (order: string) => string) {
  const ledger = await open(path);
  const streams: string[] = [];
  for (const order of ['a', 'b', 'c', 'd', 'e', 'f'])
    streams.push(`action-${(await call(ledger, order, '1', key?.(order))).actionId ?? ''}`);
  const at = isKilled ? folder.file('killed.db') : path;
  if (isKilled) {
    for (const beside of ['', '-wal', '.mark', '.views', '.views-wal'])
      if (existsSync(`${path}${beside}`)) copyFileSync(`${path}${beside}`, `${at}${beside}`);
  }
  await ledger.close();
  return { at, streams };
}

function change(at: string, sql: string): void {
  const db = new DatabaseSync(at);
  db.exec(sql);
  db.close();
}

type Sql = (first: string, second: string, other: string) => string;

const changes: readonly (readonly [string, Sql])[] = [
  ['a stream renamed', (a, _, x) => `update events set stream = '${x}' where stream = '${a}'`],
  [
    'a stream renamed, in the index too',
    (a, _, x) =>
      `update events set stream = '${x}' where stream = '${a}'; update streams set name = '${x}' where name = '${a}'`,
  ],
  ['a stream taken out of the index', (a) => `delete from streams where name = '${a}'`],
  [
    'a stream set back in the index',
    (a) =>
      `update streams set last = (select min(position) from events where stream = '${a}') where name = '${a}'`,
  ],
  [
    'two streams swapped',
    (a, b) =>
      `update events set stream = iif(stream = '${a}', '${b}', '${a}') where stream in ('${a}', '${b}')`,
  ],
  [
    'two streams swapped, in the index too',
    (a, b) =>
      `update events set stream = iif(stream = '${a}', '${b}', '${a}') where stream in ('${a}', '${b}');
       update streams set last = (select max(position) from events where stream = name)
         where name in ('${a}', '${b}')`,
  ],
  [
    'the last row moved',
    (a, b) => `update events set stream = '${b}' where stream = '${a}' and revision > 0`,
  ],
  [
    'the first row moved',
    (a, b) => `update events set stream = '${b}' where stream = '${a}' and revision = 0`,
  ],
  [
    'the first row copied to the end',
    (a) =>
      `insert into events select (select max(position + count) from events), stream, revision, count, previous, events from events where stream = '${a}' and revision = 0`,
  ],
  [
    'a revision changed',
    (a) => `update events set revision = 7 where stream = '${a}' and revision = 0`,
  ],
];

describe.each([
  ['closed', false],
  ['killed', true],
])('in a file that was %s', (_, isKilled) => {
  it.each(changes)('%s: nothing is done again', async (name, sql) => {
    const { at, streams } = await paid(isKilled);
    const [a = '', b = ''] = streams;
    change(at, sql(a, b, `${a.slice(0, -3)}x.0`));
    for (const turn of ['2', '3']) {
      const again = await open(at);
      // The damaged ones after another has been met, and then first.
      for (const order of turn === '2' ? ['f', 'b', 'a'] : ['a', 'b', 'f'])
        expect(['already-done', 'checking']).toContain((await call(again, order, turn)).word);
      expect(effects).toHaveLength(6);
      await again.close();
    }
    // Where all are still in the tail, the index is not asked: nothing is wrong then.
    const isHarmless = isKilled && name.endsWith('the index') && !name.includes('too');
    expect((await runCli(['verify', '--path', at])).code).toBe(isHarmless ? 0 : 1);
  });
});

describe('a renamed stream', () => {
  it('holds its own action alone, where its words say whose it is', async () => {
    const { at, streams } = await paid(false, (order) => `order-${order}`);
    const [a = ''] = streams;
    const x = `${a.slice(0, -3)}x.0`;
    change(
      at,
      `update events set stream = '${x}' where stream = '${a}'; update streams set name = '${x}' where name = '${a}'`,
    );
    const again = await open(at);
    expect(await call(again, 'a', '2', 'order-a')).toMatchObject({ word: 'checking' });
    expect(await call(again, 'b', '2', 'order-b')).toMatchObject({ word: 'already-done' });
    expect(await call(again, 'new', '2', 'order-new')).toMatchObject({ word: 'done' });
    expect(effects).toHaveLength(7);
  });

  it('stops what is new where nobody can say whose it is, until a person confirms', async () => {
    const { at, streams } = await paid(false);
    const [a = ''] = streams;
    const x = `${a.slice(0, -3)}x.0`;
    change(
      at,
      `update events set stream = '${x}', events = replace(events, '"order":"a"', '"order":"z"') where stream = '${a}'; update streams set name = '${x}' where name = '${a}'`,
    );
    for (let opened = 0; opened < 2; opened += 1) {
      const again = await open(at);
      expect(await call(again, 'new', '2')).toMatchObject({ code: 'ledger.recovering' });
      expect(await call(again, 'b', '2')).toMatchObject({ word: 'already-done' });
      await again.close();
    }
    const store = await openSqliteEventStore({ path: at, runtime });
    await store.confirmRecovered();
    await store.close();
    const confirmed = await open(at);
    expect(await call(confirmed, 'new', '2')).toMatchObject({ word: 'done' });
  });
});
