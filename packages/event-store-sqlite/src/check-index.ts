// Compares the index with the rows: every row must be reached from the end of its stream, once.
// For the check in the background and for the operator's verification; it reads what it is asked to
// look at, a page at a time.
import { type IndexCheck, type IndexFault, StoreFault } from '@action-ledger/event-store';
import { type EventTable } from './event-table.ts';
import { type EventRow } from './row-text.ts';
import { notToBeFound, type StreamRows } from './stream-rows.ts';

const faultsMax = 100;
const untold =
  'is the last, and up to where the index goes is not known any more: a row of the table "facts" was deleted or changed';
const pageRows = 256;

export interface CheckedIndex extends StreamRows {
  /** The file says up to where its index goes. */
  isTold(): boolean;
}

export interface IndexCheckParts {
  readonly table: EventTable;
  readonly index: CheckedIndex;
  readonly read: <Found>(find: () => Found) => Promise<Found>;
  readonly pause: () => Promise<void>;
}

/** Of positions: the first is not looked at, the last is. */
export interface IndexCheckRange {
  readonly after?: number;
  readonly through?: number;
}

interface Found {
  streams: number;
  rows: number;
  reached: number;
  readonly faults: IndexFault[];
}

export async function checkIndex(
  { table, index, read, pause }: IndexCheckParts,
  range: IndexCheckRange = {},
): Promise<IndexCheck> {
  const head = Math.min(await read(() => table.head()), range.through ?? Infinity);
  const found: Found = { streams: 0, rows: 0, reached: 0, faults: [] };
  for (let after = range.after ?? 0; after < head;) {
    const rows = await read(() => {
      const page = table.rowsAfter(after, pageRows);
      const looked = page.filter(({ position }) => position > after && position <= head);
      for (const own of byStream(looked)) checkStream(found, own, table, index);
      return page;
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = Math.max(last.position + last.count - 1, last.position);
    await pause();
  }
  // Only of the whole file: a part of the rows is no part of the names.
  if (range.after === undefined && range.through === undefined) {
    await checkEntries(found, index, read, pause);
    if (!(await read(() => index.isTold()))) note(found, '', head, untold);
  }
  return found;
}

/** A stream whose rows were all taken away or renamed is left in the index alone. */
async function checkEntries(
  found: Found,
  index: StreamRows,
  read: IndexCheckParts['read'],
  pause: IndexCheckParts['pause'],
): Promise<void> {
  for (let after = ''; ;) {
    const entries = await read(() => index.entries(after, pageRows));
    for (const { name, last, stream } of entries)
      if (stream !== name) note(found, name, last, 'is missing or was changed');
    const end = entries.at(-1);
    if (end === undefined) return;
    after = end.name;
    await pause();
  }
}

function byStream(rows: readonly EventRow[]): Iterable<readonly EventRow[]> {
  const streams = new Map<string, EventRow[]>();
  for (const row of rows) {
    const own = streams.get(row.stream);
    if (own === undefined) streams.set(row.stream, [row]);
    else own.push(row);
  }
  return streams.values();
}

/** @param own rows of one stream, in order */
function checkStream(
  found: Found,
  own: readonly EventRow[],
  table: EventTable,
  index: StreamRows,
): void {
  const reached = positionsOf(found, own, index);
  for (const row of own) {
    found.rows += 1;
    if (row.previous === null) found.streams += 1;
    // Only the first row has none before it.
    const isLinked = (row.previous === null) === (row.revision === 0);
    if (isLinked && reached?.has(row.position) === true) found.reached += 1;
    else explain(found, row, reached !== undefined, table);
  }
}

function explain(
  found: Found,
  { stream, position, previous }: EventRow,
  isFollowed: boolean,
  table: EventTable,
): void {
  const owner = previous === null ? undefined : table.rowAt(previous)?.stream;
  if (owner !== undefined && owner !== stream)
    note(found, owner, position, `continues stream ${owner}, but bears the name of ${stream}`);
  else if (isFollowed) note(found, stream, position, notToBeFound);
}

/** Undefined where the stream cannot be followed, which is noted. */
function positionsOf(
  found: Found,
  own: readonly EventRow[],
  index: StreamRows,
): ReadonlySet<number> | undefined {
  const { stream = '', position = 0 } = own[0] ?? {};
  // With the row before the first: one that is gone leaves nothing else to be found by.
  const from = Math.max(0, Math.min(...own.map(({ revision }) => revision)) - 1);
  try {
    return new Set(index.rows(stream, from).map((row) => row.position));
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    const { position: at, what } = error.detail;
    note(
      found,
      stream,
      typeof at === 'number' ? at : position,
      typeof what === 'string' ? what : 'is missing or was changed',
    );
    return undefined;
  }
}

function note({ faults }: Found, stream: string, position: number, what: string): void {
  const isKnown = faults.some((each) => each.stream === stream && each.position === position);
  if (faults.length < faultsMax && !isKnown) faults.push({ stream, position, what });
}

/** Of streams whose entry in the index was deleted or set back, by the position of their last row. */
export function lostFaults(unindexed: ReadonlyMap<string, number>): readonly IndexFault[] {
  return [...unindexed]
    .slice(0, faultsMax)
    .map(([stream, position]) => ({ stream, position, what: notToBeFound }));
}
