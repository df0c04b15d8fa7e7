// The port to the event log: topics of records in partitions, read by groups of consumers. The order
// of a key is kept, since all records of a key are in one partition. A group's offset moves on only
// after its handler has resolved, so every record is handled at least once: after a crash, a
// rebalance or a reset it comes again. Nobody decides by the log: it says where to look, and who acts
// claims the action in its stream. So a handler resolves when its work is durable (the claim is
// appended), not when a call has been answered: a long call never holds a partition.

import { type EventPlace } from './event-place.ts';
import { type PoisonRecord } from './log-fault.ts';

export type Headers = Readonly<Record<string, string>>;

export interface NewRecord {
  readonly topic: string;
  /** What keeps its order: for actions the action id. Not empty. */
  readonly key: string;
  /** Undefined in a topic that keeps the latest record of a key: there is none any more. */
  readonly value: Uint8Array | undefined;
  readonly headers?: Headers;
  /**
   * Milliseconds since the Unix epoch; by default when it is published. Of proposals and dead letters a
   * broker may keep when they arrived instead.
   */
  readonly timestamp?: number;
}

export interface LogRecord {
  readonly topic: string;
  readonly partition: number;
  /** Rises within a partition, and may jump: a gap is no loss. Says nothing across partitions. */
  readonly offset: number;
  /** Empty where another program has published it without one. */
  readonly key: string;
  readonly value: Uint8Array | undefined;
  readonly headers: Headers;
  /** What the headers say, where the adapter has it at hand: ask `eventPlaceOf`. */
  readonly place?: EventPlace;
  /** 0 where it is not known. */
  readonly timestamp: number;
}

export interface Publisher {
  /**
   * Stored when it resolves, in the order given for each key. At most 1,000 records.
   * @throws LogFault with `retry: 'unsafe'` where some may have been stored: publish all of them
   *   again, since consumers ignore what is not newer; `'never'` with code `log.fenced` where a later
   *   publisher has the same name, or may have it: a publisher with a name may give it up after a failure
   */
  publish(records: readonly NewRecord[]): Promise<void>;
  close(): Promise<void>;
}

export interface PublisherOptions {
  /** Of the publishers of one name only the one opened last can publish. Without a name: any may. */
  readonly name?: string;
}

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface Assignment {
  /**
   * Rises with each assignment that this consumer gets. What was handed out under an older one is
   * not committed, even if the consumer has the partition again.
   */
  readonly generation: number;
  readonly partitions: readonly TopicPartition[];
}

/** How records reach a handler. */
export interface Delivery extends TopicPartition {
  readonly generation: number;
  /** 1 for the first, 2 where these records, or a batch that held them, failed once in this run, … */
  readonly attempt: number;
  /**
   * Aborted when the partition is lost: another consumer may have the same records by now, and what
   * this call still does will not be committed. Closing does not abort it: close waits.
   */
  readonly signal: AbortSignal;
  /**
   * This one record is to be put among the dead letters, the rest of the call is handled. It is stored when
   * the call has resolved, before anything is committed; where the call throws, it was not said.
   */
  readonly putAside: (record: LogRecord, poison: PoisonRecord) => void;
}

/**
 * Records of one partition in their order, one call at a time for each partition. When it resolves,
 * all of them are committed. When it throws, they come again after a pause, one by one, so that only
 * the one that fails is held against itself:
 * - an error with `retry: 'safe'` or `'unsafe'` says that the world broke; it is tried until it works;
 * - any other error counts; after `triesMax` of them the record is put among the dead letters;
 * - `PoisonRecord` says that no try can help, and puts it there at once.
 */
export type RecordHandler = (records: readonly LogRecord[], delivery: Delivery) => Promise<void>;

export interface RetryRules {
  /** Tries of one record before it becomes a dead letter. Default 5. */
  readonly triesMax?: number;
  /** The pause after the first failure, doubled by each further one. Default 100. */
  readonly pauseMinMs?: number;
  /** Default 5,000: whoever was away is asked soon after it is back. */
  readonly pauseMaxMs?: number;
}

export interface ConsumeOptions {
  readonly group: string;
  readonly topics: readonly string[];
  /**
   * Where the group starts in a partition that it has no offset for. `now` is kept when it is first
   * used, so that nothing published after that is missed. A group that must miss nothing takes `start`.
   */
  readonly from: 'start' | 'now';
  readonly handler: RecordHandler;
  /** Records in one call of the handler. Default 100. */
  readonly batchMax?: number;
  /**
   * Where it had come to the end and something is added, it waits so long for more, so that few calls
   * of the handler take much. Default 0. An adapter whose own fetching gathers may leave it out.
   */
  readonly lingerMs?: number;
  /**
   * Its handler does nothing about this event. An adapter that has the events themselves need not make
   * records of such; another one may hand them over.
   */
  readonly passesBy?: (event: Pick<EventPlace, 'stream' | 'revision' | 'type'>) => boolean;
  readonly retry?: RetryRules;
  readonly onAssigned?: (assignment: Assignment) => void;
  /** Also when it is closed. Comes before the next `onAssigned`. */
  readonly onRevoked?: (assignment: Assignment) => void;
  readonly onFault?: (fault: ConsumerFault) => void;
}

export type ConsumerFault =
  /** The handler threw; the records come again. */
  | (Failed & { readonly kind: 'handler'; readonly offset: number; readonly attempt: number })
  /** The record was put among the dead letters; the partition goes on. */
  | {
      readonly kind: 'dead letter';
      readonly record: LogRecord;
      readonly reason: string;
      readonly tries: number;
    }
  /** The handler resolved, but its partition was lost meanwhile: the records come again somewhere. */
  | (TopicPartition & {
      readonly kind: 'commit refused';
      readonly generation: number;
      readonly offset: number;
    })
  /** The log could not be read or written; it is tried again. */
  | (Failed & { readonly kind: 'log' })
  /** Records waited, and none of them came for so long, without an error. The consumer joins anew. */
  | (TopicPartition & {
      readonly kind: 'stalled';
      readonly lag: number;
      readonly silentMs: number;
    })
  /** The consumer has lost its brokers, and with them its partitions; it joins its group anew. */
  | { readonly kind: 'rejoin'; readonly error: unknown; readonly againInMs: number };

interface Failed extends TopicPartition {
  readonly error: unknown;
  readonly againInMs: number;
}

export interface Consumer {
  /** What it has at this moment. */
  assignment(): Assignment;
  /** No handler is called from now on, until `resume`; running ones go on, and partitions are kept. */
  pause(): void;
  resume(): void;
  /** Leaves the group once the running handlers have ended and are committed. Not bounded in time. */
  close(): Promise<void>;
}

export interface PartitionLag extends TopicPartition {
  /** The offset from which the group goes on; undefined where it has none yet. */
  readonly next: number | undefined;
  /** Never less than the records that wait, and 0 only when none does. */
  readonly lag: number;
}

export interface ResetRequest {
  readonly group: string;
  readonly topics: readonly string[];
  /** `start` is a replay: every record that the log still has comes again. */
  readonly to: 'start' | 'now';
}

export interface EventLog {
  openPublisher(options?: PublisherOptions): Promise<Publisher>;
  /**
   * Resolves when it has joined the group, which it then shares the partitions with.
   * @throws LogFault `log.unknown-topic`, `log.closed`, `log.invalid`, `log.unavailable`
   */
  consume(options: ConsumeOptions): Promise<Consumer>;
  /** For each partition of the topics, whether or not the group has a consumer. */
  lag(group: string, topics: readonly string[]): Promise<readonly PartitionLag[]>;
  /**
   * The last record of each partition of the topics that has one. Moves no offset of any group.
   * @throws LogFault `log.unknown-topic`, `log.closed`, `log.unavailable`
   */
  newest(topics: readonly string[]): Promise<readonly LogRecord[]>;
  /** @throws LogFault `log.group-in-use` while the group has consumers */
  reset(request: ResetRequest): Promise<void>;
  /** Closes its consumers first. */
  close(): Promise<void>;
}

/** Bounds that every adapter keeps. */
export const recordBytesMax = 768 * 1024;
export const recordsPerPublishMax = 1000;
export const batchMaxUsual = 100;
