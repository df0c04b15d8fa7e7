// The ledger in one process over EventStoreDB, beside what its client does by itself: how many appends an action
// takes, how fast it is, and how long one caller waits.
import { createLedger } from '@action-ledger/client';
import { type EventStore } from '@action-ledger/event-store';
import { startChild } from '../child.ts';
import { payTool } from '../contenders/ledger.ts';
import { createEffectsClient } from '../effects-client.ts';
import { type EffectsMessage, type EffectsReply } from '../messages.ts';
import { benchSeed, paymentArguments, paymentId } from '../payment.ts';
import { type DistributedRow } from './report.ts';
import { inRounds, medianOf, slice } from './rounds.ts';

export interface InProcessOptions {
  readonly rounds: number;
  readonly sliceMs: number;
}

/** Callers, and which part of half the rate of bare appends the ledger must reach with them. */
const partOfAppends = new Map([
  [1, undefined],
  [16, 0.75],
  [64, 0.6],
]);
/** What one caller may wait on top of two appends and the call. */
const addedMsMost = 0.25;

export async function measureInProcess(
  store: EventStore,
  { rounds, sliceMs }: InProcessOptions,
): Promise<readonly DistributedRow[]> {
  const effects = startChild<EffectsMessage, EffectsReply>('effects-main.ts', []);
  const { port } = await effects.ask(undefined, 'listening');
  const client = createEffectsClient('lean', port);
  let appends = 0;
  const counted: EventStore = {
    ...store,
    append: (...args) => {
      appends += 1;
      return store.append(...args);
    },
  };
  const ledger = await createLedger({ store: counted, tools: { pay: payTool(client) } });
  let next = 0;
  const contenders = {
    appends: () => appendBare(store, next++),
    call: () => client.send(`bare-${next}`, paymentArguments(benchSeed, next++)),
    ledger: async () => {
      const n = next++;
      const origin = { run: 'bench', turn: '1', call: `call_${n}` };
      const { word } = await ledger.tools.pay.call(paymentArguments(benchSeed, n), origin);
      if (word !== 'done') throw new Error(`payment ${n}: told "${word}"`);
      finished += 1;
    },
  };
  let finished = 0;
  const names = Object.keys(contenders) as (keyof typeof contenders)[];
  const rows: DistributedRow[] = [];
  const add = (row: Omit<DistributedRow, 'work'>): void => {
    rows.push({ work: 'distributed', ...row });
  };
  for (const [callers, least] of partOfAppends) {
    const measured = await inRounds(rounds, names, (name) =>
      slice({ callers, sliceMs }, contenders[name]),
    );
    const at = `at ${callers} ${callers === 1 ? 'caller' : 'callers'}`;
    add({
      what: `bare appends, ${at}`,
      unit: '/s',
      value: medianOf(measured, (round) => round.appends.perSecond),
    });
    add({
      what: `actions in one process, ${at}`,
      unit: '/s',
      value: medianOf(measured, (round) => round.ledger.perSecond),
    });
    add({
      what: `of half the bare appends, ${at}`,
      unit: 'ratio',
      value: medianOf(measured, (round) => (2 * round.ledger.perSecond) / round.appends.perSecond),
      ...(least === undefined ? {} : { goal: { least } }),
    });
    if (callers !== 1) continue;
    add({
      what: 'added to two appends and the call, p50 at 1 caller',
      unit: 'ms',
      value: medianOf(
        measured,
        (round) => round.ledger.p50Ms - 2 * round.appends.p50Ms - round.call.p50Ms,
      ),
      goal: { most: addedMsMost },
    });
  }
  await ledger.close();
  client.close();
  await effects.kill('SIGTERM');
  const perAction = appends / finished;
  return [
    {
      work: 'distributed',
      what: 'appends per action, in one process',
      unit: 'appends',
      value: perAction,
      goal: { most: appendsMost },
    },
    ...rows,
  ];
}

/** Two, and the few that open a ledger. */
const appendsMost = 2.01;

/** As long as one of the two appends of an action. */
function appendBare(store: EventStore, n: number): Promise<unknown> {
  const data = JSON.stringify({ arguments: paymentArguments(benchSeed, n) });
  const id = paymentId(benchSeed + 1, n).slice(-22);
  const event = { id, type: 'Appended', data, metadata: '{}' };
  return store.append(`bare-${n}`, 'no stream', [event]);
}
