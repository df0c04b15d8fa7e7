// The append rules of EventStoreDB, as every adapter applies them. Ids are looked at only where the
// expected revision lies below the last one, and bodies never are: a retry must repeat the ids, the
// order and the expected revision of the first try.
import { type ExpectedRevision, type NewEvent } from './event-store.ts';

export type AppendDecision =
  | { readonly kind: 'write'; readonly firstRevision: number }
  | { readonly kind: 'repeat'; readonly lastRevision: number }
  | { readonly kind: 'conflict' };

/**
 * @param last the last revision of the stream, undefined where it has none
 * @param storedIds the ids stored at `from`, `from + 1`, … of the stream: `count` of them, or fewer
 *   where the stream ends before
 */
export function decideAppend(
  last: number | undefined,
  expected: ExpectedRevision,
  events: readonly NewEvent[],
  storedIds: (from: number, count: number) => readonly string[],
): AppendDecision {
  const current = last ?? -1;
  const wanted = expected === 'no stream' ? -1 : expected;
  if (wanted === current) return { kind: 'write', firstRevision: current + 1 };
  if (wanted > current) return conflict;
  const stored = storedIds(wanted + 1, events.length);
  const isRepeat = events.every((event, index) => event.id === stored[index]);
  return isRepeat ? { kind: 'repeat', lastRevision: wanted + events.length } : conflict;
}

const conflict: AppendDecision = { kind: 'conflict' };
