// An event of the store as a record of the log.
import { keyOfStream, timeOfEvent } from '@action-ledger/codec';
import {
  actionTopics,
  type EventPlace,
  headersOfEvent,
  type LogRecord,
} from '@action-ledger/event-log';
import { type RecordedEvent } from '@action-ledger/event-store';

export type Encode = (event: RecordedEvent) => Uint8Array;

/** Most records are asked for their place alone: the rest is made for those who read it. */
export function recordOfEvent(event: RecordedEvent, partition: number, encode: Encode): LogRecord {
  const place = placeOf(event);
  return {
    topic: actionTopics.events,
    partition,
    offset: event.position,
    key: keyOfStream(event.stream),
    place,
    get value() {
      return encode(event);
    },
    get headers() {
      return headersOfEvent(place);
    },
    get timestamp() {
      return timeOfEvent(event);
    },
  };
}

export function headersOf(event: RecordedEvent): LogRecord['headers'] {
  return headersOfEvent(placeOf(event));
}

function placeOf({ id, type, stream, revision, position }: RecordedEvent): EventPlace {
  return { eventId: id, type, stream, revision, position };
}
