// The event log of tests and simulations: the whole port in memory. It waits for no timer but the
// pauses of a failing handler, which are the runtime's, so that a run over it is repeatable.
import { type Runtime } from '@action-ledger/runtime';
import { checkRecords, unknownTopic } from './check-options.ts';
import {
  type ConsumeOptions,
  type EventLog,
  type LogRecord,
  type NewRecord,
  type Publisher,
  type TopicPartition,
} from './event-log.ts';
import { createGroups, type LocalConsumer } from './groups.ts';
import { LogFault, logClosed } from './log-fault.ts';
import { type LogSource, type OffsetStore } from './log-source.ts';
import { partitionOf } from './partition-of.ts';
import { actionTopics, deadLetterTopicOf } from './topics.ts';

export interface MemoryEventLogOptions {
  readonly runtime: Runtime;
  /** Of every topic. Default 4. */
  readonly partitions?: number;
  /** The `contents()` of another log: a restart. That one must be closed. */
  readonly contents?: MemoryLogContents;
}

/** What outlives a log: its records and the offsets of its groups. */
export interface MemoryLogContents {
  readonly topics: Topics;
  readonly offsets: OffsetStore;
}

export interface MemoryEventLog extends EventLog {
  consume(options: ConsumeOptions): Promise<LocalConsumer>;
  /** The next record of the partition has an offset so much higher: a gap, as brokers leave them. */
  leaveGap(place: TopicPartition, offsets: number): void;
  contents(): MemoryLogContents;
}

export function createMemoryEventLog(options: MemoryEventLogOptions): MemoryEventLog {
  const { runtime } = options;
  const contents = options.contents ?? {
    topics: createTopics(options.partitions ?? 4),
    offsets: createMemoryOffsets(),
  };
  const { topics } = contents;
  const lastNamed = new Map<string, Publisher>();
  let isClosed = false;

  const add = (record: NewRecord): void => {
    const { key, value, headers = {}, timestamp = runtime.clock.wallMs() } = record;
    const partitions = topics.of(record.topic);
    const partition = partitionOf(key, partitions.length);
    const place = { topic: record.topic, partition };
    partitions[partition]?.add({ ...place, key, value, headers, timestamp });
    groups.added(place);
  };
  const groups = createGroups({
    source: sourceOf(topics, add),
    offsets: contents.offsets,
    runtime,
  });
  const checkOpen = (): void => {
    if (isClosed) throw logClosed();
  };

  return {
    openPublisher: async ({ name } = {}) => {
      checkOpen();
      let isEnded = false;
      const publisher: Publisher = {
        publish: async (records) => {
          checkOpen();
          if (isEnded) throw logClosed();
          if (name !== undefined && lastNamed.get(name) !== publisher) throw fenced(name);
          checkRecords(records);
          for (const { topic } of records) topics.of(topic);
          records.forEach(add);
        },
        close: async () => {
          isEnded = true;
        },
      };
      if (name !== undefined) lastNamed.set(name, publisher);
      return publisher;
    },
    consume: groups.consume,
    lag: groups.lag,
    newest: groups.newest,
    reset: groups.reset,
    close: async () => {
      isClosed = true;
      await groups.close();
    },
    leaveGap: ({ topic, partition }, offsets) => {
      topics.of(topic)[partition]?.skip(offsets);
    },
    contents: () => contents,
  };
}

function fenced(name: string): LogFault {
  const message = `Another publisher has taken the name ${name}. Open a new one where this is the one that counts.`;
  return new LogFault('log.fenced', 'never', message);
}

interface Partition {
  readonly add: (record: Omit<LogRecord, 'offset'>) => void;
  readonly from: (offset: number, max: number) => readonly LogRecord[];
  readonly count: (from: number) => number;
  readonly end: () => number;
  readonly skip: (offsets: number) => void;
}

interface Topics {
  readonly find: (topic: string) => readonly Partition[] | undefined;
  /** @throws LogFault `log.unknown-topic` */
  readonly of: (topic: string) => readonly Partition[];
}

function createTopics(partitions: number): Topics {
  const names = Object.values(actionTopics);
  const all = new Map(
    [...names, ...names.map(deadLetterTopicOf)].map((topic) => [
      topic,
      Array.from({ length: partitions }, () =>
        createPartition({ isLatestOnly: topic === actionTopics.state }),
      ),
    ]),
  );
  return {
    find: (topic) => all.get(topic),
    of: (topic) => {
      const found = all.get(topic);
      if (found === undefined) throw unknownTopic(topic);
      return found;
    },
  };
}

function createPartition({ isLatestOnly }: { readonly isLatestOnly: boolean }): Partition {
  const records: LogRecord[] = [];
  const latest = new Map<string, number>();
  let end = 0;
  const isKept = (record: LogRecord): boolean =>
    !isLatestOnly || latest.get(record.key) === record.offset;
  const indexOf = (offset: number): number => {
    let low = 0;
    let high = records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((records[middle]?.offset ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (record) => {
      records.push({ ...record, offset: end });
      if (isLatestOnly) latest.set(record.key, end);
      end += 1;
    },
    from: (offset, max) => {
      const found: LogRecord[] = [];
      for (let index = indexOf(offset); index < records.length && found.length < max; index += 1) {
        const record = records[index];
        if (record !== undefined && isKept(record)) found.push(record);
      }
      return found;
    },
    count: (from) =>
      isLatestOnly
        ? records.slice(indexOf(from)).filter(isKept).length
        : records.length - indexOf(from),
    end: () => end,
    skip: (offsets) => {
      end += offsets;
    },
  };
}

function sourceOf(topics: Topics, add: (record: NewRecord) => void): LogSource {
  const find = ({ topic, partition }: TopicPartition): Partition => {
    const found = topics.of(topic)[partition];
    if (found === undefined) throw unknownTopic(`${topic}/${partition}`);
    return found;
  };
  return {
    partitions: (topic) => topics.find(topic)?.length,
    read: async ({ from, max, ...place }) => {
      const partition = find(place);
      const records = partition.from(from, max);
      const last = records.at(-1);
      const isAll = records.length < max;
      return { records, next: isAll || last === undefined ? partition.end() : last.offset + 1 };
    },
    end: async (place) => find(place).end(),
    waiting: async (place, from) => find(place).count(from),
    publishDeadLetter: async (record) => {
      add(record);
    },
  };
}

/** Offsets that live as long as the process. */
function createMemoryOffsets(): OffsetStore {
  const offsets = new Map<string, number>();
  const keyOf = (group: string, { topic, partition }: TopicPartition): string =>
    `${group}/${topic}/${partition}`;
  return {
    get: (group, place) => offsets.get(keyOf(group, place)),
    set: (group, place, next) => {
      offsets.set(keyOf(group, place), next);
    },
    flush: async () => undefined,
  };
}
