import { describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import {
  actionTopics,
  type ConsumerFault,
  createGroups,
  createMemoryEventLog,
  deadLetterTopicOf,
  type LogRecord,
  type LogSource,
  LogFault,
  type NewRecord,
  type OffsetStore,
  PoisonRecord,
} from './index.ts';

const topic = actionTopics.events;
const away = new LogFault('log.unavailable', 'safe', 'away');

describe('time in a memory log', () => {
  it('passes only in the pauses after a failure: not a moment before does a record come again', async () => {
    const runtime = createVirtualRuntime();
    const log = createMemoryEventLog({ runtime });
    const publisher = await log.openPublisher();
    await publisher.publish([{ topic, key: 'a', value: new Uint8Array(1) }]);
    const times: number[] = [];
    await log.consume({
      group: 'g',
      topics: [topic],
      from: 'start',
      handler: async () => {
        times.push(runtime.clock.monoMs());
        throw new Error('no');
      },
    });
    await runtime.settle();
    expect([times, runtime.pendingTimers()]).toEqual([[0], 1]);
    await runtime.advance(99);
    expect(times).toEqual([0]);
    await runtime.advance(100_000);
    expect(times).toEqual([0, 100, 300, 700, 1500]);
    expect(runtime.pendingTimers()).toBe(0);
    await log.close();
  });

  it('lets what follows shortly come in one call, where a consumer lingers', async () => {
    const runtime = createVirtualRuntime();
    const log = createMemoryEventLog({ runtime, partitions: 1 });
    const publisher = await log.openPublisher();
    const publish = (key: string) => publisher.publish([{ topic, key, value: new Uint8Array(1) }]);
    const calls: string[] = [];
    await log.consume({
      group: 'g',
      topics: [topic],
      from: 'start',
      lingerMs: 50,
      handler: async (records) => {
        calls.push(`${runtime.clock.monoMs()} ${records.map(({ key }) => key).join('')}`);
      },
    });
    await runtime.settle();
    await publish('a');
    await runtime.advance(30);
    await publish('b');
    await runtime.advance(19);
    expect(calls).toEqual([]);
    await runtime.advance(1);
    expect(calls).toEqual(['50 ab']);
    await publish('c');
    await runtime.settle();
    // Nobody waits for a consumer that only lingers.
    await log.close();
    expect(calls).toEqual(['50 ab']);
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('is the same run each time', async () => {
    const play = async (): Promise<readonly string[]> => {
      const runtime = createVirtualRuntime({ seed: 7 });
      const log = createMemoryEventLog({ runtime, partitions: 3 });
      const publisher = await log.openPublisher();
      const told: string[] = [];
      const consume = (name: string) =>
        log.consume({
          group: 'g',
          topics: [topic],
          from: 'start',
          batchMax: 2,
          handler: async (records, { partition, generation }) => {
            told.push(
              `${name} ${generation} ${partition} ${records.map((each) => each.key).join()}`,
            );
            if (runtime.randomness.next() < 0.3) throw new Error('now and then');
          },
        });
      const first = await consume('first');
      for (let round = 0; round < 10; round += 1) {
        const key = `k${Math.floor(runtime.randomness.next() * 9)}`;
        await publisher.publish([{ topic, key, value: undefined }]);
        if (round === 4) await consume('second');
        if (round === 7) first.kill();
        await runtime.advance(50);
      }
      await runtime.advance(100_000);
      await log.close();
      return told;
    };
    const told = await play();
    expect(told.length).toBeGreaterThan(10);
    expect(await play()).toEqual(told);
  });
});

describe('a source that fails', () => {
  it('is read again after pauses that grow, and is told of', async () => {
    const world = createWorld();
    const { runtime, groups, faults, handled } = world;
    world.failing.read = 3;
    await consume(world);
    await runtime.settle();
    expect(faults.map(pauseOf)).toEqual([100]);
    await runtime.advance(99);
    expect(faults).toHaveLength(1);
    await runtime.advance(1_000);
    expect(faults.map(pauseOf)).toEqual([100, 200, 400]);
    expect(faults.every((fault) => fault.kind === 'log' && fault.error === away)).toBe(true);
    expect(handled).toEqual([0, 1]);
    await groups.close();
  });

  it('keeps a record from being passed until its dead letter is stored', async () => {
    const world = createWorld();
    const { runtime, groups, faults, handled, letters } = world;
    world.failing.publish = 2;
    world.handle = (offset) => {
      if (offset === 0) throw new PoisonRecord('bad');
    };
    await consume(world);
    await runtime.settle();
    expect([handled, world.next()]).toEqual([[], undefined]);
    await runtime.advance(1_000);
    expect(letters.map((letter) => letter.topic)).toEqual([deadLetterTopicOf(topic)]);
    expect(faults.map((fault) => fault.kind)).toEqual(['log', 'log', 'dead letter']);
    expect([handled, world.next()]).toEqual([[1], 2]);
    await groups.close();
  });

  it('does not keep a consumer from being closed', async () => {
    const world = createWorld();
    world.failing.read = 1_000_000;
    await consume(world);
    await world.runtime.settle();
    await world.groups.close();
    expect(world.handled).toEqual([]);
    expect(world.runtime.pendingTimers()).toBe(0);
  });
});

describe('a page without records', () => {
  it('moves the group on where the log knows that nothing is there', async () => {
    const world = createWorld();
    world.records.splice(0);
    world.emptyUpTo = 500;
    await consume(world);
    await world.runtime.settle();
    expect([world.handled, world.next()]).toEqual([[], 500]);
    await world.groups.close();
  });
});

interface World {
  readonly runtime: ReturnType<typeof createVirtualRuntime>;
  readonly groups: ReturnType<typeof createGroups>;
  readonly records: LogRecord[];
  readonly faults: ConsumerFault[];
  readonly handled: number[];
  readonly letters: NewRecord[];
  readonly failing: { read: number; publish: number };
  handle: (offset: number) => void;
  emptyUpTo: number;
  next(): number | undefined;
}

/** One partition with records 0 and 1, over a source that fails as often as told. */
function createWorld(): World {
  const runtime = createVirtualRuntime();
  const records = [0, 1].map((offset): LogRecord => {
    const place = { topic, partition: 0, offset };
    return { ...place, key: 'k', value: undefined, headers: {}, timestamp: 0 };
  });
  const failing = { read: 0, publish: 0 };
  const letters: NewRecord[] = [];
  const source: LogSource = {
    partitions: () => 1,
    read: async ({ from }) => {
      if (failing.read > 0) {
        failing.read -= 1;
        throw away;
      }
      const found = records.filter(({ offset }) => offset >= from);
      return {
        records: found,
        next: Math.max(from, world.emptyUpTo, (found.at(-1)?.offset ?? -1) + 1),
      };
    },
    end: async () => records.length,
    waiting: async (_place, from) => records.length - from,
    publishDeadLetter: async (record) => {
      if (failing.publish > 0) {
        failing.publish -= 1;
        throw away;
      }
      letters.push(record);
    },
  };
  let kept: number | undefined;
  const offsets: OffsetStore = {
    get: () => kept,
    set: (_group, _place, next) => {
      kept = next;
    },
    flush: async () => undefined,
  };
  const world: World = {
    runtime,
    groups: createGroups({ source, offsets, runtime }),
    records,
    faults: [],
    handled: [],
    letters,
    failing,
    handle: () => undefined,
    emptyUpTo: 0,
    next: () => kept,
  };
  return world;
}

async function consume(world: World): Promise<void> {
  await world.groups.consume({
    group: 'g',
    topics: [topic],
    from: 'start',
    batchMax: 1000,
    handler: async (records) => {
      for (const { offset } of records) world.handle(offset);
      world.handled.push(...records.map(({ offset }) => offset));
    },
    onFault: (fault) => world.faults.push(fault),
  });
}

function pauseOf(fault: ConsumerFault): number {
  return 'againInMs' in fault ? fault.againInMs : NaN;
}
