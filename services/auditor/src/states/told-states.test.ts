// Reading the topic of states while somebody goes on publishing there.
import { describe, expect, it } from '@jest/globals';
import {
  actionTopics,
  createMemoryEventLog,
  headersOfEvent,
  type MemoryEventLog,
} from '@action-ledger/event-log';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { everything, readToldStates } from './told-states.ts';

const second = 1_000;
const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/** Who has read so many batches is taken for one that does not end. */
const batchesMax = 100;
const restMs = 100;

function createWorld() {
  const runtime = createVirtualRuntime({ settling: 'quiet' });
  const log = createMemoryEventLog({ runtime });
  const publish = async (key: string, revision: number): Promise<void> => {
    const publisher = await log.openPublisher();
    const place = { eventId: 'e', type: 'T', stream: key, revision, position: revision + 1 };
    const value = Buffer.from(`${key} ${revision}`);
    const headers = headersOfEvent(place);
    await publisher.publish([{ topic: actionTopics.state, key, value, headers }]);
    await publisher.close();
  };
  const read = async (over: Partial<MemoryEventLog>, afterBatch: () => Promise<void>) => {
    let batches = 0;
    const reading = readToldStates(
      {
        runtime,
        log: { ...log, ...over },
        digest: (text) => text,
        textOf: (value) => Buffer.from(value).toString(),
        rest: async () => {
          batches += 1;
          if (batches < batchesMax) await afterBatch();
          await new Promise<void>((resolve) => void runtime.timers.after(restMs, resolve));
        },
        isStopped: () => batches >= batchesMax,
      },
      everything,
    );
    await runtime.advance(60 * second);
    return reading;
  };
  return { log, publish, read };
}

describe('the topic of states', () => {
  it('is read to where it ended at the start, however much is published meanwhile', async () => {
    const { publish, read } = createWorld();
    for (const key of before) await publish(key, 0);
    let more = 0;
    const told = await read({}, async () => {
      more += 1;
      for (let n = 0; n < 8; n += 1) await publish(`later-${more}.${n}`, 0);
    });
    expect(more).toBeGreaterThan(0);
    expect(told).toBeDefined();
    for (const key of before) expect(told?.states.get(key)?.digest).toBe(`${key} 0`);
  });

  it('is read to its end where the record that was its last one has been replaced', async () => {
    const { log, publish, read } = createWorld();
    for (const key of before) await publish(key, 0);
    const newest: MemoryEventLog['newest'] = async (topics) => {
      const found = await log.newest(topics);
      for (const key of before) await publish(key, 1);
      return found;
    };
    const told = await read({ newest }, async () => undefined);
    for (const key of before) expect(told?.states.get(key)?.digest).toBe(`${key} 1`);
  });

  it('keeps the newer state where records come once more', async () => {
    const { log, publish, read } = createWorld();
    for (const revision of [0, 1]) await publish('a', revision);
    await publish('b', 0);
    const consume: MemoryEventLog['consume'] = async (options) => {
      const older = { key: 'a', value: Buffer.from('a 0'), timestamp: 0 };
      const place = { eventId: 'e', type: 'T', stream: 'a', revision: 0, position: 1 };
      const [last] = (await log.newest(options.topics)).filter(({ key }) => key === 'a');
      if (last === undefined) throw new Error('There is no record of it.');
      const again = { ...last, ...older, headers: headersOfEvent(place), offset: last.offset - 1 };
      return log.consume({
        ...options,
        handler: async (records, delivery) => {
          await options.handler(records, delivery);
          if (records.some(({ key }) => key === 'a')) await options.handler([again], delivery);
        },
      });
    };
    const told = await read({ consume }, async () => undefined);
    expect(told?.states.get('a')).toMatchObject({ revision: 1, digest: 'a 1' });
  });

  it('has nothing to wait for where it is empty', async () => {
    const told = await createWorld().read({}, async () => undefined);
    expect(told?.states.size).toBe(0);
  });
});
