// Compares the index with the rows: every row must be reached from the end of its stream, once.
// For the check in the background, which walks the streams of a range, and for the operator's
// verification, which looks for what may be wrong first; a page at a time.
import { type IndexCheck, type IndexFault, StoreFault } from '@action-ledger/event-store';
import { type EventTable } from './event-table.ts';
import { findSuspects, type SuspectParts } from './find-suspects.ts';
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

export interface IndexCheckParts extends SuspectParts {
  readonly index: CheckedIndex;
}

/** Of positions: the first is not looked at, the last is. */
export interface IndexCheckRange {
  readonly after?: number;
  readonly through?: number;
}

interface Found {
  streams: number;
  rows: number;
  unreached: number;
  readonly faults: IndexFault[];
}

export async function checkIndex(
  parts: IndexCheckParts,
  range: IndexCheckRange = {},
): Promise<IndexCheck> {
  const found: Found = { streams: 0, rows: 0, unreached: 0, faults: [] };
  const head = Math.min(await parts.read(() => parts.table.head()), range.through ?? Infinity);
  // Only of the whole file: a part of the rows is no part of the names.
  if (range.after === undefined && range.through === undefined) await checkAll(parts, head, found);
  else
    await checkRows(parts, { after: range.after ?? 0, head }, found, (page) => {
      found.rows += page.length;
      found.streams += page.filter(({ previous }) => previous === null).length;
      return page;
    });
  const { streams, rows, unreached, faults } = found;
  return { streams, rows, reached: rows - unreached, faults };
}

/** Each stream is walked only where something may be wrong with it. */
async function checkAll(parts: IndexCheckParts, head: number, found: Found): Promise<void> {
  const { streams, rows, names } = await findSuspects(parts, head);
  found.streams = streams;
  found.rows = rows;
  if (names.size > 0) {
    await checkRows(parts, { after: 0, head }, found, (page) =>
      page.filter(({ stream }) => names.has(stream)),
    );
    await checkEntries(found, parts);
  }
  if (!(await parts.read(() => parts.index.isTold()))) note(found, '', head, untold);
}

async function checkRows(
  { table, index, read, pause }: IndexCheckParts,
  { after: start, head }: { readonly after: number; readonly head: number },
  found: Found,
  choose: (page: readonly EventRow[]) => readonly EventRow[],
): Promise<void> {
  for (let after = start; after < head;) {
    const rows = await read(() => {
      const page = table.rowsAfter(after, pageRows);
      const looked = page.filter(({ position }) => position > after && position <= head);
      for (const own of byStream(choose(looked))) checkStream(found, own, table, index);
      return page;
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = Math.max(last.position + last.count - 1, last.position);
    await pause();
  }
}

/** A stream whose rows were all taken away or renamed is left in the index alone. */
async function checkEntries(found: Found, { index, read, pause }: IndexCheckParts): Promise<void> {
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
    // Only the first row has none before it.
    const isLinked = (row.previous === null) === (row.revision === 0);
    if (isLinked && reached?.has(row.position) === true) continue;
    found.unreached += 1;
    explain(found, row, reached !== undefined, table);
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
