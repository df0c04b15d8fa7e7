// One who only reads: what is stored, and `action.events` from its start. So it knows how far the topic is behind the
// store, what of it was told more than once, and in the end whether all of it was told.
import { projectorSeatStream } from '@action-ledger/application';
import { actionTopics, type EventLog, eventPlaceOf } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Standing } from './silences.ts';

export interface Bystander {
  readonly standing: () => Standing;
  /** Events of the store that the topic does not have. */
  readonly untold: () => number;
  readonly counts: () => TopicCounts;
  readonly close: () => Promise<void>;
}

export interface TopicCounts {
  /** Events that it has. */
  readonly events: number;
  /** Records of events that it had before. */
  readonly publishedAgain: number;
  /** Records that this reader was given once more. */
  readonly deliveredAgain: number;
}

export async function openBystander(store: EventStore, log: EventLog): Promise<Bystander> {
  const stored = new Map<string, number>();
  const told = new Set<string>();
  const places = new Set<string>();
  let [storedThrough, toldThrough, deliveries] = [0, 0, 0];
  const subscription = store.subscribe(0, {
    onEvents: (events) => {
      for (const { id, stream, position } of events) {
        if (stream === projectorSeatStream) continue;
        stored.set(id, position);
        storedThrough = Math.max(storedThrough, position);
      }
    },
  });
  const consumer = await log.consume({
    group: 'bystander',
    topics: [actionTopics.events],
    from: 'start',
    handler: async (records) => {
      for (const record of records) {
        const place = eventPlaceOf(record);
        if (place === undefined) continue;
        deliveries += 1;
        told.add(place.eventId);
        places.add(`${record.partition}/${record.offset}`);
        toldThrough = Math.max(toldThrough, place.position);
      }
      return Promise.resolve();
    },
  });
  return {
    standing: () => ({
      place: actionTopics.events,
      next: toldThrough,
      waits: storedThrough > toldThrough,
    }),
    untold: () => [...stored.keys()].filter((id) => !told.has(id)).length,
    counts: () => ({
      events: told.size,
      publishedAgain: places.size - told.size,
      deliveredAgain: deliveries - places.size,
    }),
    close: async () => {
      subscription.close();
      await consumer.close();
    },
  };
}
