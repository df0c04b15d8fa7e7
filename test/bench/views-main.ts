// How fast the views of a ledger are filled, opened and asked, and what a note costs: on a store of N
// finished actions that it makes first.
//   node --conditions=source test/bench/views-main.ts [actions, default 100000]
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sealEvents } from '@action-ledger/codec';
import {
  type Action,
  actionIdOf,
  type ActionEvent,
  chainStart,
  evolve,
  newAction,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { openSqliteActionIndex } from '@action-ledger/read-models';
import { createSystemRuntime } from '@action-ledger/runtime';

const actions = Number(process.argv[2] ?? 100_000);
const callers = 256;
const runtime = createSystemRuntime();
const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const folder = mkdtempSync(join(tmpdir(), 'action-ledger-bench-views-'));
const path = join(folder, 'ledger.views');

const store = await openSqliteEventStore({ path: join(folder, 'ledger.db'), runtime });
try {
  for (let made = 0; made < actions; made += callers)
    await Promise.all(
      Array.from({ length: Math.min(callers, actions - made) }, (_, each) =>
        finish(store, made + each),
      ),
    );
  const events = await store.head();
  const filled = await timed(
    'fill',
    () => open(),
    (ms) => `${Math.round(events / ms)} events/ms`,
  );
  await filled.close();
  console.log(`file: ${Math.round(statSync(path).size / actions)} bytes per action`);
  const index = await timed('open', () => open());
  for (const filter of [{}, { tool: 'pay-3' }, { run: 'r-7' }, { status: 'unknown' }] as const)
    await timed(`list ${JSON.stringify(filter)}`, async () => index.list({ ...filter, limit: 50 }));
  await timed('open actions', async () => index.openActions());
  const noted = Array.from({ length: 10_000 }, (_, each) => statesOf(each));
  await timed('two notes of each of 10,000 actions', async () => {
    for (const state of noted.flat()) index.note(state, []);
  });
  await index.close();
} finally {
  await store.close();
  rmSync(folder, { recursive: true });
}

function open() {
  return openSqliteActionIndex({ path, store, runtime, matchesOf: () => [], matchRules: '' });
}

async function timed<Result>(
  what: string,
  work: () => Promise<Result>,
  also: (ms: number) => string = () => '',
): Promise<Result> {
  const from = performance.now();
  const result = await work();
  const ms = performance.now() - from;
  console.log(`${what}: ${ms.toFixed(2)} ms ${also(ms)}`);
  return result;
}

function eventsOf(number: number, at: number): readonly [readonly ActionEvent[], ActionEvent] {
  const planned: ActionEvent = {
    type: 'ActionPlanned',
    data: {
      tenant: 'default',
      tool: `pay-${number % 5}`,
      epoch: 0,
      identityVersion: 1,
      arguments: { order: `o-${number}`, amount: 1250, note: 'x'.repeat(400) },
      argumentsHash: sha256(`arguments ${number}`),
      guarantee: 'lookup',
      validUntil: at + 86_400_000,
      call: { run: `r-${Math.floor(number / 10)}`, turn: '1', call: `c-${number}` },
    },
  };
  const claimed: ActionEvent = {
    type: 'ActionClaimed',
    data: { worker: 'w-1', leaseUntil: at + 40_000 },
  };
  const dispatched: ActionEvent = {
    type: 'ActionDispatched',
    data: {
      attempt: 1,
      downstreamKey: sha256(`key ${number}`),
      deadlineAt: at + 30_000,
      inFlightMs: 60_000,
    },
  };
  const externalId = `x-${sha256(`id ${number}`).slice(0, 20)}`;
  const result = { id: externalId, note: 'y'.repeat(200) };
  return [
    [planned, claimed, dispatched],
    { type: 'ActionSucceeded', data: { attempt: 1, result, externalId } },
  ];
}

async function finish(target: EventStore, number: number): Promise<void> {
  const at = 1_700_000_000_000 + number;
  const stream = streamOfAction(actionIdOf(sha256(String(number)), 0));
  const context = { sha256, nextId: () => runtime.ids.next(), at };
  const [intent, outcome] = eventsOf(number, at);
  const first = sealEvents(context, chainStart(stream), intent);
  await target.append(stream, 'no stream', first.events);
  await target.append(stream, intent.length - 1, sealEvents(context, first.hash, [outcome]).events);
}

/** An action that is not in the store, after its first append and after its last. */
function statesOf(number: number): readonly Action[] {
  const [intent, outcome] = eventsOf(number, 0);
  let action: Action = newAction(actionIdOf(sha256(`noted ${number}`), 0));
  for (const event of intent)
    action = evolve(action, event, { revision: action.revision + 1, at: 0 });
  return [action, evolve(action, outcome, { revision: action.revision + 1, at: 0 })];
}
