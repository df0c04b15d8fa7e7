// A store whose positions have gaps of their own, seen as if it had none: its first event is at 1, the
// next at 2. The contract speaks of order and completeness in such numbers; what they count is read
// from the store itself, so that an event which reading all misses, or doubles, moves everything after it.
import {
  type AppendResult,
  type EventStore,
  type RecordedEvent,
  StoreFault,
  type Subscriber,
} from '@action-ledger/event-store';

/** The real positions, in order. A store that is opened again shares them. */
type Places = number[];

const pageMax = 500;
/** Far above every real position. */
const beyond = 1_000_000_000;

interface Opened {
  readonly store: EventStore;
  readonly reopen?: () => Promise<EventStore>;
}

export function counted<Given extends Opened>(opened: Given): Given {
  const places: Places = [];
  const { reopen } = opened;
  return {
    ...opened,
    store: countedStore(opened.store, places),
    ...(reopen === undefined ? {} : { reopen: async () => countedStore(await reopen(), places) }),
  };
}

function countedStore(store: EventStore, places: Places): EventStore {
  const index = createIndex(store, places);
  const renumber = async (event: RecordedEvent): Promise<RecordedEvent> => ({
    ...event,
    position: await index.countOf(event.position),
  });
  const renumberAll = (events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> =>
    Promise.all(events.map(renumber));
  return {
    ...store,
    append: async (...given) => renumberResult(await store.append(...given), index),
    readStream: async (...given) => renumberAll(await store.readStream(...given)),
    readAll: async ({ after, max }) =>
      renumberAll(await store.readAll({ after: await index.placeOf(after), max })),
    subscribe: (after, subscriber) => {
      // The contract never begins at a place that it has not met.
      const place = after === 0 ? 0 : (places[after - 1] ?? beyond);
      return store.subscribe(place, renumbered(subscriber, renumberAll));
    },
    head: async () => {
      const head = await store.head();
      return head === 0 ? 0 : index.countOf(head);
    },
  };
}

interface Index {
  /** 1 for the first. */
  countOf(position: number): Promise<number>;
  placeOf(count: number): Promise<number>;
}

function createIndex(store: EventStore, places: Places): Index {
  let reading: Promise<void> | undefined;
  const readOn = async (): Promise<void> => {
    for (;;) {
      const found = await store.readAll({ after: places.at(-1) ?? 0, max: pageMax });
      places.push(...found.map(({ position }) => position));
      if (found.length < pageMax) return;
    }
  };
  const catchUp = (): Promise<void> =>
    (reading ??= readOn().finally(() => {
      reading = undefined;
    }));
  return {
    countOf: async (position) => {
      // A reading that is under way may have passed the place before it was filled.
      for (let tries = 0; tries < 2 && (places.at(-1) ?? 0) < position; tries += 1) await catchUp();
      const at = find(places, position);
      if (at < 0) throw new Error(`Reading all does not give the event at ${position}.`);
      return at + 1;
    },
    placeOf: async (count) => {
      if (count === 0) return 0;
      if (count > places.length) await catchUp();
      return places[count - 1] ?? (places.at(-1) ?? 0) + beyond;
    },
  };
}

async function renumberResult(result: AppendResult, index: Index): Promise<AppendResult> {
  if (result.kind === 'conflict') return result;
  try {
    return { ...result, position: await index.countOf(result.position) };
  } catch (fault) {
    // The store was closed meanwhile: there is nothing to count in any more.
    if (fault instanceof StoreFault && fault.code === 'store.closed') return result;
    throw fault;
  }
}

function renumbered(
  subscriber: Subscriber,
  renumberAll: (events: readonly RecordedEvent[]) => Promise<readonly RecordedEvent[]>,
): Subscriber {
  return {
    ...subscriber,
    onEvents: async (events) => {
      await subscriber.onEvents(await renumberAll(events));
    },
  };
}

function find(places: Places, position: number): number {
  let low = 0;
  let high = places.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const place = places[middle] ?? 0;
    if (place === position) return middle;
    if (place < position) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
