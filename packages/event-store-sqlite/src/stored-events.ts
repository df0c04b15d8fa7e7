// The events of a stream as its rows hold them. Only its first ones can have been given up: a row that
// is empty in another place, or at the end, was emptied by hand.
import { type RecordedEvent } from '@action-ledger/event-store';
import { eventsOf, unreadable } from './row-text.ts';
import { type StreamRows } from './stream-rows.ts';

/**
 * Those with revision >= `from`.
 * @throws StoreFault `store.corrupt`
 */
export function storedFrom(
  index: StreamRows,
  stream: string,
  from: number,
): readonly RecordedEvent[] {
  const events: RecordedEvent[] = [];
  const rows = index.rows(stream, from);
  let hasBegun = false;
  for (const row of rows) {
    const left = eventsOf(row);
    const isCut = left.length < row.count;
    if (isCut && (hasBegun || (left.length === 0 && row === rows.at(-1)))) throw unreadable(row);
    hasBegun ||= left.length > 0;
    for (const event of left) if (event.revision >= from) events.push(event);
  }
  return events;
}

/** The same, or none where the stream begins later than `from`. */
export function storedAt(
  index: StreamRows,
  stream: string,
  from: number,
): readonly RecordedEvent[] {
  const events = storedFrom(index, stream, from);
  return events[0]?.revision === from ? events : [];
}
