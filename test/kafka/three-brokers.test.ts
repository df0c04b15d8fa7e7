// Three real brokers, of which two are killed with -9 in turn and started again while records are published and
// handled: all that was acknowledged is handled, in the order of its key, however often it comes.
import { afterAll, describe, expect, it } from '@jest/globals';
import { actionTopics, type LogRecord, type Publisher } from '@action-ledger/event-log';
import { type Cluster, startCluster } from './broker/cluster.ts';
import { newPrefix, openLog, runtime, skipped } from './world.ts';

const { KAFKA_JARS: jars = '' } = process.env;
const topic = actionTopics.events;
const keys = Array.from({ length: 20 }, (_, index) => `s-${index}`);
let cluster: Cluster | undefined;

afterAll(async () => {
  await cluster?.stop();
});

const numberOf = ({ value }: LogRecord): number => Number(Buffer.from(value ?? []).toString());

/** One number after the other for every key, each until it is acknowledged. */
function publishing(publisher: Publisher) {
  const state = { acknowledged: 0, failures: 0, isEnough: false };
  const run = async (): Promise<void> => {
    for (let number = 0; !state.isEnough; number += 1) {
      const value = Buffer.from(String(number));
      const records = keys.map((key) => ({ topic, key, value }));
      for (;;) {
        try {
          await publisher.publish(records);
          break;
        } catch (error) {
          expect(error).toMatchObject({ code: 'log.unavailable', retry: 'unsafe' });
          state.failures += 1;
        }
      }
      state.acknowledged += 1;
      await pause(20);
    }
  };
  return { state, ended: run() };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void runtime.timers.after(ms, resolve, { keepsAlive: true }));
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

if (jars === '') {
  it.skip(skipped('three brokers of Kafka'), () => undefined);
} else {
  describe('three brokers', () => {
    it('are killed one after the other under load → all that was acknowledged is handled, in order', async () => {
      const three = (cluster = await startCluster({ jars, brokers: 3 }));
      const timing = { sessionMs: 4_000, heartbeatMs: 200, fetchWaitMs: 50, stallMs: 4_000 };
      const more = {
        topics: { partitions: 4, copies: 3 },
        timing: { ...timing, requestMs: 5_000 },
      };
      const log = await openLog(three.addresses, newPrefix(), more);
      const last = new Map<string, number>();
      let handled = 0;
      let silentMs = 0;
      let heardAt = runtime.clock.monoMs();
      await log.consume({
        ...{ group: 'group', topics: [topic], from: 'start' },
        handler: async (records) => {
          silentMs = Math.max(silentMs, runtime.clock.monoMs() - heardAt);
          heardAt = runtime.clock.monoMs();
          handled += records.length;
          for (const record of records) {
            const before = last.get(record.key) ?? -1;
            const number = numberOf(record);
            // It may have come before; none was passed over.
            if (number > before + 1) throw new Error(`${record.key}: ${number} after ${before}`);
            last.set(record.key, Math.max(before, number));
          }
        },
      });
      const { state, ended } = publishing(await log.openPublisher());
      const all = (): number => Math.min(...keys.map((key) => last.get(key) ?? -1)) + 1;
      for (const broker of [0, 2]) {
        // Two must be in step: the one that was killed before is there again.
        if (broker === 2) await three.start(0);
        const before = state.acknowledged;
        await until(() => state.acknowledged >= before + 10);
        await three.kill(broker);
        const after = state.acknowledged;
        await until(() => state.acknowledged >= after + 10 && all() >= after + 5);
      }
      state.isEnough = true;
      await ended;
      await until(() => all() === state.acknowledged);
      const again = handled - state.acknowledged * keys.length;
      // Closing does not wait for brokers that are gone.
      await Promise.all([0, 1, 2].map((broker) => three.kill(broker)));
      await log.close();
      process.stderr.write(
        `2 of 3 brokers killed in turn: ${state.acknowledged * keys.length} acknowledged, 0 lost, ${again} delivered again, ` +
          `${state.failures} sends failed, at most ${Math.round(silentMs)} ms without a record\n`,
      );
      expect(state.acknowledged).toBeGreaterThan(40);
    });
  });
}
