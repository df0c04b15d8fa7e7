// The event store of tests and simulations: the whole port in memory, with the same append rules,
// bounds and faults as the durable adapters. It takes no time, waits for no timer and touches no
// clock, so that a run over it is repeatable. Faults are added by a wrapper in the testkit.
import { decideAppend } from './append-rules.ts';
import { checkAppend, checkStreamName } from './check-append.ts';
import {
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  type NewEvent,
  type ReadAllOptions,
  type RecordedEvent,
  type StoreCondition,
} from './event-store.ts';
import { StoreFault } from './store-fault.ts';
import { createSubscriptions } from './subscriptions.ts';

export interface MemoryEventStoreOptions {
  /** What the store holds at the start, positions 1, 2, 3 …: the `events()` of another one. */
  readonly events?: readonly RecordedEvent[];
  /** The highest position the store was known to hold; above its head, it opens `recovering`. */
  readonly mark?: number;
}

export interface MemoryEventStore extends EventStore {
  /** All events stored, to open another store with: a backup, a restart, a truncated log. */
  events(): readonly RecordedEvent[];
}

export function createMemoryEventStore(options: MemoryEventStoreOptions = {}): MemoryEventStore {
  const log = createLog(options.events ?? []);
  let condition = conditionOf(log.all.length, options.mark ?? 0);
  const subscriptions = createSubscriptions({
    readAll: async (range) => log.page(range),
    head: () => log.all.length,
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
      return log.stream(stream).slice(Math.max(0, from));
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
      return log.all.length;
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
    events: () => [...log.all],
  };
}

interface Log {
  readonly all: readonly RecordedEvent[];
  page(range: ReadAllOptions): readonly RecordedEvent[];
  stream(name: string): readonly RecordedEvent[];
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): { readonly result: AppendResult; readonly written: readonly RecordedEvent[] };
}

function createLog(initial: readonly RecordedEvent[]): Log {
  const all: RecordedEvent[] = [];
  const streams = new Map<string, RecordedEvent[]>();
  const add = (event: RecordedEvent): void => {
    all.push(event);
    const stored = streams.get(event.stream);
    if (stored === undefined) streams.set(event.stream, [event]);
    else stored.push(event);
  };
  initial.forEach(add);

  return {
    all,
    page: ({ after, max }) => all.slice(Math.max(0, after), Math.max(0, after) + max),
    stream: (name) => streams.get(name) ?? [],
    append: (stream, expected, events) => {
      const stored = streams.get(stream) ?? [];
      const last = stored.at(-1)?.revision;
      const decision = decideAppend(last, expected, events, (from, count) =>
        stored.slice(from, from + count).map((event) => event.id),
      );
      switch (decision.kind) {
        case 'conflict':
          return { result: { kind: 'conflict', actual: last }, written: [] };
        case 'repeat':
          return { result: appended(stored[decision.lastRevision], true), written: [] };
        case 'write': {
          const written = events.map(({ id, type, data, metadata }, index) => {
            const revision = decision.firstRevision + index;
            return { id, type, data, metadata, stream, revision, position: all.length + 1 + index };
          });
          written.forEach(add);
          return { result: appended(written.at(-1), false), written };
        }
      }
    },
  };
}

function appended(last: RecordedEvent | undefined, repeated: boolean): AppendResult {
  if (last === undefined) throw new Error('An append decided upon has a last event.');
  return { kind: 'appended', revision: last.revision, position: last.position, repeated };
}

function conditionOf(head: number, mark: number): StoreCondition {
  if (mark <= head) return { kind: 'ready' };
  const reason = `The store ends at position ${head}, but was known to hold ${mark}.`;
  return { kind: 'recovering', reason, mark, head };
}
