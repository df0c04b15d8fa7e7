// Records as the client sends them, and what it must have acknowledged. After a change of leaders the
// client can take a send for done of which it has sent one part only, so each partition is looked for
// among the acknowledgements.
import { Partitioners, type Message, type RecordMetadata, type TopicMessages } from 'kafkajs';
import { type NewRecord } from '@action-ledger/event-log';
import { type Layout } from './layout.ts';
import { type Names, placeKey } from './names.ts';

export interface Sending {
  readonly topicMessages: TopicMessages[];
  /** `topic/partition` of all of them. */
  readonly places: ReadonlySet<string>;
}

/** A batch of one partition must not exceed what brokers take, 1 MiB. */
const bytesMax = 900 * 1024;
const bytesBesides = 100;

/** Records in the same order, in parts that brokers take. */
export function partsOf(records: readonly NewRecord[]): readonly (readonly NewRecord[])[] {
  const parts: NewRecord[][] = [];
  let bytes = Infinity;
  for (const record of records) {
    const more = bytesOf(record);
    if (bytes + more > bytesMax) {
      parts.push([]);
      bytes = 0;
    }
    parts.at(-1)?.push(record);
    bytes += more;
  }
  return parts;
}

function bytesOf({ key, value, headers = {} }: NewRecord): number {
  let bytes = Buffer.byteLength(key) + (value?.byteLength ?? 0) + bytesBesides;
  for (const [name, text] of Object.entries(headers))
    bytes += name.length + Buffer.byteLength(text);
  return bytes;
}

/** Where a record of this key goes: where every other client puts it. */
const partitioner = Partitioners.DefaultPartitioner();

export function sendingOf(
  records: readonly NewRecord[],
  layout: Layout,
  names: Names,
  nowMs: number,
): Sending {
  const byTopic = new Map<string, Message[]>();
  const places = new Set<string>();
  for (const record of records) {
    const topic = names.topic(record.topic);
    const message = messageOf(record, layout.get(record.topic) ?? 1, nowMs);
    const messages = byTopic.get(topic);
    if (messages === undefined) byTopic.set(topic, [message]);
    else messages.push(message);
    places.add(placeKey({ topic, partition: message.partition ?? 0 }));
  }
  const topicMessages = [...byTopic].map(([topic, messages]) => ({ topic, messages }));
  return { topicMessages, places };
}

function messageOf(record: NewRecord, partitions: number, nowMs: number): Message {
  const { key, value, headers, timestamp = nowMs } = record;
  const keyBytes = key === '' ? null : Buffer.from(key);
  const partition = partitioner({
    topic: record.topic,
    partitionMetadata: metadataOf(partitions),
    message: { key: keyBytes, value: null },
  });
  return {
    key: keyBytes,
    value: value === undefined ? null : bufferOf(value),
    partition,
    timestamp: String(timestamp),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
  };
}

/** @throws Error where the brokers have not acknowledged every partition */
export function checkAcknowledged({ places }: Sending, told: readonly RecordMetadata[]): void {
  const stored = new Set(
    told
      .filter(({ errorCode }) => errorCode === 0)
      .map(({ topicName: topic, partition }) => placeKey({ topic, partition })),
  );
  const missing = [...places].filter((place) => !stored.has(place));
  if (missing.length > 0) {
    throw new Error(`The brokers have not acknowledged what was sent to ${missing.join(', ')}.`);
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

type PartitionMetadata = Parameters<typeof partitioner>[0]['partitionMetadata'][number];

const known = new Map<number, PartitionMetadata[]>();

/** As many partitions as there are: for a record with a key nothing else counts. */
function metadataOf(partitions: number): PartitionMetadata[] {
  const made =
    known.get(partitions) ??
    Array.from({ length: partitions }, (_, partitionId) => ({
      ...{ partitionErrorCode: 0, partitionId, leader: 0, replicas: [], isr: [] },
    }));
  known.set(partitions, made);
  return made;
}
