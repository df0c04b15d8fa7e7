// An event store that fails as real ones do, around any other: an append that is lost, or is stored
// though its caller hears an error, or is answered late or never; reads that fail; subscriptions
// that end with or without a word. The plan decides for each call, so a seed can decide the plan.
import {
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  StoreFault,
  type Subscriber,
} from '@action-ledger/event-store';

export interface AppendCall {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
}

export type ReadCall =
  | { readonly kind: 'stream'; readonly stream: string }
  | { readonly kind: 'all'; readonly after: number }
  | { readonly kind: 'head' };

export interface DeliveryCall {
  readonly events: readonly RecordedEvent[];
}

/** `lose`: the subscription ends and nobody is told. `drop`: it ends and the subscriber is told. */
export type Delivery = 'deliver' | 'lose' | 'drop';

export interface FaultPlan {
  /** Before the store is asked. What it throws the caller gets, and nothing is stored. */
  readonly beforeAppend?: (call: AppendCall) => void | Promise<void>;
  /** After the store has answered. What it throws the caller gets, though the events are stored. */
  readonly afterAppend?: (
    call: AppendCall,
    result: AppendResult,
  ) => AppendResult | Promise<AppendResult>;
  readonly beforeRead?: (call: ReadCall) => void | Promise<void>;
  readonly beforeDelivery?: (call: DeliveryCall) => Delivery | Promise<Delivery>;
}

export function createFaultyEventStore(store: EventStore, plan: FaultPlan): EventStore {
  const read = async <Found>(call: ReadCall, find: () => Promise<Found>): Promise<Found> => {
    await plan.beforeRead?.(call);
    return find();
  };
  return {
    append: async (stream, expected, events) => {
      const call = { stream, expected, events };
      await plan.beforeAppend?.(call);
      const result = await store.append(stream, expected, events);
      return plan.afterAppend === undefined ? result : plan.afterAppend(call, result);
    },
    readStream: (stream, from) =>
      read({ kind: 'stream', stream }, () => store.readStream(stream, from)),
    readAll: (options) => read({ kind: 'all', after: options.after }, () => store.readAll(options)),
    head: () => read({ kind: 'head' }, () => store.head()),
    truncate: (cuts) => store.truncate(cuts),
    ...(store.givenUp === undefined ? {} : { givenUp: store.givenUp.bind(store) }),
    subscribe: (after, subscriber) => {
      const faulty = faultySubscriber(subscriber, plan, () => {
        subscription.close();
      });
      const subscription = store.subscribe(after, faulty);
      return subscription;
    },
    condition: () => store.condition(),
    close: () => store.close(),
  };
}

function faultySubscriber(subscriber: Subscriber, plan: FaultPlan, close: () => void): Subscriber {
  const { beforeDelivery } = plan;
  if (beforeDelivery === undefined) return subscriber;
  return {
    ...subscriber,
    onEvents: async (events) => {
      const delivery = await beforeDelivery({ events });
      if (delivery === 'deliver') {
        await subscriber.onEvents(events);
        return;
      }
      close();
      if (delivery === 'drop') subscriber.onDropped?.(unavailable('safe'));
    },
  };
}

export type AppendFault =
  /** Nothing is stored and the caller hears an error. */
  | { readonly kind: 'not stored'; readonly fault?: unknown }
  /** The events are stored and the caller hears an error. */
  | { readonly kind: 'stored, error raised'; readonly fault?: unknown }
  /** The events are stored and the caller hears of a conflict, with a senseless revision. */
  | { readonly kind: 'stored, conflict told' }
  /** The store is asked only when the promise resolves: the request arrives late. */
  | { readonly kind: 'asked late'; readonly until: Promise<unknown> }
  /** The events are stored at once and the caller hears of it when the promise resolves. */
  | { readonly kind: 'answered late'; readonly until: Promise<unknown> }
  /** The events are stored and the caller never hears of it. */
  | { readonly kind: 'never answered' };

export interface FaultScript extends FaultPlan {
  /** The next append for which `where` holds meets this fault. Given twice, two appends do. */
  onAppend(fault: AppendFault, where?: (call: AppendCall) => boolean): void;
  /** The next read for which `where` holds fails. */
  onRead(fault?: unknown, where?: (call: ReadCall) => boolean): void;
  /** The next batch for which `where` holds ends its subscription. */
  onDelivery(delivery: 'lose' | 'drop', where?: (call: DeliveryCall) => boolean): void;
  /** The faults that have not been met. */
  pending(): number;
}

/** A plan written by a test, fault by fault: each is met once, in the order given. */
export function createFaultScript(): FaultScript {
  const appends = createLines<AppendCall, AppendFault>();
  const reads = createLines<ReadCall, { readonly fault: unknown }>();
  const deliveries = createLines<DeliveryCall, 'lose' | 'drop'>();
  const met = new WeakMap<AppendCall, AppendFault>();
  return {
    onAppend: appends.add,
    onRead: (fault, where) => {
      reads.add({ fault: fault ?? unavailable('safe') }, where);
    },
    onDelivery: deliveries.add,
    pending: () => appends.count() + reads.count() + deliveries.count(),
    beforeAppend: async (call) => {
      const fault = appends.take(call);
      if (fault === undefined) return;
      met.set(call, fault);
      if (fault.kind === 'not stored') throw asError(fault.fault ?? unavailable('unsafe'));
      if (fault.kind === 'asked late') await fault.until;
    },
    afterAppend: async (call, result) => {
      const fault = met.get(call);
      return fault === undefined ? result : answer(fault, result);
    },
    beforeRead: (call) => {
      const line = reads.take(call);
      if (line !== undefined) throw asError(line.fault);
    },
    beforeDelivery: (call) => deliveries.take(call) ?? 'deliver',
  };
}

async function answer(fault: AppendFault, result: AppendResult): Promise<AppendResult> {
  switch (fault.kind) {
    case 'stored, error raised':
      throw asError(fault.fault ?? unavailable('unsafe'));
    case 'stored, conflict told':
      return { kind: 'conflict', actual: senselessRevision };
    case 'answered late':
      await fault.until;
      return result;
    case 'never answered':
      return new Promise(() => undefined);
    case 'not stored':
    case 'asked late':
      return result;
  }
}

const senselessRevision = 4_294_967_295;

interface Lines<Call, Line> {
  readonly add: (line: Line, where?: (call: Call) => boolean) => void;
  readonly take: (call: Call) => Line | undefined;
  readonly count: () => number;
}

function createLines<Call, Line>(): Lines<Call, Line> {
  const lines: { readonly line: Line; readonly where: (call: Call) => boolean }[] = [];
  return {
    add: (line, where = () => true) => {
      lines.push({ line, where });
    },
    take: (call) => {
      const index = lines.findIndex(({ where }) => where(call));
      return index < 0 ? undefined : lines.splice(index, 1)[0]?.line;
    },
    count: () => lines.length,
  };
}

/** Both a lost request and a lost answer look like this to the caller. */
function unavailable(retry: 'safe' | 'unsafe'): StoreFault {
  return new StoreFault('store.unavailable', retry, 'The event store did not answer (injected).');
}

function asError(fault: unknown): Error {
  return fault instanceof Error ? fault : new Error(String(fault));
}
