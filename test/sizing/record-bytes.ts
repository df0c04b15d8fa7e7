// What a projector publishes of stored events: how many records, and how many bytes of keys, headers and values.
import { hash } from 'node:crypto';
import { actionTopics, type NewRecord } from '@action-ledger/event-log';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createProjector, type Encoders } from '@action-ledger/projector';
import { createVirtualRuntime } from '@action-ledger/testkit';

export interface RecordBytes {
  readonly records: number;
  readonly headers: number;
  readonly values: number;
}

export async function recordBytes(
  events: readonly RecordedEvent[],
  encode: Encoders,
): Promise<Readonly<Record<'events' | 'states', RecordBytes>>> {
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const published: NewRecord[] = [];
  const store = createMemoryEventStore({
    events: events.map((event, index) => ({ ...event, position: index + 1 })),
  });
  const projector = createProjector({
    store,
    log: {
      newest: async () => [],
      openPublisher: async () => ({
        publish: async (records) => void published.push(...records),
        close: async () => undefined,
      }),
    },
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    runtime,
    instance: 'one',
    encode,
  });
  await projector.start();
  await runtime.advance(1_000);
  const stopped = projector.stop();
  await runtime.advance(1_000);
  await stopped;
  const last = new Map(
    published.filter(({ topic }) => topic === actionTopics.state).map((each) => [each.key, each]),
  );
  const told = published.filter(({ topic }) => topic === actionTopics.events);
  const ofActions = told.filter(({ headers = {} }) => headers['stream']?.startsWith('action-'));
  return { events: bytesOf(ofActions), states: bytesOf([...last.values()]) };
}

function bytesOf(records: readonly NewRecord[]): RecordBytes {
  let headers = 0;
  let values = 0;
  for (const record of records) {
    headers += record.key.length;
    for (const each of Object.entries(record.headers ?? {}).flat()) headers += each.length;
    values += record.value?.byteLength ?? 0;
  }
  return { records: records.length, headers, values };
}
