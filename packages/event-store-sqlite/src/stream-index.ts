// Where a stream ends and what it holds, by the unique index over stream and revision.
import { type DatabaseSync } from 'node:sqlite';
import { type EventRow } from './row-text.ts';

export interface StreamHead {
  /** The last revision. */
  readonly revision: number;
}

export interface StreamIndex {
  head(stream: string): StreamHead | undefined;
  /** The rows that hold revisions >= `from`, in order. */
  rows(stream: string, from: number): readonly EventRow[];
  /** A row was inserted in the transaction that is open. */
  add(stream: string, head: StreamHead): void;
  /** Writes what the index must keep into the open transaction. @param head before it */
  store(head: number): void;
  /** The transaction was committed. */
  keep(): void;
  /** The transaction was rolled back. */
  forget(): void;
  /** Another connection has written. */
  reload(): void;
}

export function createStreamIndex(db: DatabaseSync): StreamIndex {
  const head = db.prepare(
    'select revision + count - 1 as revision from events where stream = ? order by revision desc limit 1',
  );
  const rows = db.prepare(
    'select position, stream, revision, count, events from events where stream = ? and revision + count > ? order by revision',
  );
  const nothing = (): void => undefined;
  return {
    head: (stream) => head.get(stream) as unknown as StreamHead | undefined,
    rows: (stream, from) => rows.all(stream, from) as unknown as readonly EventRow[],
    add: nothing,
    store: nothing,
    keep: nothing,
    forget: nothing,
    reload: nothing,
  };
}
