// The rows of a stream: each append points to the one before it, and the table `streams` to the
// last. That table is merged in batches and may lag behind; the rows after `indexed-through` say
// what it lacks, and whoever opens the file reads those.
import { type DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';
import { type EventTable, soundRow } from './event-table.ts';
import { createIndexTallies, type IndexCount, type IndexTallies, isAsSaid } from './index-tally.ts';
import { type EventRow } from './row-text.ts';

export interface StreamHead {
  /** The last revision. */
  readonly revision: number;
  /** The position of the row that holds it. */
  readonly last: number;
}

/** What reading a stream needs of an index. */
export interface StreamRows {
  /** The rows that hold revisions >= `from`, in order. */
  rows(stream: string, from: number): readonly EventRow[];
  /** What the table holds, for a check of it. */
  entries(after: string, max: number): readonly IndexEntry[];
}

export interface Examined {
  /** Up to where the table goes; undefined where the file does not say so any more. */
  readonly through: number | undefined;
  /** The table is what was written into it. */
  readonly isWhole: boolean;
  /** Streams whose entry was deleted or set back by hand, with the position of their last row. */
  readonly unindexed: ReadonlyMap<string, number>;
  /** What the table should hold. */
  readonly count: IndexCount;
}

interface TailFound {
  /** What was seen of the stream before, in the tail. */
  readonly head: (stream: string) => StreamHead | undefined;
  /** @param indexed what the table names as the end, null where it lacks the stream */
  readonly visit: (stream: string, head: StreamHead, indexed: number | null) => void;
  /** The row at this position shows that the stream does not hold together: a row of it was moved. */
  readonly lost: (stream: string, position: number) => void;
}

export interface IndexTable {
  /** The position of the stream's last row, by the table alone. */
  last(stream: string): number | undefined;
  /** The same with its revision. @throws StoreFault `store.corrupt` where the row is missing */
  head(stream: string): StreamHead | undefined;
  readonly tallies: IndexTallies;
  /** Counts the table; reads all rows where the count is not what it should be. */
  examined(): Examined;
  /** All appends after this position are to be found by their rows, not by the table. */
  indexedThrough(): number;
  /** The ends of all appends after `position`, in order. */
  tail(position: number, found: TailFound): void;
  /** The same without those that the table knows: of a table of which is not known how far it goes. */
  uncoveredTail(found: TailFound): void;
  /** Entries of the table after this name, in the order of names, each with the stream at its end. */
  entries(after: string, max: number): readonly IndexEntry[];
  /** Walks back from the last row. @throws StoreFault `store.corrupt` where a row is missing */
  walk(stream: string, last: number, from: number): readonly EventRow[];
}

export interface IndexEntry {
  readonly name: string;
  readonly last: number;
  /** Whose row is there; null where there is none. */
  readonly stream: string | null;
}

const tailPage = 4096;

export function createIndexTable(db: DatabaseSync, table: EventTable): IndexTable {
  const lastOf = db.prepare('select last from streams where name = ?');
  const tallies = createIndexTallies(db);
  const rowsAfter = visitRows(db, 'true');
  const uncoveredAfter = visitRows(
    db,
    'not exists (select 1 from streams where name = stream and last >= position)',
  );

  const entries = db.prepare(`
    select name, last, stream
    from (select name, last from streams where name > ? order by name limit ?)
    left join events on position = last order by name`);

  const last = (stream: string): number | undefined =>
    (lastOf.get(stream) as { readonly last: number } | undefined)?.last;

  return {
    last,
    head: (stream) => {
      const position = last(stream);
      if (position === undefined) return undefined;
      const row = table.rowAt(position);
      if (row?.stream !== stream) throw missingRow(stream, position);
      return { revision: row.revision + row.count - 1, last: position };
    },
    tallies,
    indexedThrough: () => tallies.said()?.through ?? 0,
    tail: (position, found) => {
      rowsAfter(position, (row) => {
        place(table, last, row, found);
      });
    },
    uncoveredTail: (found) => {
      uncoveredAfter(0, (row) => {
        place(table, last, row, found);
      });
    },
    examined: () => {
      const said = tallies.said();
      const counted = tallies.counted();
      const isWhole = said !== undefined && isAsSaid(said, counted);
      const unindexed = new Map<string, number>();
      if (said !== undefined && !isWhole) {
        uncoveredAfter(0, ([position, stream]) => {
          if (position <= said.through) unindexed.set(stream, position);
        });
      }
      // A table in which every row is to be found counts as it is.
      const count = said !== undefined && unindexed.size > 0 ? said : counted;
      return { through: said?.through, isWhole, unindexed, count };
    },
    entries: (after, max) => entries.all(after, max) as unknown as readonly IndexEntry[],
    walk: (stream, end, from) => walk(table, stream, end, from),
  };
}

/** Position, stream, revision, count, previous. */
type TailColumns = readonly [number, string, number, number, number | null];

/** Visits the rows after a position for which it is so, in order, a page at a time. */
function visitRows(
  db: DatabaseSync,
  where: string,
): (after: number, visit: (row: TailColumns) => void) => void {
  const page = db.prepare(`
    select position, stream, revision, count, previous from events
    where position > ? and ${soundRow} and ${where} order by position limit ${tailPage}`);
  page.setReturnArrays(true);
  return (after, visit) => {
    for (let from = after; ;) {
      const rows = page.all(from) as unknown as readonly TailColumns[];
      for (const row of rows) visit(row);
      if (rows.length < tailPage) return;
      from = rows.at(-1)?.[0] ?? from;
    }
  };
}

/** A row that does not go on where its stream ends was renamed, moved or copied. */
function place(
  table: EventTable,
  last: IndexTable['last'],
  row: TailColumns,
  found: TailFound,
): void {
  const [position, stream, revision, count] = row;
  const seen = found.head(stream);
  const end = seen?.last ?? last(stream);
  // Merged already: what the table says of it is checked when it is read.
  const isMerged = seen === undefined && end !== undefined && end >= position;
  if (isMerged || goesOn(row, seen, end)) {
    found.visit(stream, { revision: revision + count - 1, last: position }, end ?? null);
    return;
  }
  const known = seen?.revision ?? revisionAt(table, end, stream);
  // A copy of what the stream has anyway is passed over.
  if (revision > known) lose(table, row, found);
}

/** Both may lack it: the stream whose name it bears, and that of the row before it. */
function lose(
  table: EventTable,
  [position, stream, , , previous]: TailColumns,
  found: TailFound,
): void {
  const owner = previous === null ? undefined : table.rowAt(previous)?.stream;
  found.lost(stream, position);
  if (owner !== undefined && owner !== stream) found.lost(owner, position);
}

function goesOn(
  [, , revision, , previous]: TailColumns,
  seen: StreamHead | undefined,
  end: number | undefined,
): boolean {
  if (previous !== (end ?? null)) return false;
  return seen === undefined ? revision > 0 === (end !== undefined) : revision === seen.revision + 1;
}

/** -1 where the row is none of the stream. */
function revisionAt(table: EventTable, position: number | undefined, stream: string): number {
  const row = position === undefined ? undefined : table.rowAt(position);
  return row?.stream === stream ? row.revision + row.count - 1 : -1;
}

function walk(table: EventTable, stream: string, last: number, from: number): readonly EventRow[] {
  const rows: EventRow[] = [];
  for (let position: number | null = last; position !== null;) {
    const row = table.rowAt(position);
    if (row?.stream !== stream || !meets(row, rows.at(-1))) throw missingRow(stream, position);
    if (row.revision + row.count > from) rows.push(row);
    if (row.revision <= from) return rows.reverse();
    position = row.previous;
  }
  throw missingRow(stream, rows.at(-1)?.position ?? last);
}

function meets(row: EventRow, next: EventRow | undefined): boolean {
  return next === undefined || row.revision + row.count === next.revision;
}

export function missingRow(stream: string, position: number): StoreFault {
  return new StoreFault(
    'store.corrupt',
    'never',
    `Stream ${stream} has lost events: its row at position ${position} is missing or was changed. Nothing in it runs; compare it with a backup.`,
    { detail: { stream, position, through: position } },
  );
}

/** Follows "position n …". */
export const notToBeFound = 'is not to be found from the end of its stream';

export function unindexedRow(stream: string, position: number): StoreFault {
  return new StoreFault(
    'store.corrupt',
    'never',
    `Stream ${stream} is not whole in the index of streams: its row at position ${position} ${notToBeFound}. An entry of the index was deleted or changed. Nothing in the stream runs; compare it with a backup.`,
    { detail: { stream, position, through: position, what: notToBeFound } },
  );
}
