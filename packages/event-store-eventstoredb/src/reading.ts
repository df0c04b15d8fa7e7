// Reads: of one stream, and of the log of all of them. The client's reads know no deadline: one that
// brings nothing for that long is given up. What other applications have stored is passed over.
import {
  BACKWARDS,
  type Direction,
  END,
  type EventStoreDBClient,
  FORWARDS,
  START,
} from '@eventstore/db-client';
import { type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Connection } from './connection.ts';
import { isStreamNotFound, mayBeNoPlace, readFault } from './faults.ts';
import { type Sight } from './sight.ts';
import { placeOf, positionOf, type ReadEvent, recordedEvent } from './wire.ts';

export interface Reading {
  /** From a revision on; empty where there is no such stream. At most `max` events. */
  stream(name: string, from: number, max?: number): Promise<readonly RecordedEvent[]>;
  /** The last events of a stream, in order. */
  tail(name: string, max: number): Promise<readonly RecordedEvent[]>;
  /** Of the ledger, after a position. */
  page(after: number, max: number): Promise<readonly RecordedEvent[]>;
  /** The last event of the ledger. */
  head(): Promise<RecordedEvent | undefined>;
  /** The place of the last event of the server, whoever has stored it; 0 where there is none. */
  end(): Promise<number>;
  /** Undefined where it is of another application, or was given up. @throws StoreFault as `recordedEvent` */
  own(event: ReadEvent | undefined): RecordedEvent | undefined;
  /** A stream beside those of the ledger. */
  beside(name: string): Promise<readonly ReadEvent[]>;
}

export interface ReadingDeps {
  readonly connection: Connection;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** Before the name of every stream of the ledger. */
  readonly prefix: string;
  /** Of a stream, the revision below which events were given up. */
  readonly cutBefore: (stream: string) => number;
  readonly sight: Pick<Sight, 'see'>;
}

/** Of all streams, read at a time on the way backwards to the last one of the ledger. */
const headPages = [1, 32, 512];
const backPage = 512;
/** Fewer are not worth a call, where most events are of other applications. */
const pageMin = 64;

export function createReading(deps: ReadingDeps): Reading {
  const { prefix } = deps;
  const all: ReadLog = (from, direction, maxCount) => readLog(deps, from, direction, maxCount);
  const recorded = (name: string, event: ReadEvent): RecordedEvent => {
    const found = recordedEvent(name, event);
    deps.sight.see(found);
    return found;
  };
  const own = (event: ReadEvent | undefined): RecordedEvent | undefined => {
    if (event?.streamId.startsWith(prefix) !== true) return undefined;
    const name = event.streamId.slice(prefix.length);
    return event.revision < BigInt(deps.cutBefore(name)) ? undefined : recorded(name, event);
  };
  return {
    stream: async (name, from, max) => {
      const fromRevision = BigInt(Math.max(from, deps.cutBefore(name)));
      const count = max === undefined ? {} : { maxCount: max };
      const events = await readStream(deps, prefix + name, { fromRevision, ...count });
      return inOneRun(
        name,
        events.map((event) => recorded(name, event)),
      );
    },
    tail: async (name, max) => {
      const options = { direction: BACKWARDS, fromRevision: END, maxCount: max } as const;
      const events = await readStream(deps, prefix + name, options);
      return inOneRun(name, events.map((event) => recorded(name, event)).reverse());
    },
    page: (after, max) => readPage(all, own, after, max),
    head: () => readHead(all, own),
    end: async () => positionOf((await all(END, BACKWARDS, 1))[0]?.position) ?? 0,
    own,
    beside: (name) => readStream(deps, name, {}),
  };
}

type Own = Reading['own'];
type ReadLog = (
  from: number | typeof END,
  direction: Direction,
  maxCount: number,
) => Promise<readonly ReadEvent[]>;

async function readPage(
  all: ReadLog,
  own: Own,
  after: number,
  max: number,
): Promise<readonly RecordedEvent[]> {
  try {
    return await readPageFrom(all, own, after, after, max);
  } catch (fault) {
    if (!isNoPlace(fault)) throw fault;
  }
  // Whoever has met the event that follows often asks for the place just before it.
  try {
    return await readPageFrom(all, own, after, after + 1, max);
  } catch (fault) {
    if (!isNoPlace(fault)) throw fault;
  }
  return readBack(all, own, after, max);
}

/** @param place of an event, not above the first that is wanted */
async function readPageFrom(
  all: ReadLog,
  own: Own,
  after: number,
  place: number,
  max: number,
): Promise<readonly RecordedEvent[]> {
  const found: RecordedEvent[] = [];
  let seen = after;
  for (let from = place; found.length < max; from = seen) {
    // The event at the place that was seen comes again.
    const wanted = Math.max(pageMin, max - found.length) + 1;
    const events = await all(from, FORWARDS, wanted);
    try {
      for (const event of events) {
        const one = isAfter(event, seen) ? own(event) : undefined;
        if (one !== undefined) found.push(one);
      }
    } catch (damage) {
      // What lies before it is sound, and the next page begins with it.
      if (found.length === 0) throw damage;
      break;
    }
    const end = positionOf(events.at(-1)?.position);
    if (events.length < wanted || end === undefined || end <= seen) break;
    seen = end;
  }
  return found.slice(0, max);
}

/** After a place where no event lies: from the end of the log, which is seldom far from there. */
async function readBack(
  all: ReadLog,
  own: Own,
  after: number,
  max: number,
): Promise<readonly RecordedEvent[]> {
  let found: RecordedEvent[] = [];
  for (let from: number | typeof END = END; ;) {
    const events: readonly ReadEvent[] = await all(from, BACKWARDS, backPage);
    const later = events.filter((event) => isAfter(event, after));
    const ours = later.map(own).filter((event) => event !== undefined);
    found = [...ours.reverse(), ...found].slice(0, max);
    const first = positionOf(events.at(-1)?.position);
    if (later.length < backPage || first === undefined) return found;
    from = first;
  }
}

function isNoPlace(fault: unknown): boolean {
  return fault instanceof StoreFault && mayBeNoPlace(fault.cause);
}

async function readHead(all: ReadLog, own: Own): Promise<RecordedEvent | undefined> {
  let from: number | typeof END = END;
  for (let page = 0; ; page += 1) {
    const wanted = headPages[Math.min(page, headPages.length - 1)] ?? 1;
    const events: readonly ReadEvent[] = await all(from, BACKWARDS, wanted);
    for (const event of events) {
      const last = own(event);
      if (last !== undefined) return last;
    }
    const first = positionOf(events.at(-1)?.position);
    if (events.length < wanted || first === undefined) return undefined;
    from = first;
  }
}

async function readStream(
  deps: ReadingDeps,
  stream: string,
  options: StreamOptions,
): Promise<readonly ReadEvent[]> {
  const { connection } = deps;
  const client = connection.client();
  const what = `Reading ${stream}`;
  const read = client.readStream(stream, { ...options, requiresLeader: true });
  return collect(deps, read, what).catch((error: unknown) => {
    if (isStreamNotFound(error)) return [];
    throw readFault(what, error);
  });
}

async function readLog(
  deps: ReadingDeps,
  from: number | typeof END,
  direction: Direction,
  maxCount: number,
): Promise<readonly ReadEvent[]> {
  const { connection } = deps;
  const client = connection.client();
  const what = 'Reading all streams';
  const fromPosition = from === END ? END : from === 0 ? START : placeOf(from);
  const read = client.readAll({ fromPosition, direction, maxCount, requiresLeader: true });
  return collect(deps, read, what).catch((error: unknown) => {
    throw readFault(what, error);
  });
}

interface StreamOptions {
  readonly fromRevision?: bigint | typeof END;
  readonly direction?: Direction;
  readonly maxCount?: number;
}

function isAfter({ position }: ReadEvent, after: number): boolean {
  const at = positionOf(position);
  return at === undefined || at > after;
}

/** Revisions have no gaps: what is missing was lost, or taken away by other means. */
function inOneRun(stream: string, events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  for (const [index, { revision, position }] of events.entries()) {
    const before = events[index - 1];
    if (before === undefined || revision === before.revision + 1) continue;
    throw new StoreFault(
      'store.corrupt',
      'never',
      `Revision ${before.revision + 1} of ${stream} is missing.`,
      { detail: { stream, revision: before.revision + 1, position } },
    );
  }
  return events;
}

type ReadStream =
  ReturnType<EventStoreDBClient['readAll']> | ReturnType<EventStoreDBClient['readStream']>;

/** All events of a read, in order. Cancels it where nothing comes within the deadline. */
function collect(
  { connection, runtime }: ReadingDeps,
  read: ReadStream,
  what: string,
): Promise<readonly ReadEvent[]> {
  return new Promise((resolve, reject) => {
    const events: ReadEvent[] = [];
    let limit: Timer | undefined;
    const giveUp = (): void => {
      reject(new Error(`${what} brought nothing within ${connection.deadlineMs} ms.`));
      read.cancel().catch(() => undefined);
    };
    const wait = (): void => {
      limit?.cancel();
      limit = runtime.timers.after(connection.deadlineMs, giveUp, { keepsAlive: true });
    };
    wait();
    read.on('data', ({ event }: { readonly event?: ReadEvent }) => {
      wait();
      if (event !== undefined) events.push(event);
    });
    read.on('error', (error) => {
      limit?.cancel();
      reject(error);
    });
    read.on('end', () => {
      limit?.cancel();
      resolve(events);
    });
  });
}
