// What ties rows to streams, without the events in them: the links from row to row, and the ends of
// streams by the index's table. For a check of the whole file; what no append has written is left out.
import { type DatabaseSync } from 'node:sqlite';
import { soundRow } from './event-table.ts';
import { type EventRow } from './row-text.ts';

export type RowLink = Omit<EventRow, 'events'>;

export interface StreamEnd {
  readonly name: string;
  /** The position of its last row, as the table says. */
  readonly last: number;
}

export interface RowLinks {
  /** Rows after this position, in order. */
  rowsAfter(position: number, max: number): readonly RowLink[];
  /** Streams after this name, in the order of names. */
  endsAfter(name: string, max: number): readonly StreamEnd[];
}

type LinkColumns = readonly [number, string, number, number, number | null];

export function createRowLinks(db: DatabaseSync): RowLinks {
  const rows = db.prepare(`
    select position, stream, revision, count, previous from events
    where position > ? and ${soundRow} order by position limit ?`);
  const ends = db.prepare(`
    select name, last from streams
    where name > ? and typeof(name) = 'text' and typeof(last) = 'integer' order by name limit ?`);
  rows.setReturnArrays(true);
  ends.setReturnArrays(true);
  return {
    rowsAfter: (position, max) =>
      (rows.all(position, max) as unknown as readonly LinkColumns[]).map(linkOf),
    endsAfter: (name, max) =>
      (ends.all(name, max) as unknown as readonly (readonly [string, number])[]).map(
        ([stream, last]) => ({ name: stream, last }),
      ),
  };
}

function linkOf([position, stream, revision, count, previous]: LinkColumns): RowLink {
  return { position, stream, revision, count, previous };
}
