// Lists in pages. A cursor is the place of the last row that was given, in an order that does not
// change: newest planned first, then by id. What is planned meanwhile lies before it.
import { type ActionRow, type ListFilter, type WorkflowRow } from '@action-ledger/application';

export interface Place {
  readonly at: number;
  readonly action: string;
}

export function cursorOf({ plannedAt, action }: ActionRow): string {
  return cursorTo(plannedAt, action);
}

export function cursorOfWorkflow({ startedAt, workflow }: WorkflowRow): string {
  return cursorTo(startedAt, workflow);
}

function cursorTo(at: number, id: string): string {
  return Buffer.from(JSON.stringify([at, id])).toString('base64url');
}

/** @returns undefined where it is none that was given out */
export function placeOfCursor(cursor: string): Place | undefined {
  try {
    const said: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(said) || said.length !== 2) return undefined;
    const [at, action] = said as readonly unknown[];
    return Number.isSafeInteger(at) && typeof action === 'string'
      ? { at: at as number, action }
      : undefined;
  } catch {
    return undefined;
  }
}

export interface Page {
  readonly rows: readonly ActionRow[];
  /** Where there are more. */
  readonly next: string | undefined;
}

/** The index lists by when rows were written, which differs from when they were planned by so many. */
const margin = 64;
/** Rows with one and the same time that are passed over at most. */
const rowsMax = 20_000;

export function pageOf(
  list: (filter: ListFilter) => readonly ActionRow[],
  filter: Omit<ListFilter, 'limit' | 'plannedUntil'>,
  limit: number,
  after: Place | undefined,
): Page {
  const until = after === undefined ? {} : { plannedUntil: after.at };
  for (let asked = limit + margin; ; asked *= 2) {
    const found = list({ ...filter, ...until, limit: asked });
    const later = [...found].sort(inOrder).filter((row) => isAfter(row, after));
    const isAll = found.length < asked || asked > rowsMax;
    if (later.length <= limit && !isAll) continue;
    const rows = later.slice(0, limit);
    const last = rows.at(-1);
    return { rows, next: later.length > limit && last ? cursorOf(last) : undefined };
  }
}

function inOrder(a: ActionRow, b: ActionRow): number {
  return b.plannedAt - a.plannedAt || (a.action < b.action ? 1 : -1);
}

function isAfter({ plannedAt, action }: ActionRow, place: Place | undefined): boolean {
  if (place === undefined || plannedAt < place.at) return true;
  return plannedAt === place.at && action < place.action;
}
