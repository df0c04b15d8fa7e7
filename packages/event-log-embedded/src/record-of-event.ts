// An event of the store as a record of the log.
import { actionOfStream } from '@action-ledger/domain';
import { actionTopics, headersOfEvent, type LogRecord } from '@action-ledger/event-log';
import { type RecordedEvent } from '@action-ledger/event-store';

export type Encode = (event: RecordedEvent) => Uint8Array;

/** Data and metadata are canonical JSON texts, and so is this. */
export const encodeAsJson: Encode = ({ data, metadata }) =>
  Buffer.from(`{"data":${data},"metadata":${metadata}}`);

/** The action's id; of other streams their name. */
export function keyOfStream(stream: string): string {
  return actionOfStream(stream) ?? stream;
}

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
    timestamp: timeOf(event),
  };
}

export function headersOf(event: RecordedEvent): LogRecord['headers'] {
  const { id, type, stream, revision, position } = event;
  return headersOfEvent({ eventId: id, type, stream, revision, position });
}

/** 0 where the metadata do not say it. */
export function timeOf({ metadata }: RecordedEvent): number {
  const at = /[{,]"at":(\d{1,15})[,}]/.exec(metadata)?.[1];
  return at === undefined ? 0 : Number(at);
}
