// What is looked at when a file is opened: does it reach its mark, are positions missing near its
// end or among the rows that the index of streams lacks, can the newest rows be read. A file that has gone back in time is `recovering`; a row that
// cannot be read concerns its own stream only. The hash chain is verified elsewhere.
import { type DatabaseSync } from 'node:sqlite';
import { type StoreCondition } from '@action-ledger/event-store';
import { type PositionRange } from './facts.ts';
import { type EventTable, soundRow } from './event-table.ts';
import { type EventRow, eventsOf } from './row-text.ts';

export interface DamagedRow {
  readonly stream: string;
  /** Of the first event of the row. */
  readonly position: number;
  /** Of its last event. */
  readonly through: number;
}

export interface Inspection {
  /** Positions that should be there. */
  readonly missing: readonly PositionRange[];
  readonly damaged: readonly DamagedRow[];
}

/** So many of the newest events are looked at. */
const inspectedEvents = 1000;
const missingMax = 100;

/** @param through up to where every row is found by the index, if it is there */
export function inspect(
  db: DatabaseSync,
  table: EventTable,
  head: number,
  through: number,
): Inspection {
  const after = Math.max(0, head - inspectedEvents);
  const rows = table.rowsAfter(after, inspectedEvents);
  const damaged = rows
    .filter((row) => !isReadable(row))
    .filter(({ stream }) => typeof stream === 'string')
    .map(({ stream, position, count }) => ({ stream, position, through: position + count - 1 }));
  return { missing: missingAfter(db, Math.min(after, through)), damaged };
}

/** Of a stream that the index lacks, a row taken away would leave no trace but its positions. */
function missingAfter(db: DatabaseSync, after: number): readonly PositionRange[] {
  const found = db.prepare(`
    with
      start (position) as (select ?),
      first (position) as (
        select ifnull(max(position), 1) from events
        where position <= (select position from start) and ${soundRow}
      ),
      ends (position, expected) as (
        select position, lag(position + count, 1, (select position from first)) over (order by position)
        from events where position >= (select position from first) and ${soundRow}
      )
    select expected, position - 1 from ends where position > expected
    order by position limit ${missingMax}`);
  found.setReturnArrays(true);
  return found.all(after) as unknown as readonly PositionRange[];
}

export interface Findings {
  readonly head: number;
  /** Undefined where no mark was beside the file. */
  readonly mark: number | undefined;
  readonly missing: readonly PositionRange[];
  /** Of these an operator has confirmed that they are missing. */
  readonly confirmed: readonly PositionRange[];
}

type Recovering = Extract<StoreCondition, { kind: 'recovering' }>;

/** @param kept what the file says of itself: a backup does not know what the mark beside it knows */
export function conditionOf(findings: Findings, kept?: Recovering): StoreCondition {
  if (kept === undefined) return conditionFound(findings);
  const { head, mark = 0 } = findings;
  // What was appended since has raised the mark as well: then it tells no more of the loss.
  return head === kept.head && mark > kept.mark ? { ...kept, mark } : kept;
}

function conditionFound(findings: Findings): StoreCondition {
  const { head, mark, confirmed } = findings;
  const missing = findings.missing.filter(
    ([first, last]) => !confirmed.some(([from, to]) => from <= first && last <= to),
  );
  const reasons: string[] = [];
  if (mark === undefined && head > 0) {
    reasons.push('No readable mark lies beside the file: it may be a backup or a copy.');
  }
  if (mark !== undefined && mark > head) {
    reasons.push(`The file ends at position ${head}, but was known to hold ${mark}.`);
  }
  if (missing.length > 0) reasons.push(`Positions are missing: ${missing.map(range).join(', ')}.`);
  if (reasons.length === 0) return { kind: 'ready' };
  return { kind: 'recovering', reason: reasons.join(' '), mark: mark ?? 0, head };
}

function range([first, last]: PositionRange): string {
  return first === last ? String(first) : `${first} to ${last}`;
}

function isReadable(row: EventRow): boolean {
  try {
    for (const { data, metadata } of eventsOf(row)) {
      JSON.parse(data);
      JSON.parse(metadata);
    }
    return true;
  } catch {
    return false;
  }
}
