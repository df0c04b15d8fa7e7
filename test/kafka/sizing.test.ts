// SIZING=5000 npm run test:kafka -- test/kafka/sizing: what so many actions take on the disk of the broker, and
// how fast one projector publishes them, beside what the same client publishes by itself. docs/sizing.md has it.
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { actionTopics } from '@action-ledger/event-log';
import { payActions } from '../sizing/actions.ts';
import { publishBare, publishByProjector } from '../sizing/publish.ts';
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
    const { records, ms } = await publishByProjector(log, events, runtime);
    const bytes = bytesByTopic(folder, prefix);
    const bareMs = await publishBare(log, records, runtime);
    await log.close();
    const perSecond = (took: number): number => Math.round((records.length / took) * 1_000);
    const lines = [actionTopics.events, actionTopics.state].map(
      (topic) =>
        `${topic}: ${Math.round((bytes.get(topic) ?? 0) / count)} bytes on disk per action`,
    );
    lines.push(`projected: ${perSecond(ms)} records/s, sent bare: ${perSecond(bareMs)} records/s`);
    process.stdout.write(`${lines.join('\n')}\n`);
    expect(bytes.size).toBeGreaterThan(1);
  });
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
