// The table of events: one row per append, in the order of positions. All its statements are
// prepared once; each call is one step of SQLite, without waiting.
import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  eventsPerAppendMax,
  type ReadAllOptions,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { type EventRow, eventsOf, givenUpText } from './row-text.ts';

export interface EventTable {
  insert(row: EventRow): void;
  /** The row whose first event has this position. */
  rowAt(position: number): EventRow | undefined;
  /** Events of all streams; stops before a row that cannot be read, and throws where it is first. */
  readAll(options: ReadAllOptions): readonly RecordedEvent[];
  /** The position of the last event that a sound row tells of, 0 when empty. */
  head(): number;
  /** The last row is none that an append has written: the end of the file is damaged. */
  isEndGarbled(): boolean;
  /** At most `max` rows that hold an event after `position`, in order. */
  rowsAfter(position: number, max: number): readonly EventRow[];
  /** Rows that hold one of these positions and whose first event was given up, in order. */
  cutRows(after: number, through: number): readonly EventRow[];
}

const columns = 'position, stream, revision, count, previous, events';
/** What every row of an append is; the rest of a row is looked at when it is read. */
export const soundRow = `(position > 0 and typeof(stream) = 'text' and typeof(count) = 'integer' and count between 1 and ${eventsPerAppendMax})`;
/** So many rows at most become objects at once. */
const rowsPerStep = 4096;
interface LastRow {
  readonly position: number;
  readonly count: number;
  readonly isSound?: number;
}
type Columns = readonly [number, string, number, number, number | null, string];

export function createEventTable(db: DatabaseSync): EventTable {
  const insert = db.prepare(`insert into events (${columns}) values (?, ?, ?, ?, ?, ?)`);
  const at = db.prepare(`select ${columns} from events where position = ?`);
  const last = db.prepare(
    `select position, count, ${soundRow} as isSound from events order by position desc limit 1`,
  );
  const lastSound = db.prepare(
    `select position, count from events where ${soundRow} order by position desc limit 1`,
  );
  // The row that holds the event after `position` may begin before it.
  const rowsFrom = (which: string): StatementSync =>
    db.prepare(`
      select ${columns} from events
      where position >= ifnull((select max(position) from events where position <= ? + 1), 0)
        and position + count > ? + 1 ${which}
      order by position limit ?`);
  const after = rowsFrom('');
  const leftAfter = rowsFrom(`and events <> '${givenUpText}'`);
  const cut = db.prepare(`
    select ${columns} from events
    where position > ? - ${eventsPerAppendMax} and position + count > ? + 1 and position <= ?
      and ${soundRow} and (events = '${givenUpText}' or substr(events, 1, 1) = char(10))
    order by position`);
  // Rows as arrays cost a quarter less than rows as objects.
  at.setReturnArrays(true);
  for (const statement of [after, leftAfter, cut]) statement.setReturnArrays(true);

  const rowsBy =
    (statement: StatementSync): EventTable['rowsAfter'] =>
    (position, max) =>
      (statement.all(position, position, max) as unknown as readonly Columns[]).map(rowOf);
  const rowsLeft = rowsBy(leftAfter);

  return {
    insert: (row) => {
      insert.run(row.position, row.stream, row.revision, row.count, row.previous, row.events);
    },
    rowAt: (position) => {
      const found = at.get(position) as unknown as Columns | undefined;
      return found && rowOf(found);
    },
    readAll: ({ after: position, max }) => readAll(rowsLeft, position, max),
    head: () => {
      const end = last.get() as LastRow | undefined;
      const row = end?.isSound === 0 ? (lastSound.get() as LastRow | undefined) : end;
      return row === undefined ? 0 : row.position + row.count - 1;
    },
    isEndGarbled: () => (last.get() as LastRow | undefined)?.isSound === 0,
    rowsAfter: rowsBy(after),
    cutRows: (position, through) =>
      (cut.all(position, position, through) as unknown as readonly Columns[]).map(rowOf),
  };
}

function rowOf([position, stream, revision, count, previous, events]: Columns): EventRow {
  return { position, stream, revision, count, previous, events };
}

function readAll(
  rowsAfter: EventTable['rowsAfter'],
  position: number,
  max: number,
): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  while (events.length < max) {
    // Rows hold about two events each: asking for one row per event would read twice too much.
    const rowsMax = Math.min(Math.max(Math.ceil((max - events.length) / 2), 16), rowsPerStep);
    const after = events.at(-1)?.position ?? position;
    const rows = rowsAfter(after, rowsMax);
    const areRead = rows.every((row) => addEvents(events, row, after));
    if (!areRead || rows.length < rowsMax) break;
  }
  return events.length > max ? events.slice(0, max) : events;
}

/** False where the row cannot be read but events before it can: they are given first. */
function addEvents(events: RecordedEvent[], row: EventRow, after: number): boolean {
  try {
    for (const event of eventsOf(row)) if (event.position > after) events.push(event);
    return true;
  } catch (error) {
    if (events.length === 0) throw error;
    return false;
  }
}
