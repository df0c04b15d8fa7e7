// `action.events` over the store: pages of one partition, from memory where the group has caught up
// and from the store where it is behind. What a damaged row held is passed over: it concerns its own
// stream only, and whoever checks the streams finds it.
import { type LogRecord, type Page, type PageRequest } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type TopicView } from './topic-view.ts';
import { type EventTail } from './event-tail.ts';
import { type Encode, recordOfEvent } from './record-of-event.ts';

export interface EventPage {
  /** Of one partition, in order. */
  readonly events: readonly RecordedEvent[];
  /** Up to this position (inclusive) there are no others. */
  readonly through: number;
}

export interface EventView extends TopicView {
  /** As many as are at hand; the caller cuts. */
  readonly events: (partition: number, from: number) => Promise<EventPage>;
}

export interface EventViewParts {
  readonly store: EventStore;
  readonly tail: EventTail;
  readonly encode: Encode;
}

export function createEventView({ store, tail, encode }: EventViewParts): EventView {
  const pages = createPages(store, tail.partitionOf);
  const find = async (partition: number, from: number): Promise<EventPage> => {
    const newest = tail.from(partition, from);
    if (newest !== undefined) return { events: newest, through: Math.max(tail.head(), from - 1) };
    const { eventsOf, through } = await pages.after(from - 1);
    return { events: eventsOf.get(partition) ?? [], through };
  };
  return {
    events: find,
    read: async ({ partition, from, max, passesBy }) => {
      const first = Math.max(from, 1);
      const { events, through } = await find(partition, first);
      const records: LogRecord[] = [];
      for (const event of events) {
        if (records.length === max) break;
        if (passesBy?.(event) !== true) records.push(recordOfEvent(event, partition, encode));
      }
      return pageOf(records, { from, max }, through);
    },
    end: async () => Math.max(await store.head(), tail.head()) + 1,
    waiting: async ({ partition }, from) => {
      const head = Math.max(await store.head(), tail.head());
      let next = Math.max(from, 1);
      if (head - next >= countedMax) return head - next + 1;
      let count = 0;
      while (next <= head) {
        const { events, through } = await find(partition, next);
        count += events.length;
        // What is stored but cannot be read yet may be of this partition.
        if (through < next) return count + head - next + 1;
        next = through + 1;
      }
      return count;
    },
  };
}

/** A group that is further behind is told how many events there are, of whatever partition. */
const countedMax = 1024;

/** @param through (inclusive) what is known of the partition */
export function pageOf(
  records: readonly LogRecord[],
  { from, max }: Pick<PageRequest, 'from' | 'max'>,
  through: number,
): Page {
  const last = records.at(-1);
  if (last !== undefined && records.length === max) return { records, next: last.offset + 1 };
  // Offset 0 is never taken: a log without events is read up to where it began.
  const next = through + 1;
  return { records, next: next > Math.max(from, 1) ? next : from };
}

/** Of all partitions. */
interface WholePage extends Pick<EventPage, 'through'> {
  readonly eventsOf: ReadonlyMap<number, readonly RecordedEvent[]>;
  /** Of its events. */
  readonly characters: number;
}

interface Pages {
  readonly after: (position: number) => Promise<WholePage>;
}

const pageEvents = 256;
/** Partitions that are behind are so at different places, as far apart as what is in memory reaches. */
const pagesKept = 64;
const charactersMax = 8 * 1024 * 1024;

/**
 * Pages end at multiples of their size, so that partitions which read through the same events, each
 * at its own pace, read most of them once together.
 */
function createPages(store: EventStore, partitionOf: EventTail['partitionOf']): Pages {
  /** Oldest first; of those that are being read the size is not known yet. */
  const kept = new Map<number, { readonly page: Promise<WholePage>; characters: number }>();
  let characters = 0;
  const forget = (position: number): void => {
    characters -= kept.get(position)?.characters ?? 0;
    kept.delete(position);
  };
  const keepWithin = (): void => {
    for (const position of kept.keys()) {
      if (kept.size <= pagesKept && characters <= charactersMax) return;
      forget(position);
    }
  };
  const read = async (position: number): Promise<WholePage> => {
    const page = inPartitions(await readPage(store, position), partitionOf);
    const mine = kept.get(position);
    if (mine === undefined) return page;
    characters += page.characters - mine.characters;
    mine.characters = page.characters;
    // What was read stays true, though more may have been appended since.
    if (page.through === position) forget(position);
    keepWithin();
    return page;
  };
  return {
    after: (position) => {
      const known = kept.get(position);
      if (known !== undefined) return known.page;
      const page = read(position).catch((error: unknown) => {
        forget(position);
        throw error;
      });
      kept.set(position, { page, characters: 0 });
      keepWithin();
      return page;
    },
  };
}

function inPartitions(
  { events, through }: EventPage,
  partitionOf: EventTail['partitionOf'],
): WholePage {
  const eventsOf = new Map<number, RecordedEvent[]>();
  let characters = 0;
  for (const event of events) {
    const partition = partitionOf(event);
    const list = eventsOf.get(partition);
    if (list === undefined) eventsOf.set(partition, [event]);
    else list.push(event);
    characters += event.data.length + event.metadata.length;
  }
  return { eventsOf, through, characters };
}

/** Where positions were given up, a page is as long as what was read: nothing is read for nothing. */
async function readPage(store: EventStore, after: number): Promise<EventPage> {
  const next = after - (after % pageEvents) + pageEvents;
  try {
    const read = await store.readAll({ after, max: next - after });
    const last = read.at(-1)?.position ?? after;
    const end = Math.max(next, last - (last % pageEvents));
    const events = read.filter(({ position }) => position <= end);
    const beyond = read[events.length];
    // Between what was read there is nothing.
    return { events, through: beyond === undefined ? last : beyond.position - 1 };
  } catch (error) {
    const through = error instanceof StoreFault ? error.detail['through'] : undefined;
    if (typeof through !== 'number' || through <= after) throw error;
    return { events: [], through };
  }
}
