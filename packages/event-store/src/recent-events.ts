// The newest events in memory, shared by all subscriptions of a store: one bounded buffer, however
// many subscribers there are and however slow. Whoever is further behind reads the store.
import { type RecordedEvent } from './event-store.ts';

export interface RecentEvents {
  /** In the order of positions; a jump forgets what was before it. */
  add(events: readonly RecordedEvent[]): void;
  /** At most `max` events after `position`; undefined where the buffer does not reach back to it. */
  after(position: number, max: number): readonly RecordedEvent[] | undefined;
  clear(): void;
}

const recentEventsMax = 4096;
const recentCharactersMax = 8 * 1024 * 1024;

export function createRecentEvents(
  eventsMax = recentEventsMax,
  charactersMax = recentCharactersMax,
): RecentEvents {
  let events: RecordedEvent[] = [];
  let first = 0;
  let characters = 0;

  const clear = (): void => {
    events = [];
    first = 0;
    characters = 0;
  };

  return {
    clear,
    add: (added) => {
      const newest = events.at(-1);
      if (newest !== undefined && added[0]?.position !== newest.position + 1) clear();
      for (const event of added) {
        events.push(event);
        characters += size(event);
      }
      while (events.length - first > eventsMax || characters > charactersMax) {
        const oldest = events[first];
        if (oldest === undefined) break;
        characters -= size(oldest);
        first += 1;
      }
      // Cutting in large steps keeps the cost of forgetting an event constant.
      if (first >= eventsMax) {
        events = events.slice(first);
        first = 0;
      }
    },
    after: (position, max) => {
      const oldest = events[first];
      if (oldest === undefined || position + 1 < oldest.position) return undefined;
      const from = first + (position + 1 - oldest.position);
      return events.slice(from, from + max);
    },
  };
}

function size(event: RecordedEvent): number {
  return event.data.length + event.metadata.length;
}
