// Drops the records of events that were handled before: a log gives each at least once. By the newest
// place under each key and stream that was handled here, as far as remembered; what is forgotten comes
// through, and whoever handles it finds in the stream that it is done.
import { type EventPlace, eventPlaceOf, isNewer, type LogRecord } from '@action-ledger/event-log';
import { createRecentMap } from '../record/recent-map.ts';

export interface NewerOnly {
  /** Without those that are known to have been handled. Records of no event come through. */
  newer(records: readonly LogRecord[]): readonly LogRecord[];
  handled(records: readonly LogRecord[]): void;
}

/** Of a topic that is not the ledger's own: nothing is known about its records. */
export const handleAll: NewerOnly = {
  newer: (records) => records,
  handled: () => undefined,
};

const streamsMax = 20_000;

export function createNewerOnly(): NewerOnly {
  const newest = createRecentMap<Known>({ entriesMax: streamsMax });
  return {
    newer: (records) =>
      records.filter((record) => {
        const place = eventPlaceOf(record);
        const known = place && newest.get(keyOf(record, place));
        return known === undefined || place === undefined || isNewer(place, known);
      }),
    handled: (records) => {
      for (const record of records) {
        const place = eventPlaceOf(record);
        if (place === undefined) continue;
        const { generation = 0, position, revision } = place;
        newest.set(keyOf(record, place), { generation, position, revision });
      }
    },
  };
}

type Known = Pick<EventPlace, 'generation' | 'position' | 'revision'>;

/** One event may ask for the states of several actions, and has them told under their keys. */
function keyOf({ topic, key }: LogRecord, { stream }: EventPlace): string {
  return `${topic} ${key} ${stream}`;
}
