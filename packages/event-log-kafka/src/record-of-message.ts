// Messages of the client as records of the log.
import { type Batch, type IHeaders, type KafkaMessage } from 'kafkajs';
import { type Headers, type LogRecord } from '@action-ledger/event-log';

export function recordsOf({ partition, messages }: Batch, topic: string): readonly LogRecord[] {
  return messages.map((message) => recordOf(message, { topic, partition }));
}

function recordOf(
  { key, value, headers, offset, timestamp }: KafkaMessage,
  place: { readonly topic: string; readonly partition: number },
): LogRecord {
  const time = Number(timestamp);
  return {
    ...place,
    offset: Number(offset),
    key: key?.toString('utf8') ?? '',
    value: value ?? undefined,
    headers: headersOf(headers),
    timestamp: time > 0 ? time : 0,
  };
}

/** Of several of one name the last counts. */
function headersOf(headers: IHeaders = {}): Headers {
  const texts = Object.entries(headers).flatMap(([name, value]) => {
    const last = Array.isArray(value) ? value.at(-1) : value;
    return last === undefined ? [] : [[name, last.toString()] as const];
  });
  return Object.fromEntries(texts);
}
