// Drops the records of events that were handled before: a log gives each at least once. By the highest
// revision of each stream that was handled here, as far as remembered; what is forgotten comes through,
// and whoever handles it finds in the stream that it is done.
import { eventPlaceOf, type LogRecord } from '@action-ledger/event-log';
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
  const highest = createRecentMap<number>({ entriesMax: streamsMax });
  return {
    newer: (records) =>
      records.filter((record) => {
        const place = eventPlaceOf(record);
        const known = place && highest.get(keyOf(record.topic, place.stream));
        return known === undefined || place === undefined || place.revision > known;
      }),
    handled: (records) => {
      for (const record of records) {
        const place = eventPlaceOf(record);
        if (place !== undefined) highest.set(keyOf(record.topic, place.stream), place.revision);
      }
    },
  };
}

function keyOf(topic: string, stream: string): string {
  return `${topic} ${stream}`;
}
