// The event store of tests and simulations: the whole port in memory, with the same append rules,
// bounds and faults as the durable adapters. It takes no time, waits for no timer and touches no
// clock, so that a run over it is repeatable. Faults are added by a wrapper in the testkit.
import { checkAppend, checkStreamName } from './check-append.ts';
import {
  type EventStore,
  type GivenUp,
  type RecordedEvent,
  type StoreCondition,
} from './event-store.ts';
import { createMemoryLog } from './memory-log.ts';
import { StoreFault } from './store-fault.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface MemoryEventStoreOptions {
  /** What the store holds at the start, positions 1, 2, 3 …: the `events()` of another one. */
  readonly events?: readonly RecordedEvent[];
  /** What was given up before: the `allGivenUp()` of another one. */
  readonly givenUp?: readonly GivenUp[];
  /** The highest position the store was known to hold; above its head, it opens `recovering`. */
  readonly mark?: number;
}

export interface MemoryEventStore extends EventStore {
  /** All events stored, to open another store with: a backup, a restart, a truncated log. */
  events(): readonly RecordedEvent[];
  allGivenUp(): readonly GivenUp[];
}

export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): MemoryEventStore {
  const log = createMemoryLog(options.events ?? [], options.givenUp ?? []);
  let condition = conditionOf(log.head(), options.mark ?? 0);
  const subscriptions = createSubscriptions({
    readAll: async (range) => log.page(range),
    head: log.head,
    pause: () => Promise.resolve(),
  });
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw new StoreFault('store.closed', 'never', 'The event store is closed.');
  };

  return {
    append: async (stream, expected, events) => {
      checkOpen();
      checkAppend(stream, expected, events);
      const { result, written } = log.append(stream, expected, events);
      if (written.length > 0) subscriptions.publish(written);
      return result;
    },
    readStream: async (stream, from = 0) => {
      checkOpen();
      checkStreamName(stream);
      return log.stream(stream, from);
    },
    truncate: async (cuts) => {
      checkOpen();
      log.truncate(cuts);
    },
    givenUp: async (range) => {
      checkOpen();
      return log.givenUp(range);
    },
    readAll: async (range) => {
      checkOpen();
      return log.page(range);
    },
    subscribe: (after, subscriber) => {
      checkOpen();
      return subscriptions.subscribe(after, subscriber);
    },
    head: async () => {
      checkOpen();
      return log.head();
    },
    condition: () => condition,
    confirmRecovered: async () => {
      checkOpen();
      condition = { kind: 'ready' };
    },
    close: async () => {
      isClosed = true;
      subscriptions.end(new StoreFault('store.closed', 'never', 'The event store was closed.'));
    },
    events: log.events,
    allGivenUp: () => log.givenUp(),
  };
}

function conditionOf(head: number, mark: number): StoreCondition {
  if (mark <= head) return { kind: 'ready' };
  const reason = `The store ends at position ${head}, but was known to hold ${mark}.`;
  return { kind: 'recovering', reason, mark, head };
}
