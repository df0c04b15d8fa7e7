// An event of the store as a record of the log.
import { keyOfStream, timeOfEvent } from '@action-ledger/codec';
import { actionTopics, headersOfEvent, type LogRecord } from '@action-ledger/event-log';
import { type RecordedEvent } from '@action-ledger/event-store';

export type Encode = (event: RecordedEvent) => Uint8Array;

export function recordOfEvent(event: RecordedEvent, partition: number, encode: Encode): LogRecord {
  return {
    topic: actionTopics.events,
    partition,
    offset: event.position,
    key: keyOfStream(event.stream),
    // Made for those who read it: many go by the headers alone.
    get value() {
      return encode(event);
    },
    headers: headersOf(event),
    timestamp: timeOfEvent(event),
  };
}

export function headersOf(event: RecordedEvent): LogRecord['headers'] {
  const { id, type, stream, revision, position } = event;
  return headersOfEvent({ eventId: id, type, stream, revision, position });
}
