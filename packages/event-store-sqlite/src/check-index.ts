// Compares the index with a full scan: every row must be reached from the end of its stream, once.
// For tests and for the operator's verification; it reads the whole file, a page at a time.
import { StoreFault } from '@action-ledger/event-store';
import { type EventTable } from './event-table.ts';
import { type EventRow } from './row-text.ts';
import { type StreamRows } from './stream-rows.ts';

export interface IndexCheck {
  readonly streams: number;
  /** Appends stored. */
  readonly rows: number;
  /** Of these the index reaches so many; fewer or more means that some stream is damaged. */
  readonly reached: number;
  /** What is wrong, at most 100. */
  readonly faults: readonly string[];
}

const faultsMax = 100;
const pageRows = 256;

export interface IndexCheckParts {
  readonly table: EventTable;
  readonly index: StreamRows;
  readonly read: <Found>(find: () => Found) => Promise<Found>;
  readonly pause: () => Promise<void>;
}

export async function checkIndex({
  table,
  index,
  read,
  pause,
}: IndexCheckParts): Promise<IndexCheck> {
  const head = await read(() => table.head());
  const found = { streams: 0, rows: 0, reached: 0, faults: [] as string[] };
  for (let after = 0; after < head;) {
    const rows = await read(() => table.rowsAfter(after, pageRows));
    await read(() => {
      for (const row of rows) if (row.position <= head) checkRow(found, row, index, head);
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.position + last.count - 1;
    await pause();
  }
  return found;
}

function checkRow(
  found: { streams: number; rows: number; reached: number; readonly faults: string[] },
  row: EventRow,
  index: StreamRows,
  head: number,
): void {
  found.rows += 1;
  if (row.previous !== null) return;
  found.streams += 1;
  try {
    const rows = index.rows(row.stream, 0);
    if (rows[0]?.position === row.position) {
      found.reached += rows.filter(({ position }) => position <= head).length;
      return;
    }
    note(found.faults, `The index does not lead to position ${row.position} of ${row.stream}.`);
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    note(found.faults, error.message);
  }
}

function note(faults: string[], fault: string): void {
  if (faults.length < faultsMax) faults.push(fault);
}
