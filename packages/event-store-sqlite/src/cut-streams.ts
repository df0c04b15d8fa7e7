// Gives up the beginnings of streams: their rows stay with place and links and lose their text. A row is
// taken out and put back rather than changed, because only then does SQLite join pages that have become
// almost empty; the pages left over take what is appended next.
import { type DatabaseSync } from 'node:sqlite';
import {
  checkCut,
  type GivenUp,
  type PositionsAfter,
  type StreamCut,
} from '@action-ledger/event-store';
import { type EventTable } from './event-table.ts';
import { type EventRow, eventsOf, rowTextFrom } from './row-text.ts';
import { type StreamHead, type StreamRows } from './stream-rows.ts';

/** In one transaction: nothing else is written meanwhile. */
export const cutsPerStep = 64;

export interface CutParts {
  readonly db: DatabaseSync;
  readonly table: EventTable;
  readonly index: StreamRows & { head(stream: string): StreamHead | undefined };
}

/** @throws StoreFault `store.invalid-append` */
export function checkCuts({ index }: CutParts, cuts: readonly StreamCut[]): void {
  for (const cut of cuts) checkCut(cut, index.head(cut.stream)?.revision);
}

/** All of them or, where it throws, none. */
export function cutStreams(parts: CutParts, cuts: readonly StreamCut[]): void {
  const { db, table, index } = parts;
  const takeOut = db.prepare('delete from events where position = ?');
  db.exec('begin immediate');
  try {
    for (const { stream, before } of cuts)
      for (const row of index.rows(stream, 0)) {
        if (row.revision >= before) break;
        const events = rowTextFrom(row, before);
        if (events === row.events) continue;
        takeOut.run(row.position);
        table.insert({ ...row, events });
      }
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** Places in a range of positions: `after` exclusive, `through` inclusive. */
export function givenUpIn(
  table: EventTable,
  { after, through }: PositionsAfter,
): readonly GivenUp[] {
  const found: GivenUp[] = [];
  for (const row of table.cutRows(after, through)) {
    const count = row.count - leftOf(row);
    const { stream, revision, position } = row;
    if (count > 0 && position + count - 1 > after)
      found.push({ stream, revision, position, count });
  }
  return found;
}

/** A row that cannot be read has lost its events, and not given them up. */
function leftOf(row: EventRow): number {
  try {
    return eventsOf(row).length;
  } catch {
    return row.count;
  }
}
