// Actions as they are paid for: the payments of the bench (493 bytes of arguments, 250 of result), each created
// and sent in one process, or created in one and sent by an executor in another. What they cost is counted.
import { createLedger } from '@action-ledger/client';
import { createExecutor } from '@action-ledger/executor';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { createVirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { benchSeed, paymentArguments } from '../bench/payment.ts';
import { inServices } from '../services/world.ts';
import { pay } from './pay.ts';

export const ways = ['in one process', 'by an executor'] as const;
export type Way = (typeof ways)[number];

export interface PaidActions {
  readonly events: readonly RecordedEvent[];
  readonly appends: number;
}

export async function payActions(way: Way, count: number): Promise<PaidActions> {
  return way === 'in one process' ? payHere(count) : payByExecutor(count);
}

async function payHere(count: number): Promise<PaidActions> {
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const memory = createMemoryEventStore();
  const counted = counting(memory);
  const ledger = await createLedger({ store: counted.store, runtime, tools: { pay } });
  for (let n = 0; n < count; n += 1) {
    const context = { run: 'run-1', turn: '1', call: `call-${n}` };
    const call = ledger.tools.pay.call({ ...paymentArguments(benchSeed, n) }, context);
    await runtime.settle();
    await call;
  }
  const paid = { events: ofActions(memory.events()), appends: counted.appends() };
  await ledger.close();
  return paid;
}

async function payByExecutor(count: number): Promise<PaidActions> {
  let appends = (): number => 0;
  let paid: PaidActions | undefined;
  const storeOf = (store: EventStore): EventStore => {
    const counted = counting(store);
    appends = counted.appends;
    return counted.store;
  };
  await inServices({ tools: [pay], storeOf }, async (world) => {
    const caller = await world.openCaller();
    await world.run(createExecutor(world.depsOf('executor')));
    for (let n = 0; n < count; n += 1) {
      await caller.ledger.propose({
        tool: 'pay',
        arguments: { ...paymentArguments(benchSeed, n) },
        tenant: 'default',
        origin: { run: 'run-1', turn: '1', call: `call-${n}` },
        waitMs: 0,
      });
      await world.runtime.settle();
    }
    await world.runtime.advance(1_000);
    paid = { events: ofActions(world.store.events()), appends: appends() };
  });
  return paid ?? { events: [], appends: 0 };
}

function counting(store: EventStore): {
  readonly store: EventStore;
  readonly appends: () => number;
} {
  let appends = 0;
  return {
    appends: () => appends,
    store: {
      ...store,
      append: (stream, expected, events) => {
        if (stream.startsWith('action-')) appends += 1;
        return store.append(stream, expected, events);
      },
    },
  };
}

function ofActions(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  return events.filter(({ stream }) => stream.startsWith('action-'));
}
