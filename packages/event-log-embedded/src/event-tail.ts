// The newest events of the store by partition, held in memory by one subscription for all groups: who
// has caught up reads nothing from the store. Bounded; whoever is further behind reads the store.
import { keyOfStream } from '@action-ledger/codec';
import { partitionOf, pauseAfter } from '@action-ledger/event-log';
import {
  type EventStore,
  type RecordedEvent,
  StoreFault,
  type Subscription,
} from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Seen } from './log-file.ts';

export interface EventTail {
  /** Events of the partition from this position on; undefined where it does not reach back so far. */
  readonly from: (partition: number, position: number) => readonly RecordedEvent[] | undefined;
  readonly partitionOf: (event: RecordedEvent) => number;
  /** Everything up to this position was seen. */
  readonly head: () => number;
  /** The last event known. */
  readonly seen: () => Seen | undefined;
  readonly close: () => void;
}

export interface EventTailParts {
  readonly store: EventStore;
  /** Where the store ended when it was looked at. */
  readonly after: number;
  readonly last: Seen | undefined;
  readonly partitionsCount: number;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** Something was added there, or it is known by now that for long nothing was. */
  readonly onAdded: (partition: number) => void;
  readonly tellFault: (where: string, fault: unknown) => void;
}

const eventsPerPartitionMax = 1024;
/** A partition in which nothing happens moves on too, so that a restart does not read all of that again. */
const idlePositionsMax = 256;
const charactersMax = 8 * 1024 * 1024;

export function createEventTail(parts: EventTailParts): EventTail {
  const newest = createNewest(parts.partitionsCount, parts.after);
  const toldAt = Array.from({ length: parts.partitionsCount }, () => parts.after);
  let seen = parts.last;
  let head = parts.after;
  const subscription = keepSubscribed({
    ...parts,
    position: () => head,
    onEvents: (events) => {
      const touched = new Set<number>();
      for (const event of events) {
        touched.add(newest.add(event));
        head = event.position;
        seen = { position: event.position, id: event.id };
      }
      toldAt.forEach((position, partition) => {
        if (!touched.has(partition) && head - position < idlePositionsMax) return;
        toldAt[partition] = head;
        parts.onAdded(partition);
      });
    },
  });
  return {
    from: newest.from,
    partitionOf: newest.partitionOf,
    head: () => head,
    seen: () => seen,
    close: () => {
      subscription.close();
    },
  };
}

interface Newest {
  readonly add: (event: RecordedEvent) => number;
  readonly from: EventTail['from'];
  readonly partitionOf: EventTail['partitionOf'];
}

function createNewest(partitions: number, after: number): Newest {
  const lists = Array.from({ length: partitions }, () => ({
    events: [] as RecordedEvent[],
    /** From this position on nothing is missing. */
    floor: after + 1,
  }));
  let characters = 0;
  const forget = (list: { events: RecordedEvent[]; floor: number }, count: number): void => {
    const last = list.events[count - 1];
    if (last === undefined) return;
    for (const event of list.events.slice(0, count)) characters -= sizeOf(event);
    list.events = list.events.slice(count);
    list.floor = last.position + 1;
  };
  const find = (event: RecordedEvent): number => partitionOf(keyOfStream(event.stream), partitions);
  return {
    partitionOf: find,
    add: (event) => {
      const partition = find(event);
      const list = lists[partition];
      if (list === undefined) return partition;
      list.events.push(event);
      characters += sizeOf(event);
      // In large steps, so that forgetting costs little for each event.
      if (list.events.length > eventsPerPartitionMax) forget(list, eventsPerPartitionMax / 2);
      if (characters > charactersMax) {
        for (const each of lists) forget(each, each.events.length);
      }
      return partition;
    },
    from: (partition, position) => {
      const list = lists[partition];
      if (list === undefined || position < list.floor) return undefined;
      return list.events.slice(indexOf(list.events, position));
    },
  };
}

function indexOf(events: readonly RecordedEvent[], position: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.position ?? 0) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function sizeOf(event: RecordedEvent): number {
  return event.data.length + event.metadata.length;
}

interface Subscribing extends Pick<EventTailParts, 'store' | 'runtime' | 'tellFault'> {
  readonly position: () => number;
  readonly onEvents: (events: readonly RecordedEvent[]) => void;
}

const lookEveryMs = 5_000;

/** A subscription that ends, with or without a word, is begun again where it stood. */
function keepSubscribed(parts: Subscribing): Subscription {
  const { store, runtime, tellFault, position } = parts;
  let failures = 0;
  let pausing: Timer | undefined;
  let looking: Timer | undefined;
  let subscription: Subscription | undefined;
  let isOpen = true;
  const dropped = (fault: unknown): void => {
    if (!isOpen || (fault instanceof StoreFault && fault.code === 'store.closed')) return;
    failures += 1;
    tellFault('following the store', fault);
    pausing = runtime.timers.after(pauseAfter(failures, {}), begin);
  };
  const begin = (): void => {
    pausing = undefined;
    try {
      subscription = store.subscribe(position(), {
        onEvents: (events) => {
          failures = 0;
          parts.onEvents(events);
        },
        onDropped: dropped,
      });
    } catch (fault) {
      dropped(fault);
    }
  };
  const lookLater = (lastPosition: number): void => {
    looking = runtime.timers.after(lookEveryMs, () => void look(lastPosition));
  };
  const look = async (lastPosition: number): Promise<void> => {
    const stored = await store.head().catch(() => 0);
    if (!isOpen) return;
    if (pausing === undefined && position() === lastPosition && stored > lastPosition) {
      subscription?.close();
      dropped(new Error(`Nothing was told of what lies after position ${lastPosition}.`));
    }
    lookLater(position());
  };
  begin();
  lookLater(position());
  return {
    close: () => {
      isOpen = false;
      pausing?.cancel();
      looking?.cancel();
      subscription?.close();
    },
  };
}
