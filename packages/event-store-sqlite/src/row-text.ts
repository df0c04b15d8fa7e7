// One row of the table holds one append, and its events are lines of text: id, type, data and
// metadata of each event, which contain no line breaks. Metadata differs little within an append,
// so that from the second event on only the difference to the first one's is kept:
// `~<characters shared at the start>,<shared at the end>,<what lies between>`. Events that were given up
// leave four empty lines each; a row of which nothing is left is one `~`, because none at all is damage.
import {
  eventsPerAppendMax,
  type NewEvent,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';

/** The columns of a row that make up its events. */
export interface EventRow {
  /** Of the first event. */
  readonly position: number;
  readonly stream: string;
  /** Of the first event. */
  readonly revision: number;
  readonly count: number;
  /** The position of the stream's append before this one, null at its first. */
  readonly previous: number | null;
  readonly events: string;
}

/** The text of a row of which nothing is left. */
export const givenUpText = '~';
const linesPerEvent = 4;
const emptyEvent = '\n'.repeat(linesPerEvent);

export function rowText(events: readonly NewEvent[]): string {
  let text = '';
  let first: string | undefined;
  for (const { id, type, data, metadata } of events) {
    text +=
      first === undefined
        ? `${id}\n${type}\n${data}\n${metadata}`
        : `\n${id}\n${type}\n${data}\n${difference(first, metadata)}`;
    first ??= metadata;
  }
  return text;
}

/** What is left of a row when its events below a revision are given up. */
export function rowTextFrom(row: EventRow, before: number): string {
  const left = eventsOf(row).filter(({ revision }) => revision >= before);
  return left.length === 0
    ? givenUpText
    : emptyEvent.repeat(row.count - left.length) + rowText(left);
}

/**
 * Those that are left of it: the last ones.
 * @throws StoreFault `store.corrupt` with stream, position and last position of the row.
 */
export function eventsOf(row: EventRow): readonly RecordedEvent[] {
  if (!isSound(row)) throw unreadable(row);
  if (row.events === givenUpText) return none;
  const lines = typeof row.events === 'string' ? row.events.split('\n') : [];
  if (lines.length !== row.count * linesPerEvent) throw unreadable(row);
  return eventsIn(lines, row);
}

function eventsIn(lines: readonly string[], row: EventRow): readonly RecordedEvent[] {
  const { stream, count } = row;
  const given = givenUpIn(lines);
  const first = lines[given * linesPerEvent + 3] ?? '';
  const events: RecordedEvent[] = [];
  for (let index = given; index < count; index += 1) {
    const at = index * linesPerEvent;
    const [id, type, data] = [lines[at], lines[at + 1], lines[at + 2]];
    const metadata = index === given ? first : restored(first, lines[at + 3] ?? '');
    if (!id || !type || !data || !metadata) throw unreadable(row);
    const revision = row.revision + index;
    events.push({ id, type, data, metadata, stream, revision, position: row.position + index });
  }
  return events;
}

const none: readonly RecordedEvent[] = [];

/** How many events at the start of a row are gone; the last one is not. */
function givenUpIn(lines: readonly string[]): number {
  const isGone = (at: number): boolean =>
    at + linesPerEvent < lines.length &&
    lines.slice(at, at + linesPerEvent).every((line) => line === '');
  let at = 0;
  while (lines[at] === '' && isGone(at)) at += linesPerEvent;
  return at / linesPerEvent;
}

/** What no append has written, damage of a page may still show as a row. */
function isSound({ stream, revision, count }: EventRow): boolean {
  return typeof stream === 'string' && Number.isInteger(revision) && isCount(count);
}

function isCount(count: unknown): boolean {
  return Number.isInteger(count) && Number(count) >= 1 && Number(count) <= eventsPerAppendMax;
}

export function unreadable(row: EventRow): StoreFault {
  const { position } = row;
  // Where it is not known whose row it was, or how much it held, nothing else is claimed.
  const stream = typeof row.stream === 'string' ? row.stream : '';
  const count = isCount(row.count) ? row.count : 1;
  return new StoreFault(
    'store.corrupt',
    'never',
    `The events of ${stream === '' ? 'some stream' : `stream ${stream}`} at position ${position} cannot be read: the row was edited or damaged. Nothing in it runs; compare it with a backup.`,
    { detail: { stream, position, through: position + count - 1 } },
  );
}

function difference(first: string, text: string): string {
  const shorter = Math.min(first.length, text.length);
  let start = 0;
  while (start < shorter && first.charCodeAt(start) === text.charCodeAt(start)) start += 1;
  let end = 0;
  const room = shorter - start;
  while (
    end < room &&
    first.charCodeAt(first.length - 1 - end) === text.charCodeAt(text.length - 1 - end)
  )
    end += 1;
  const between = text.slice(start, text.length - end);
  // A cut within a surrogate pair would leave a half that UTF-8 cannot hold.
  return between.isWellFormed() ? `~${start},${end},${between}` : `~0,0,${text}`;
}

function restored(first: string, line: string): string | undefined {
  const parts = differenceForm.exec(line);
  if (parts === null) return undefined;
  const start = Number(parts[1]);
  const end = Number(parts[2]);
  if (start + end > first.length) return undefined;
  return first.slice(0, start) + line.slice(parts[0].length) + first.slice(first.length - end);
}

const differenceForm = /^~(\d{1,6}),(\d{1,6}),/;
