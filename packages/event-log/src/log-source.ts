// What an adapter gives whose consumers all run in its own process: the records, and a place for the
// offsets. Membership, generations and delivery are the same for all of them (`createGroups`).
import {
  type ConsumeOptions,
  type LogRecord,
  type NewRecord,
  type TopicPartition,
} from './event-log.ts';

export interface PageRequest extends TopicPartition, Pick<ConsumeOptions, 'passesBy'> {
  /** Inclusive. */
  readonly from: number;
  readonly max: number;
}

export interface Page {
  /** At most `max` with offset >= `from`, in order; those that are passed by may be missing. */
  readonly records: readonly LogRecord[];
  /** Up to here (exclusive) everything is in `records`; `from` where nothing is known beyond it. */
  readonly next: number;
}

export interface LogSource {
  /** Undefined where there is no such topic. */
  partitions(topic: string): number | undefined;
  read(request: PageRequest): Promise<Page>;
  /** The offset that the next record will have at least. */
  end(place: TopicPartition): Promise<number>;
  /** Never less than the records from `from` on, and 0 only where there are none. */
  waiting(place: TopicPartition, from: number): Promise<number>;
  /** Stored when it resolves, though it breaks the bounds of publishing. */
  publishDeadLetter(record: NewRecord): Promise<void>;
}

export interface OffsetStore {
  /** The offset from which the group goes on. */
  get(group: string, place: TopicPartition): number | undefined;
  /** May be written later: what is lost of it brings records again. */
  set(group: string, place: TopicPartition, next: number): void;
  /** What was set is durable when it resolves. */
  flush(): Promise<void>;
}
