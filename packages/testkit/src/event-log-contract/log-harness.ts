// What every part of the event log contract works with: a fresh log per test, closed and removed
// afterwards, events to put into it, and consumers that note what they handle.
import {
  actionTopics,
  type Assignment,
  type Consumer,
  type ConsumeOptions,
  type ConsumerFault,
  type Delivery,
  type EventLog,
  eventPlaceOf,
  type LogRecord,
  type PartitionLag,
  type RecordHandler,
} from '@action-ledger/event-log';

export interface OpenedEventLog {
  readonly log: EventLog;
  /**
   * Puts one event for each name into `action.events`, in this order: of the stream of that name, with
   * the next revision from 0 and the stream as key. Resolves when they are stored.
   */
  readonly feed: (streams: readonly string[]) => Promise<void>;
  /** The process of the consumer dies: it commits and tells nothing any more. */
  readonly kill: (consumer: Consumer) => Promise<void>;
  /** Lets offsets jump where the log does not do so by itself. */
  readonly leaveGap: () => Promise<void>;
  /** Closes the log and opens another over what it has kept. */
  readonly reopen: () => Promise<EventLog>;
  /** Removes what the log has left behind. */
  readonly dispose?: () => Promise<void>;
}

export type OpenEventLog = () => Promise<OpenedEventLog>;

/** Runs one test against a log of its own. */
export type WithLog = (
  test: (log: EventLog, opened: OpenedEventLog) => Promise<void>,
) => () => Promise<void>;

export function withLogFrom(open: OpenEventLog): WithLog {
  return (test) => async () => {
    const opened = await open();
    try {
      await test(opened.log, opened);
    } finally {
      await opened.log.close();
      await opened.dispose?.();
    }
  };
}

export const events = actionTopics.events;

/** Short, because it passes in real time. */
export const quick = { triesMax: 3, pauseMinMs: 2, pauseMaxMs: 5 };

export interface Following extends Consumer {
  /** Handed to the handler, in this order, each time. */
  readonly delivered: readonly LogRecord[];
  /** Those for which the handler has resolved. */
  readonly handled: readonly LogRecord[];
  readonly deliveries: readonly Delivery[];
  readonly faults: readonly ConsumerFault[];
  readonly notices: readonly string[];
  readonly assignments: readonly Assignment[];
  /** Resolves once this holds; looked at whenever something has happened. */
  until(holds: () => boolean): Promise<void>;
  /** Resolves once so many different records were handled. */
  untilHandled(count: number): Promise<void>;
}

type FollowOptions = Partial<Omit<ConsumeOptions, 'handler'>> & {
  readonly handle?: RecordHandler;
};

export async function follow(log: EventLog, options: FollowOptions = {}): Promise<Following> {
  const { handle, onAssigned, onRevoked, onFault, ...others } = options;
  const notes = createNotes();
  const consumer = await log.consume({
    group: 'group',
    topics: [events],
    from: 'start',
    retry: quick,
    ...others,
    handler: async (records, delivery) => {
      notes.add(() => {
        notes.delivered.push(...records);
        notes.deliveries.push(delivery);
      });
      await handle?.(records, delivery);
      notes.add(() => notes.handled.push(...records));
    },
    onAssigned: (assignment) => {
      notes.add(() => {
        notes.notices.push(`assigned ${assignment.generation}`);
        notes.assignments.push(assignment);
      });
      onAssigned?.(assignment);
    },
    onRevoked: (assignment) => {
      notes.add(() => notes.notices.push(`revoked ${assignment.generation}`));
      onRevoked?.(assignment);
    },
    onFault: (fault) => {
      notes.add(() => notes.faults.push(fault));
      onFault?.(fault);
    },
  });
  return {
    ...notes,
    assignment: () => consumer.assignment(),
    pause: () => {
      consumer.pause();
    },
    resume: () => {
      consumer.resume();
    },
    close: () => consumer.close(),
    // The consumer itself, for whoever must reach behind it.
    ...{ consumer },
  };
}

/** What `follow` wraps. */
export function consumerOf(following: Following): Consumer {
  return (following as Following & { readonly consumer: Consumer }).consumer;
}

function createNotes() {
  const waiting = new Set<() => void>();
  const handled: LogRecord[] = [];
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  return {
    delivered: [] as LogRecord[],
    handled,
    deliveries: [] as Delivery[],
    faults: [] as ConsumerFault[],
    notices: [] as string[],
    assignments: [] as Assignment[],
    add: (note: () => unknown): void => {
      note();
      for (const look of [...waiting]) look();
    },
    until,
    untilHandled: (count: number) =>
      until(() => handled.length >= count && new Set(handled.map(placeOf)).size >= count),
  };
}

export function placeOf({ topic, partition, offset }: LogRecord): string {
  return `${topic}/${partition}/${offset}`;
}

/** `stream:revision` of each record. */
export function names(records: readonly LogRecord[]): readonly string[] {
  return records.map((record) => {
    const place = eventPlaceOf(record);
    return place === undefined ? '?' : `${place.stream}:${place.revision}`;
  });
}

export function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort();
}

/** `name-0` … : so many streams. */
export function streams(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${index}`);
}

/** Revisions of each stream, in the order in which its records came. */
export function revisionsByStream(records: readonly LogRecord[]): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const record of records) {
    const place = eventPlaceOf(record);
    if (place === undefined) continue;
    const revisions = found.get(place.stream);
    if (revisions === undefined) found.set(place.stream, [place.revision]);
    else revisions.push(place.revision);
  }
  return found;
}

export async function totalLag(log: EventLog, group = 'group'): Promise<number> {
  const lags = await log.lag(group, [events]);
  return lags.reduce((sum, each) => sum + each.lag, 0);
}

/** How many streams the partition holds, read by another group; the topic has so many records. */
export async function streamsIn(
  log: EventLog,
  partition: number | undefined,
  records: number,
): Promise<number> {
  const other = await follow(log, { group: 'other' });
  await other.untilHandled(records);
  await other.close();
  const there = other.handled.filter((record) => record.partition === partition);
  return new Set(there.map(({ key }) => key)).size;
}

/** Of the partitions that hold one of these records. */
export function lagAt(
  lags: readonly PartitionLag[],
  record: LogRecord | undefined,
): PartitionLag | undefined {
  return lags.find(({ partition }) => partition === record?.partition);
}

/** A door that opens once. */
export function createGate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

/** Lets everything go on that needs no time to pass. */
export async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
  }
}
