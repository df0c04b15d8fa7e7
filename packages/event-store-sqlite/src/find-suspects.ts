// Finds the streams of which rows and index may not agree, by one pass over the links of all rows and
// one over the ends in the index. A stream that is not named holds together: each row goes on where
// the one before it ends, and a reader finds the last one. Of the others a closer look says what is
// wrong, if anything.
import { StoreFault } from '@action-ledger/event-store';
import { type EventTable } from './event-table.ts';
import { type RowLink, type RowLinks, type StreamEnd } from './row-links.ts';
import { type StreamRows } from './stream-rows.ts';

const pageRows = 4096;

export interface SuspectParts {
  readonly links: () => RowLinks;
  readonly table: EventTable;
  readonly index: StreamRows;
  readonly read: <Found>(find: () => Found) => Promise<Found>;
  readonly pause: () => Promise<void>;
}

export interface Suspects {
  /** First rows, and all rows. */
  readonly streams: number;
  readonly rows: number;
  readonly names: ReadonlySet<string>;
}

interface End {
  /** The position of the last row. */
  last: number;
  /** The revision that the next row begins with. */
  next: number;
  /** The index names the same row as the end. */
  isNamed: boolean;
}

/** @param head the last position to look at */
export async function findSuspects(parts: SuspectParts, head: number): Promise<Suspects> {
  const ends = new Map<string, End>();
  const names = new Set<string>();
  const counted = { streams: 0, rows: 0 };
  const links = await parts.read(parts.links);
  for (let after = 0; after < head;) {
    const rows = await parts.read(() => {
      const page = links.rowsAfter(after, pageRows);
      for (const row of page) {
        if (row.position > head) break;
        counted.rows += 1;
        if (row.previous === null) counted.streams += 1;
        if (!goesOn(ends, row)) for (const name of concerned(parts.table, row)) names.add(name);
      }
      return page;
    });
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.position;
    await parts.pause();
  }
  const unseen = await compareEnds(parts, links, ends);
  // The index lags behind, or has gone on since: what counts is what a reader finds.
  const isFound = (name: string, position: number, revision: number): Promise<boolean> =>
    parts.read(() => isFoundBy(parts.index, name, position, revision));
  for (const { name, last } of unseen) if (!(await isFound(name, last, 0))) names.add(name);
  for (const [name, { last, next, isNamed }] of ends)
    if (!isNamed && !(await isFound(name, last, next - 1))) names.add(name);
  return { ...counted, names };
}

function goesOn(ends: Map<string, End>, row: RowLink): boolean {
  const { position, stream, revision, count, previous } = row;
  const end = ends.get(stream);
  if (end === undefined) {
    ends.set(stream, { last: position, next: revision + count, isNamed: false });
    return previous === null && revision === 0;
  }
  const isNext = previous === end.last && revision === end.next;
  end.last = position;
  end.next = revision + count;
  return isNext;
}

/** The stream whose name it bears, and the one that it goes on from. */
function concerned(table: EventTable, { stream, previous }: RowLink): readonly string[] {
  const owner = previous === null ? undefined : table.rowAt(previous)?.stream;
  return owner === undefined ? [stream] : [stream, owner];
}

/** @returns names in the index of which no row was seen */
async function compareEnds(
  { read, pause }: SuspectParts,
  links: RowLinks,
  ends: ReadonlyMap<string, End>,
): Promise<readonly StreamEnd[]> {
  const unseen: StreamEnd[] = [];
  for (let after = ''; ;) {
    const page = await read(() => links.endsAfter(after, pageRows));
    for (const each of page) {
      const end = ends.get(each.name);
      if (end === undefined) unseen.push(each);
      else if (end.last === each.last) end.isNamed = true;
    }
    const last = page.at(-1);
    if (last === undefined) return unseen;
    after = last.name;
    await pause();
  }
}

function isFoundBy(index: StreamRows, name: string, position: number, revision: number): boolean {
  try {
    return index.rows(name, revision).some((row) => row.position === position);
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error;
    return false;
  }
}
