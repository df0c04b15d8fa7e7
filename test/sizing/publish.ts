// How long one projector takes to publish stored events to a log, and the same client the same records by itself.
import { hash } from 'node:crypto';
import { encodersAsAvro } from '@action-ledger/avro';
import { type EventLog, type NewRecord } from '@action-ledger/event-log';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createProjector } from '@action-ledger/projector';
import { type Runtime } from '@action-ledger/runtime';

export interface Published {
  readonly records: readonly NewRecord[];
  readonly ms: number;
}

/** Counts from the first batch that the brokers have acknowledged. */
export async function publishByProjector(
  log: EventLog,
  stored: readonly RecordedEvent[],
  runtime: Runtime,
): Promise<Published> {
  const records: NewRecord[] = [];
  let beganMs: number | undefined;
  let uncounted = 0;
  const events = stored.map((event, index) => ({ ...event, position: index + 1 }));
  const projector = createProjector({
    store: createMemoryEventStore({ events }),
    runtime,
    log: {
      newest: (topics) => log.newest(topics),
      openPublisher: async (options) => {
        const publisher = await log.openPublisher(options);
        return {
          publish: async (batch) => {
            await publisher.publish(batch);
            records.push(...batch);
            if (beganMs !== undefined) return;
            beganMs = runtime.clock.monoMs();
            uncounted = records.length;
          },
          close: () => publisher.close(),
        };
      },
    },
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    instance: 'one',
    encode: encodersAsAvro(),
  });
  await projector.start();
  while (projector.health().handled < events.length) await pause(runtime);
  const ms = runtime.clock.monoMs() - (beganMs ?? 0);
  await projector.stop();
  return { records: records.slice(uncounted), ms };
}

export async function publishBare(
  log: EventLog,
  records: readonly NewRecord[],
  runtime: Runtime,
): Promise<number> {
  const publisher = await log.openPublisher();
  const beganMs = runtime.clock.monoMs();
  for (let first = 0; first < records.length; first += batchMax)
    await publisher.publish(records.slice(first, first + batchMax));
  const ms = runtime.clock.monoMs() - beganMs;
  await publisher.close();
  return ms;
}

const batchMax = 1_000;
const lookAgainMs = 2;

function pause(runtime: Runtime): Promise<void> {
  return new Promise((resolve) => {
    runtime.timers.after(lookAgainMs, () => {
      resolve();
    });
  });
}
