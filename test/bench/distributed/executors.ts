// What a second executor brings where tools are slow: a stock of actions that were proposed to a gateway, carried out
// by one executor of 16 slots, and then by two. Every service is a process of its own; the gateway has gone by then,
// since it would only follow what they do.
import { type Env, type Fleet, startFleet } from '@action-ledger/cli/play';
import { actionTopics, type EventLog, eventPlaceOf } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { startProcess } from '../../distributed/services.ts';
import { benchSeed, paymentArguments } from '../payment.ts';
import { pause } from './latency.ts';
import { type DistributedRow } from './report.ts';
import { inRounds, medianOf } from './rounds.ts';

export interface ExecutorsDeps {
  readonly env: Env;
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly rounds: number;
  /** Waiting for each executor when it begins. */
  readonly stock: number;
  readonly progress: (text: string) => void;
}

const slots = 16;
const timesLeast = 1.8;
const callersAtOnce = 16;
/** What is finished before and after is not counted: an executor joins, and the stock runs out. */
const countedFrom = 0.2;
const countedTo = 0.8;

export async function measureExecutors(deps: ExecutorsDeps): Promise<readonly DistributedRow[]> {
  const { rounds, log, runtime, progress } = deps;
  const start = startProcess('inherit');
  const env: Env = {
    ...deps.env,
    ACTION_LEDGER_OPEN: 'true',
    ACTION_LEDGER_ACCESS_LOG: 'false',
    ACTION_LEDGER_LOG_LEVEL: 'warn',
    ACTION_LEDGER_SLOTS: String(slots),
    ACTION_LEDGER_TOOLS: `${import.meta.dirname}/slow-tool-main.ts`,
  };
  const projector = await startFleet({ start, env, services: ['projector'] });
  const finishedAtMs: number[] = [];
  const consumer = await log.consume({
    group: 'bench-executors',
    topics: [actionTopics.events],
    from: 'now',
    handler: async (records) => {
      for (const record of records)
        if (eventPlaceOf(record)?.type === 'ActionSucceeded') finishedAtMs.push(performance.now());
    },
  });
  let proposed = 0;
  let appends = 0;
  const measured = await inRounds(rounds, ['one', 'two'], async (name) => {
    const executors = name === 'one' ? 1 : 2;
    const wanted = deps.stock * executors;
    progress(`${executors} of the executors: ${wanted} actions`);
    const gateway = await startFleet({ start, env, services: ['gateway'] });
    await propose(gateway, proposed, wanted);
    proposed += wanted;
    appends += await appendsOf(gateway);
    await gateway.close();
    finishedAtMs.length = 0;
    const services = Array.from({ length: executors }, () => 'executor');
    const fleet = await startFleet({ start, env, services });
    while (finishedAtMs.length < wanted) await pause(runtime, 50);
    appends += await appendsOf(fleet);
    await fleet.close();
    return ratePerSecond(finishedAtMs.toSorted((a, b) => a - b));
  });
  await consumer.close();
  await projector.close();
  const row = { work: 'distributed', unit: '/s' } as const;
  return [
    {
      ...row,
      what: 'appends per action, by gateway and executor',
      unit: 'appends',
      value: appends / proposed,
      goal: { most: appendsMost },
    },
    { ...row, what: 'actions by one executor', value: medianOf(measured, ({ one }) => one) },
    { ...row, what: 'actions by two executors', value: medianOf(measured, ({ two }) => two) },
    {
      ...row,
      what: 'two executors / one',
      unit: 'ratio',
      value: medianOf(measured, ({ one, two }) => two / one),
      goal: { least: timesLeast },
    },
  ];
}

/** Four, and the few by which a process takes its seat and tells what it has. */
const appendsMost = 4.05;

async function propose({ url }: Fleet, from: number, count: number): Promise<void> {
  let next = from;
  const caller = async (): Promise<void> => {
    while (next < from + count) {
      const n = next++;
      const response = await fetch(new URL('/v1/actions', url), {
        method: 'POST',
        headers: { 'content-type': 'application/json', prefer: 'wait=0' },
        body: JSON.stringify({
          tool: 'pay',
          arguments: paymentArguments(benchSeed, n),
          ...{ run: 'executors', turn: '1', call: `call_${n}` },
        }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`payment ${n}: ${response.status} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, caller));
}

function ratePerSecond(sortedMs: readonly number[]): number {
  const first = Math.floor(sortedMs.length * countedFrom);
  const last = Math.floor(sortedMs.length * countedTo);
  const ms = (sortedMs[last] ?? NaN) - (sortedMs[first] ?? NaN);
  return ((last - first) / ms) * 1_000;
}

async function appendsOf({ members }: Fleet): Promise<number> {
  let sum = 0;
  for (const { urls } of members) {
    const text = await (await fetch(new URL('/metrics', urls['probes'] ?? urls['api']))).text();
    sum += Number(/^action_ledger_store_appends_total(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1] ?? NaN);
  }
  return sum;
}
