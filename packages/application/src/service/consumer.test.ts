import { describe, expect, it } from '@jest/globals';
import {
  actionTopics,
  createMemoryEventLog,
  type EventLog,
  headersOfEvent,
  LogFault,
  type LogRecord,
  type MemoryEventLog,
} from '@action-ledger/event-log';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { createConsumer, type ConsumerOptions, type ConsumerLoop } from './consumer.ts';

const topic = actionTopics.events;

interface World {
  readonly runtime: VirtualRuntime;
  readonly log: MemoryEventLog;
  readonly handled: string[];
  readonly faults: string[];
  readonly publish: (...events: readonly string[]) => Promise<void>;
  readonly create: (options?: Partial<ConsumerOptions>) => ConsumerLoop;
}

function createWorld(): World {
  const runtime = createVirtualRuntime();
  const log = createMemoryEventLog({ runtime, partitions: 2 });
  const handled: string[] = [];
  const faults: string[] = [];
  return {
    runtime,
    log,
    handled,
    faults,
    publish: async (...events) => {
      const publisher = await log.openPublisher();
      const records = events.map((name) => {
        const [stream = '', revision = '0'] = name.split(':');
        const place = { eventId: name, type: 'T', stream, revision: Number(revision), position: 1 };
        return { topic, key: stream, value: undefined, headers: headersOfEvent(place) };
      });
      await publisher.publish(records);
      await runtime.settle();
    },
    create: (options = {}) =>
      createConsumer({
        log,
        group: 'executor',
        topics: [topic],
        runtime,
        handle: async (records) => {
          handled.push(...namesOf(records));
        },
        onFault: (where) => faults.push(where),
        ...options,
      }),
  };
}

const namesOf = (records: readonly LogRecord[]): readonly string[] =>
  records.map(({ headers }) => String(headers['event-id']));

describe('a consumer', () => {
  it('handles what is there and what comes, from start to stop', async () => {
    const { runtime, create, publish, handled } = createWorld();
    const service = create();
    expect(service.health()).toMatchObject({ condition: 'stopped', lag: undefined });
    await publish('a:0');
    await service.start();
    await publish('a:1');
    expect(handled).toEqual(['a:0', 'a:1']);
    await runtime.advance(5_000);
    expect(service.health()).toEqual({
      condition: 'live',
      stalledMs: 0,
      lag: 0,
      handled: 2,
      redelivered: 0,
      deadLetters: 0,
    });
    await service.stop();
    await publish('a:2');
    expect([service.health().condition, handled]).toEqual(['stopped', ['a:0', 'a:1']]);
    expect(runtime.pendingTimers()).toBe(0);
    await service.start();
    await runtime.settle();
    expect(handled).toEqual(['a:0', 'a:1', 'a:2']);
    await service.stop();
  });

  it('is started once at a time', async () => {
    const service = createWorld().create();
    await service.start();
    await expect(service.start()).rejects.toThrow('started before');
    await service.stop();
    await service.stop();
  });

  it('drops what is not newer: events published again, and those of a replay', async () => {
    const { create, publish, handled, runtime } = createWorld();
    const service = create();
    await service.start();
    await publish('a:0', 'a:1', 'b:0');
    await publish('a:0', 'a:1', 'a:2', 'b:0');
    expect(handled.toSorted()).toEqual(['a:0', 'a:1', 'a:2', 'b:0']);
    expect(service.health()).toMatchObject({ handled: 4, redelivered: 3 });
    const other = create();
    await other.start();
    await runtime.settle();
    expect(handled).toHaveLength(4);
    await Promise.all([service.stop(), other.stop()]);
  });

  it('gives a replay to a service that is started for it', async () => {
    const { create, publish, handled, log, runtime } = createWorld();
    const service = create();
    await service.start();
    await publish('a:0', 'a:1');
    await service.stop();
    await log.reset({ group: 'executor', topics: [topic], to: 'start' });
    await service.start();
    await runtime.settle();
    expect(handled).toEqual(['a:0', 'a:1', 'a:0', 'a:1']);
    await service.stop();
  });

  it('does not take for handled what failed', async () => {
    const { create, publish, runtime, faults } = createWorld();
    const tries: string[] = [];
    const service = create({
      handle: async (records) => {
        tries.push(namesOf(records).join());
        if (tries.length < 3) throw new Error('not yet');
      },
    });
    await service.start();
    await publish('a:0');
    await runtime.advance(1_000);
    expect([tries, faults]).toEqual([
      ['a:0', 'a:0', 'a:0'],
      ['handler', 'handler'],
    ]);
    await service.stop();
  });

  it('counts dead letters', async () => {
    const { create, publish, runtime, faults } = createWorld();
    const retry = { triesMax: 1 };
    const service = create({ retry, handle: () => Promise.reject(new Error('bad')) });
    await service.start();
    await publish('a:0');
    await runtime.settle();
    expect(service.health()).toMatchObject({ handled: 0, deadLetters: 1 });
    expect(faults).toEqual(['dead letter']);
    await service.stop();
  });
});

describe('starting', () => {
  it('goes on trying while the log is away, and says so', async () => {
    const { create, log, runtime, publish, handled, faults } = createWorld();
    let failures = 3;
    const away: EventLog = {
      ...log,
      consume: async (options) => {
        failures -= 1;
        if (failures >= 0) throw new LogFault('log.unavailable', 'safe', 'away');
        return log.consume(options);
      },
    };
    const service = create({ log: away });
    const started = service.start();
    await runtime.settle();
    expect(service.health().condition).toBe('starting');
    await publish('a:0');
    await runtime.advance(1_000);
    await started;
    await runtime.settle();
    expect([handled, faults]).toEqual([['a:0'], ['starting', 'starting', 'starting']]);
    await service.stop();
  });

  it('is given up by stop', async () => {
    const { create, log, runtime } = createWorld();
    const fault = new LogFault('log.unavailable', 'safe', 'away');
    const service = create({ log: { ...log, consume: () => Promise.reject(fault) } });
    const started = service.start();
    await runtime.settle();
    await service.stop();
    await started;
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('fails where trying again cannot help', async () => {
    const service = createWorld().create({ topics: ['nothing'] });
    await expect(service.start()).rejects.toMatchObject({ code: 'log.unknown-topic' });
    expect(service.health().condition).toBe('stopped');
  });
});

describe('liveness', () => {
  const hang = (): Promise<void> => new Promise(() => undefined);

  it('a handler that hangs while something waits is stuck after a minute, and told of once', async () => {
    const { create, publish, runtime, faults } = createWorld();
    const service = create({ handle: hang });
    await service.start();
    await publish('a:0');
    await runtime.advance(50_000);
    expect(service.health()).toMatchObject({ condition: 'live', lag: 1 });
    expect(service.health().stalledMs).toBeGreaterThanOrEqual(40_000);
    await runtime.advance(200_000);
    expect(service.health().condition).toBe('stuck');
    expect(faults).toEqual(['stuck']);
  });

  it('a handler that finds its store away is not stuck: to start it anew would change nothing', async () => {
    const { create, publish, runtime, faults } = createWorld();
    const service = create({
      handle: async () => {
        throw Object.assign(new Error('away'), { retry: 'safe' });
      },
    });
    await service.start();
    await publish('a:0');
    for (let look = 0; look < 60; look += 1) {
      await runtime.advance(10_000);
      expect(service.health().condition).toBe('live');
    }
    expect(faults).not.toContain('stuck');
  });

  it('a partition that hangs is not hidden by another that gets on', async () => {
    const { create, publish, runtime, handled } = createWorld();
    const service = create({
      handle: async (records, { partition }) => {
        if (partition === 0) await hang();
        handled.push(...namesOf(records));
      },
    });
    await service.start();
    for (let round = 0; round < 20; round += 1) {
      await publish(...Array.from({ length: 8 }, (_, stream) => `s-${stream}:${round}`));
      await runtime.advance(5_000);
    }
    expect(handled.length).toBeGreaterThan(20);
    expect(service.health().condition).toBe('stuck');
  });

  it('answers for its own partitions, not for those of others in its group', async () => {
    const { create, publish, runtime } = createWorld();
    const hanging = create({ handle: hang });
    await hanging.start();
    const sound = create();
    await sound.start();
    await publish(...Array.from({ length: 8 }, (_, stream) => `s-${stream}:0`));
    await runtime.advance(120_000);
    expect([hanging.health().condition, sound.health().condition]).toEqual(['stuck', 'live']);
    expect(sound.health().lag).toBeGreaterThan(0);
  });

  it('is not stuck while it gets on, however much waits', async () => {
    const { create, publish, runtime } = createWorld();
    const service = create({
      batchMax: 1,
      handle: () =>
        new Promise((resolve) => {
          runtime.timers.after(30_000, resolve);
        }),
    });
    await service.start();
    await publish(...Array.from({ length: 20 }, (_, index) => `a:${index}`));
    for (let look = 0; look < 40; look += 1) {
      await runtime.advance(10_000);
      expect(service.health()).toMatchObject({ condition: 'live' });
    }
    expect(service.health().lag).toBeGreaterThan(0);
  });

  it('is not stuck where nothing waits, nor for what waited while it was paused', async () => {
    const { create, publish, runtime, handled } = createWorld();
    const service = create();
    await service.start();
    await runtime.advance(600_000);
    expect(service.health()).toMatchObject({ condition: 'live', stalledMs: 0 });
    service.pause();
    await publish('a:0');
    await runtime.advance(600_000);
    expect(service.health()).toMatchObject({ condition: 'paused', stalledMs: 0, lag: 1 });
    service.resume();
    expect(service.health()).toMatchObject({ condition: 'live', stalledMs: 0 });
    await runtime.settle();
    expect(handled).toEqual(['a:0']);
    await service.stop();
  });

  it('may be paused before it is started', async () => {
    const { create, publish, runtime, handled } = createWorld();
    const service = create();
    service.pause();
    await service.start();
    await publish('a:0');
    expect(handled).toEqual([]);
    service.resume();
    await runtime.settle();
    expect(handled).toEqual(['a:0']);
    await service.stop();
  });

  it('tells where the lag cannot be known, and looks again', async () => {
    const { create, log, runtime, faults } = createWorld();
    const away = { ...log, lag: () => Promise.reject(new Error('away')) };
    const service = create({ log: away });
    await service.start();
    await runtime.advance(11_000);
    expect(faults).toEqual(['lag', 'lag', 'lag']);
    expect(service.health().lag).toBeUndefined();
    await service.stop();
  });
});

describe('stopping', () => {
  it('waits for a running handler, and keeps what it did', async () => {
    const { create, publish, runtime, log } = createWorld();
    const service = create({
      handle: () =>
        new Promise((resolve) => {
          runtime.timers.after(9_000, resolve);
        }),
    });
    await service.start();
    await publish('a:0');
    const stopped = service.stop();
    await runtime.advance(9_000);
    await stopped;
    const lags = await log.lag('executor', [topic]);
    expect(lags.map(({ lag }) => lag)).toEqual([0, 0]);
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('does not wait for ever', async () => {
    const { create, publish, runtime, faults } = createWorld();
    const service = create({ handle: () => new Promise(() => undefined) });
    await service.start();
    await publish('a:0');
    const stopped = service.stop();
    await runtime.advance(10_000);
    await stopped;
    expect(faults).toEqual(['stopping']);
  });
});
