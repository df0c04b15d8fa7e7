// FW25 over a server: EventStoreDB is put back while a ledger runs on it; nothing is sent until a person has
// confirmed it by the command line, and what was lost is found then.
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import {
  type EventStoreDbDouble,
  openEventStoreDbDouble,
} from '@action-ledger/eventstoredb-double';
import { type EventStore } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { z } from 'zod';
import { type Finished, runCli } from './run-cli.ts';

const runtime = createSystemRuntime();
let double: EventStoreDbDouble;
let stores: EventStore[] = [];
let effects: string[] = [];

beforeEach(async () => {
  double = await openEventStoreDbDouble({ runtime });
  effects = [];
});

afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  stores = [];
  await double.close();
});

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'lookup',
  timeoutMs: 1_000,
  inFlightMs: 1_000,
  settleMs: 100,
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    effects.push(invoice);
    return { paid: invoice };
  },
  lookup: ({ arguments: { invoice } }) =>
    effects.includes(invoice) ? { verdict: 'found', externalId: invoice } : { verdict: 'absent' },
});

async function open() {
  const { connectionString } = double;
  const store = await openEventStoreDbEventStore({ connectionString, runtime, lookMs: 50 });
  stores.push(store);
  const ledger = await createLedger({ store, runtime, tools: { pay } });
  const call = (invoice: string, turn = '1') =>
    ledger.tools.pay.call({ invoice }, { run: 'r', turn, call: invoice });
  return { store, ledger, call };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10));
}

const cli = (...args: readonly string[]): Promise<Finished> =>
  runCli(['recover', ...args], {
    env: { ACTION_LEDGER_EVENTSTOREDB_URL: double.connectionString },
  });

it('FW25 lists what a server has lost, and confirms it for those that open it then', async () => {
  const before = await open();
  await before.call('i-1');
  expect((await cli('--store')).code).toBe(0);
  const kept = double.recordCount();
  await before.call('i-2');
  double.down();
  double.loseLast(double.recordCount() - kept);
  await double.up();
  await until(() => before.store.condition().kind === 'recovering');
  expect(await before.call('i-3')).toMatchObject({ code: 'ledger.recovering' });

  const held = await open();
  await until(() => held.store.condition().kind === 'recovering');
  const listed = await cli('--store', double.connectionString);
  expect(listed).toMatchObject({ code: 1, err: '' });
  expect(listed.out).toMatch(/^recovering +Revision \d of /m);
  expect(listed.out).toContain('action-ledger recover --confirm --by NAME');
  expect(listed.out).toContain(' --store ADDRESS\n');
  expect((await cli('--store', '--path', 'ledger.db')).code).toBe(2);
  expect((await cli('--store', '--confirm', '--by', 'ada')).code).toBe(2);

  const person = ['--by', 'ada', '--reason', 'looked at the bank'];
  const confirmed = await cli('--store', '--confirm', ...person);
  expect(confirmed.out).toMatch(/^Ready\. ada is on record for it in recovery-0\./);
  await until(() => 'isConfirmed' in held.store.condition());
  expect(await held.call('i-3')).toMatchObject({ code: 'ledger.recovering' });

  const after = await open();
  expect((await after.call('i-2')).word).toBe('already-done');
  expect((await after.call('i-3')).word).toBe('done');
  expect(effects).toEqual(['i-1', 'i-2', 'i-3']);
  for (const { ledger } of [before, held, after]) await ledger.close();
});
