// The entry by which an old action is found was deleted by hand, or what the file says of its index:
// the first call after the start is answered, and nothing is done again.
import { copyFileSync, existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLedger, defineTool, type Ledger, type Outcome } from '@action-ledger/client';
import { inputFromJsonSchema } from '@action-ledger/tools';
import { type Folder, runCli, temporaryFolder } from './run-cli.ts';

/** Three times as many events as are looked at when a ledger opens. */
const orders = 3_000;
/** Among the first: the check in the background meets others before. */
const old = '500';

const effects = new Map<string, number>();
const pay = defineTool({
  name: 'pay',
  input: inputFromJsonSchema({
    type: 'object',
    properties: { order: { type: 'string' } },
    required: ['order'],
  }),
  guarantee: 'manual',
  execute: ({ arguments: { order }, beforeSend }) => {
    beforeSend();
    const name = typeof order === 'string' ? order : '';
    effects.set(name, (effects.get(name) ?? 0) + 1);
    return { paid: true };
  },
});

let folder: Folder;
let oldStream = '';
let copies = 0;
let ledgers: Ledger[] = [];
const besides = ['', '-wal', '.mark', '.views', '.views-wal'];

function copy(from: string, to: string): void {
  for (const beside of besides)
    if (existsSync(`${from}${beside}`)) copyFileSync(`${from}${beside}`, `${to}${beside}`);
}

function call(ledger: Ledger, order: string, turn: string): Promise<Outcome<unknown>> {
  const tool = ledger.tools['pay'];
  if (tool === undefined) throw new Error('the tool is declared');
  return tool.call({ order }, { run: 'r', turn, call: `${turn}-${order}` });
}

/** Every order is paid and merged into the index, but for ten that came after a restart. */
beforeAll(async () => {
  folder = temporaryFolder();
  const path = folder.file('whole.db');
  const first = await createLedger({ path, tools: { pay } });
  const calls = Array.from({ length: orders }, (_, n) => call(first, String(n), '1'));
  oldStream = `action-${(await Promise.all(calls))[Number(old)]?.actionId ?? ''}`;
  await first.close();
  const second = await createLedger({ path, tools: { pay } });
  for (let n = 0; n < 10; n += 1) await call(second, `late-${n}`, '1');
  copy(path, folder.file('killed.db'));
  await second.close();
  copy(path, folder.file('closed.db'));
});

beforeEach(() => {
  effects.clear();
});

afterEach(async () => {
  for (const ledger of ledgers) await ledger.close();
  ledgers = [];
});

afterAll(() => {
  folder.remove();
});

function changed(how: string, sql: string): string {
  const path = folder.file(`copy-${(copies += 1)}.db`);
  copy(folder.file(`${how}.db`), path);
  const db = new DatabaseSync(path);
  db.exec(sql.replaceAll('OLD', `'${oldStream}'`));
  db.close();
  return path;
}

async function open(path: string, told: string[] = []): Promise<Ledger> {
  const ledger = await createLedger({
    path,
    tools: { pay },
    onNotice: (notice) => {
      if (notice.kind === 'stream broken') told.push(`action-${notice.actionId}: ${notice.reason}`);
    },
  });
  ledgers.push(ledger);
  return ledger;
}

describe.each(['closed', 'killed'])('in a file that was %s', (how) => {
  it.each([
    ['deleted', 'delete from streams where name = OLD'],
    [
      'set back to the first row',
      'update streams set last = (select min(position) from events where stream = OLD) where name = OLD',
    ],
  ])('an old entry that was %s: the action is held, the others go on', async (_, sql) => {
    const path = changed(how, sql);
    const before = await runCli(['doctor', '--path', path]);
    expect(before.out).toMatch(new RegExp(`^FAIL +chain +broken in ${oldStream}$`, 'm'));
    for (const turn of ['2', '3']) {
      const told: string[] = [];
      const ledger = await open(path, told);
      // At once, and the owner has been told before.
      expect(told).toEqual([
        expect.stringMatching(/^action-\S+: position \d+ is not to be found from the end/),
      ]);
      expect(told[0]).toContain(oldStream);
      expect(await call(ledger, old, turn)).toMatchObject({ word: 'checking' });
      expect(await call(ledger, '501', turn)).toMatchObject({ word: 'already-done' });
      expect(await call(ledger, 'late-3', turn)).toMatchObject({ word: 'already-done' });
      expect(await call(ledger, `new-${turn}`, turn)).toMatchObject({ word: 'done' });
      await ledger.close();
    }
    expect(Object.fromEntries(effects)).toEqual({ 'new-2': 1, 'new-3': 1 });
    const verified = await runCli(['verify', '--json', '--path', path]);
    expect(verified.code).toBe(1);
    expect(JSON.parse(verified.out)).toMatchObject({
      brokenInvariants: expect.arrayContaining([
        {
          stream: oldStream,
          invariant: 'index-leads-to-row',
          detail: expect.stringMatching(/^position \d+ is not to be found/),
        },
      ]),
    });
    const doctor = await runCli(['doctor', '--path', path]);
    expect(doctor.out).toMatch(/^FAIL +quarantine +1 action on record as damaged/m);
  });

  it('an old action deleted from every table: nothing new until a person confirms', async () => {
    const path = changed(
      how,
      'delete from streams where name = OLD; delete from events where stream = OLD',
    );
    for (const turn of ['2', '3']) {
      const ledger = await open(path);
      expect(await call(ledger, old, turn)).toMatchObject({ code: 'ledger.recovering' });
      expect(await call(ledger, '501', turn)).toMatchObject({ word: 'already-done' });
      await ledger.close();
    }
    expect(effects.size).toBe(0);
  });

  it.each([
    `delete from facts where name = 'indexed-through'`,
    `delete from facts where name = 'indexed-streams'`,
    `update facts set value = value + 1 where name = 'indexed-through'`,
    `update facts set value = 99999999 where name = 'indexed-through'`,
    `update facts set value = value - 20 where name = 'indexed-through'`,
    `update facts set value = 'x' where name = 'indexed-through'`,
    `update facts set value = 'x' where name = 'indexed-streams'`,
  ])('%s: every action is found', async (sql) => {
    const ledger = await open(changed(how, sql));
    for (const order of [old, '0', '2999', ...Array.from({ length: 10 }, (_, n) => `late-${n}`)])
      expect(await call(ledger, order, '2')).toMatchObject({ word: 'already-done' });
    await ledger.close();
    expect(effects.size).toBe(0);
  });

  it('what the file says of its index deleted: verify says so until it is opened', async () => {
    const path = changed(how, `delete from facts where name like 'indexed-%'`);
    const { code, out } = await runCli(['verify', '--json', '--path', path]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({
      brokenInvariants: [
        { invariant: 'index-leads-to-row', detail: expect.stringContaining('"facts"') },
      ],
    });
    await (await open(path)).close();
    expect((await runCli(['verify', '--path', path])).code).toBe(0);
  });
});

describe('the entry of a tool', () => {
  it('that was deleted stops no action', async () => {
    const path = changed('closed', `delete from streams where name = 'tool-pay'`);
    const ledger = await open(path);
    expect(await call(ledger, old, '2')).toMatchObject({ word: 'already-done' });
    expect(await call(ledger, 'new', '2')).toMatchObject({ word: 'done' });
    await ledger.close();
    expect(Object.fromEntries(effects)).toEqual({ new: 1 });
  });
});
