// SIZING=5000 npm run test:kafka -- test/kafka/sizing: what so many actions take on the disk of the broker, and
// how fast one projector publishes them, beside what the same client publishes by itself. docs/sizing.md has it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { encodersAsAvro } from '@action-ledger/avro';
import { actionTopics, type EventLog, type NewRecord } from '@action-ledger/event-log';
import { createMemoryEventStore, type RecordedEvent } from '@action-ledger/event-store';
import { createProjector } from '@action-ledger/projector';
import { payActions } from '../sizing/actions.ts';
import { brokersGiven, newPrefix, openLog, runtime } from './world.ts';

const brokers = brokersGiven();
const { SIZING: wanted, KAFKA_FOLDER: folder } = process.env;

if (brokers === undefined || wanted === undefined || folder === undefined) {
  it.skip('what actions take on disk: skipped, it is measured with SIZING=5000 npm run test:kafka', () =>
    undefined);
} else {
  it('measures what actions take on disk, and how fast they are published', async () => {
    const count = Number(wanted);
    const { events } = await payActions('by an executor', count);
    const prefix = newPrefix();
    const log = await openLog(brokers, prefix);
    const { published, ms } = await project(log, events);
    const bytes = bytesByTopic(folder, prefix);
    const bare = await log.openPublisher();
    const began = runtime.clock.monoMs();
    for (let first = 0; first < published.length; first += 1_000)
      await bare.publish(published.slice(first, first + 1_000));
    const bareMs = runtime.clock.monoMs() - began;
    await log.close();
    const perSecond = (took: number): number => Math.round((published.length / took) * 1_000);
    const lines = [actionTopics.events, actionTopics.state].map(
      (topic) =>
        `${topic}: ${Math.round((bytes.get(topic) ?? 0) / count)} bytes on disk per action`,
    );
    lines.push(`projected: ${perSecond(ms)} records/s, sent bare: ${perSecond(bareMs)} records/s`);
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(bytes.size).toBeGreaterThan(1);
  });
}

async function project(log: EventLog, stored: readonly RecordedEvent[]) {
  const published: NewRecord[] = [];
  const events = stored.map((event, index) => ({ ...event, position: index + 1 }));
  const projector = createProjector({
    store: createMemoryEventStore({ events }),
    runtime,
    log: {
      newest: (topics) => log.newest(topics),
      openPublisher: async (options) => {
        const publisher = await log.openPublisher(options);
        return {
          publish: async (records) => {
            await publisher.publish(records);
            published.push(...records);
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
  let began: number | undefined;
  while (projector.health().handled < events.length) {
    if (published.length > 0) began ??= runtime.clock.monoMs();
    await new Promise((resolve) => {
      runtime.timers.after(2, () => {
        resolve(undefined);
      });
    });
  }
  const ms = runtime.clock.monoMs() - (began ?? 0);
  await projector.stop();
  return { published, ms };
}

/** Of the segments of all partitions of a topic. */
function bytesByTopic(of: string, prefix: string): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync(of, { recursive: true, encoding: 'utf8' })) {
    const topic = name.includes(prefix)
      ? /(action\.[a-z.]+)-\d+\/\d+\.log$/.exec(name)?.[1]
      : undefined;
    if (topic === undefined) continue;
    found.set(topic, (found.get(topic) ?? 0) + statSync(join(of, name)).size);
  }
  return found;
}
