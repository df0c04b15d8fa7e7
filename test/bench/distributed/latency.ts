// From an append to a consumer of `action.events`: actions at a steady rate in this process, a projector in one
// of its own, and a consumer that notes when each event is in its hands.
import { createLedger } from '@action-ledger/client';
import { actionTopics, type EventLog, eventPlaceOf } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { pay } from '../../sizing/pay.ts';
import { benchSeed, paymentArguments } from '../payment.ts';
import { percentile } from '../statistics.ts';
import { type DistributedRow } from './report.ts';

export interface LatencyDeps {
  readonly store: EventStore;
  readonly log: EventLog;
  readonly runtime: Runtime;
  readonly seconds: number;
}

const actionsPerSecond = 300;
const p99MsMost = 200;
const tickMs = 10;
const warmUpSeconds = 3;
/** Of everybody else's payments none has such a number. */
const firstPayment = 10_000_000;

export async function measureLatency(deps: LatencyDeps): Promise<readonly DistributedRow[]> {
  const { log, runtime, seconds } = deps;
  const appendedMs = new Map<string, number>();
  const latencies: number[] = [];
  const countFromMs = performance.now() + warmUpSeconds * 1_000;
  const store: EventStore = {
    ...deps.store,
    append: async (stream, expected, events) => {
      const beganMs = performance.now();
      for (const { id } of events) appendedMs.set(id, beganMs);
      return deps.store.append(stream, expected, events);
    },
  };
  const consumer = await log.consume({
    group: 'bench-latency',
    topics: [actionTopics.events],
    from: 'now',
    handler: async (records) => {
      const nowMs = performance.now();
      for (const record of records) {
        const id = eventPlaceOf(record)?.eventId ?? '';
        const beganMs = appendedMs.get(id);
        if (!appendedMs.delete(id) || beganMs === undefined) continue;
        if (beganMs >= countFromMs) latencies.push(nowMs - beganMs);
      }
    },
  });
  const ledger = await createLedger({ store, tools: { pay } });
  const calls: Promise<unknown>[] = [];
  const beganMs = performance.now();
  const endMs = countFromMs + seconds * 1_000;
  for (let nowMs = beganMs; nowMs < endMs; nowMs = performance.now()) {
    const due = Math.floor(((nowMs - beganMs) * actionsPerSecond) / 1_000);
    while (calls.length < due) {
      const n = firstPayment + calls.length;
      const origin = { run: 'latency', turn: '1', call: `call_${n}` };
      calls.push(ledger.tools.pay.call({ ...paymentArguments(benchSeed, n) }, origin));
    }
    await pause(runtime, tickMs);
  }
  await Promise.all(calls);
  while (appendedMs.size > 0) await pause(runtime, tickMs);
  await ledger.close();
  await consumer.close();
  const sorted = Float64Array.from(latencies).sort();
  const reached = calls.length / ((endMs - beganMs) / 1_000);
  const row = { work: 'distributed', unit: 'ms' } as const;
  return [
    { ...row, what: 'actions begun, from append to consumer', unit: '/s', value: reached },
    { ...row, what: 'from append to consumer, p50', value: percentile(sorted, 0.5) },
    {
      ...row,
      what: 'from append to consumer, p99',
      value: percentile(sorted, 0.99),
      goal: { most: p99MsMost },
    },
  ];
}

export function pause(runtime: Runtime, ms: number): Promise<void> {
  return new Promise((resolve) => {
    runtime.timers.after(ms, () => {
      resolve();
    });
  });
}
