// What is looked at when a file is opened: does it reach its mark, are positions missing near its
// end, can the newest rows be read. A file that has gone back in time is `recovering`; a row that
// cannot be read concerns its own stream only. The hash chain is verified elsewhere.
import { type StoreCondition } from '@action-ledger/event-store';
import { type PositionRange } from './facts.ts';
import { type EventTable } from './event-table.ts';
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
export const inspectedEvents = 1000;

export function inspect(table: EventTable, head: number): Inspection {
  const after = Math.max(0, head - inspectedEvents);
  const missing: PositionRange[] = [];
  const damaged: DamagedRow[] = [];
  let next = after + 1;
  for (const row of table.rowsAfter(after, inspectedEvents)) {
    if (row.position > next) missing.push([next, row.position - 1]);
    next = row.position + row.count;
    if (!isReadable(row)) {
      damaged.push({ stream: row.stream, position: row.position, through: next - 1 });
    }
  }
  return { missing, damaged };
}

export interface Findings {
  readonly head: number;
  /** Undefined where no mark was beside the file. */
  readonly mark: number | undefined;
  readonly missing: readonly PositionRange[];
  /** Of these an operator has confirmed that they are missing. */
  readonly confirmed: readonly PositionRange[];
}

export function conditionOf(findings: Findings): StoreCondition {
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
