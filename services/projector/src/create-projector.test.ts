// A ledger over a store in memory, and projectors between it and a log in memory.
import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { projectorSeatStream as seatStream } from '@action-ledger/application';
import { createLedger, defineTool, inDoubt, type Ledger } from '@action-ledger/client';
import { foldAction } from '@action-ledger/codec';
import {
  actionOfStream,
  canonicalJson,
  type JsonObject,
  streamOfAction,
} from '@action-ledger/domain';
import {
  actionTopics,
  createMemoryEventLog,
  eventPlaceOf,
  LogFault,
  type LogRecord,
  type NewRecord,
  type Publisher,
} from '@action-ledger/event-log';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import { createProjector, type Projector, type ProjectorDeps } from './index.ts';

const second = 1_000;
const lease = 9 * second;
const sha256 = (text: string): string => hash('sha256', text, 'base64url');

const pay = defineTool({
  name: 'pay',
  input: z.object({ invoice: z.string() }),
  guarantee: 'manual',
  execute: ({ arguments: { invoice }, beforeSend }) => {
    beforeSend();
    return invoice.startsWith('lost') ? inDoubt('no answer') : { paid: invoice };
  },
});

let runtime: VirtualRuntime;
let store: EventStore;
let ledger: Ledger<{ readonly pay: typeof pay }>;
let log: ReturnType<typeof createMemoryEventLog>;
let faults: string[] = [];
const opened: Projector[] = [];

beforeEach(async () => {
  runtime = createVirtualRuntime({ settling: 'quiet' });
  const memory = createMemoryEventStore();
  store = { ...memory, close: async () => undefined };
  ledger = await createLedger({ store, runtime, tools: { pay } });
  log = createMemoryEventLog({ runtime });
  faults = [];
});

afterEach(async () => {
  const stopped = Promise.all(opened.splice(0).map((each) => each.stop()));
  await runtime.advance(second);
  await stopped;
  await ledger.close();
  await log.close();
});

function projector(instance: string, more: Partial<ProjectorDeps> = {}): Projector {
  const made = createProjector({
    store,
    log,
    sha256,
    clock: { nowMs: () => runtime.clock.wallMs() },
    runtime,
    instance,
    leaseMs: lease,
    onFault: (where, fault) => faults.push(`${where}: ${String(fault)}`),
    ...more,
  });
  opened.push(made);
  return made;
}

async function paid(...invoices: readonly string[]): Promise<void> {
  for (const invoice of invoices) {
    const call = ledger.tools.pay.call({ invoice }, { run: 'r', turn: '1', call: invoice });
    await runtime.settle();
    await call;
  }
}

/** In the order of each key; a consumer that passes over what is not newer sees `fresh`. */
async function published(topic: string) {
  const records: LogRecord[] = [];
  const consumer = await log.consume({
    group: `g-${runtime.ids.next()}`,
    topics: [topic],
    from: 'start',
    handler: async (some) => void records.push(...some),
  });
  await runtime.settle();
  await consumer.close();
  const revisions = new Map<string, number>();
  const fresh = records.filter((record) => {
    const place = eventPlaceOf(record);
    if (place === undefined || place.revision <= (revisions.get(place.stream) ?? -1)) return false;
    revisions.set(place.stream, place.revision);
    return true;
  });
  return { records, fresh };
}

const textOf = ({ value }: LogRecord): string => Buffer.from(value ?? []).toString();

/** Every event once and in order, and of each action the state that its stream folds to. */
async function expectAllPublished(): Promise<void> {
  // Few events are gathered for a moment.
  await runtime.advance(100);
  const stored = (await store.readAll({ after: 0, max: 10_000 })).filter(
    ({ stream }) => stream !== seatStream,
  );
  const events = (await published(actionTopics.events)).fresh;
  const byStream = (stream: string) =>
    events
      .filter((record) => eventPlaceOf(record)?.stream === stream)
      .map((record) => eventPlaceOf(record)?.eventId);
  for (const stream of new Set(stored.map((event) => event.stream)))
    expect(byStream(stream)).toEqual(stored.filter((e) => e.stream === stream).map(({ id }) => id));
  expect(events).toHaveLength(stored.length);
  const states = new Map(
    (await published(actionTopics.state)).fresh.map((record) => [record.key, textOf(record)]),
  );
  const actions = [...new Set(stored.flatMap(({ stream }) => actionOfStream(stream) ?? []))];
  expect([...states.keys()].sort()).toEqual(actions.sort());
  for (const action of actions) {
    const stream = streamOfAction(action);
    const folded = foldAction(sha256, stream, await store.readStream(stream));
    const expected = folded.kind === 'folded' ? folded.action : undefined;
    expect(states.get(action)).toBe(canonicalJson(expected as unknown as JsonObject));
  }
}

/** What a publisher of the memory log does is wrapped: what it is given, and how it ends. */
function withPublisher(
  around: (records: readonly NewRecord[], publish: Publisher['publish']) => Promise<void>,
): Pick<ProjectorDeps, 'log'> {
  return {
    log: {
      newest: (topics) => log.newest(topics),
      openPublisher: async (options) => {
        const publisher = await log.openPublisher(options);
        return {
          publish: (records) => around(records, (given) => publisher.publish(given)),
          close: () => publisher.close(),
        };
      },
    },
  };
}

describe('a projector', () => {
  it('publishes what was there and what comes, and the state that each stream folds to', async () => {
    await paid('i-1', 'lost-2');
    const one = projector('a');
    await one.start();
    await runtime.settle();
    await expectAllPublished();
    await paid('i-3', 'i-4');
    await runtime.settle();
    await expectAllPublished();
    expect(one.isWorking()).toBe(true);
    expect(one.health()).toMatchObject({ condition: 'live', stalledMs: 0 });
    expect(faults).toEqual([]);
  });

  it('tells of what is no action and no workflow, and leaves what it holds in the store', async () => {
    await ledger.pause({ tool: 'pay', by: 'ann', reason: 'the bank is down' });
    await projector('a').start();
    await runtime.settle();
    const { records } = await published(actionTopics.events);
    const told = records.filter((record) => eventPlaceOf(record)?.stream === 'pauses');
    expect(told.map(textOf)).toEqual(['{}']);
  });

  it('goes on after a restart where it was', async () => {
    await paid('i-1');
    const one = projector('a');
    await one.start();
    await runtime.settle();
    const stopped = one.stop();
    await runtime.advance(1);
    await stopped;
    expect(one.health().condition).toBe('stopped');
    const { length: before } = (await published(actionTopics.events)).records;
    await paid('i-2');
    await projector('a').start();
    await runtime.settle();
    const { records } = await published(actionTopics.events);
    expect(records.slice(before).map(({ key }) => key)).not.toContain(records[0]?.key);
    await expectAllPublished();
    expect(records).toHaveLength((await published(actionTopics.events)).fresh.length);
  });

  it('publishes again what may have been published', async () => {
    let failures = 0;
    const flaky = withPublisher(async (records, publish) => {
      failures += 1;
      if (failures % 2 === 0) await publish(records);
      if (failures < 5) throw new LogFault('log.unavailable', 'unsafe', 'no answer');
      await publish(records);
    });
    await paid('i-1', 'i-2');
    await projector('a', flaky).start();
    await runtime.advance(30 * second);
    await expectAllPublished();
    const { records, fresh } = await published(actionTopics.events);
    expect(records.length).toBe(3 * fresh.length);
    expect(faults).toHaveLength(4);
  });

  it('follows again where the store drops it, and reads again where the store was away', async () => {
    let isAway = true;
    const shaky: EventStore = {
      ...store,
      subscribe: (after, subscriber) => {
        if (isAway) throw new StoreFault('store.unavailable', 'safe', 'away');
        return store.subscribe(after, subscriber);
      },
    };
    await paid('i-1');
    await projector('a', { store: shaky }).start();
    await runtime.advance(second);
    isAway = false;
    await runtime.advance(second);
    await paid('i-2');
    await expectAllPublished();
    expect(faults[0]).toContain('following the store');
  });

  it('reads no stream whose events come from its beginning on', async () => {
    const read: string[] = [];
    const watched: EventStore = {
      ...store,
      readStream: async (stream, from) => {
        if (actionOfStream(stream) !== undefined) read.push(stream);
        return store.readStream(stream, from);
      },
    };
    await projector('a', { store: watched }).start();
    await paid('i-1', 'i-2');
    await expectAllPublished();
    expect(read).toEqual([]);
  });

  it('passes over a stream that does not hold together: its events are told, its state is not', async () => {
    await paid('i-1', 'i-2');
    const [damaged = ''] = (await store.readAll({ after: 0, max: 100 }))
      .map(({ stream }) => stream)
      .filter((stream) => actionOfStream(stream) !== undefined);
    const broken: EventStore = {
      ...store,
      readStream: async (stream, from) => {
        if (stream === damaged) throw new StoreFault('store.corrupt', 'never', 'damaged');
        return store.readStream(stream, from);
      },
      subscribe: (after, subscriber) =>
        store.subscribe(after, {
          ...subscriber,
          onEvents: (events) =>
            subscriber.onEvents(
              events.map((event) => (event.stream === damaged ? { ...event, data: '{' } : event)),
            ),
        }),
    };
    await projector('a', { store: broken }).start();
    await runtime.settle();
    const keysOf = async (topic: string) =>
      new Set((await published(topic)).records.map(({ key }) => key));
    const key = actionOfStream(damaged);
    expect(await keysOf(actionTopics.events)).toContain(key);
    expect(await keysOf(actionTopics.state)).not.toContain(key);
    expect((await keysOf(actionTopics.state)).size).toBe(1);
  });
});

describe('of several projectors', () => {
  it('one works; another takes over where it leaves, at once', async () => {
    const [one, two] = [projector('a'), projector('b')];
    await one.start();
    await runtime.settle();
    await two.start();
    await runtime.advance(5 * lease);
    expect([one.isWorking(), two.isWorking()]).toEqual([true, false]);
    expect(two.health().condition).toBe('paused');
    const stopped = one.stop();
    await runtime.advance(lease / 3);
    await stopped;
    expect(two.isWorking()).toBe(true);
    await paid('i-1');
    await expectAllPublished();
  });

  it('FW15 the one that was killed between publishing and its place on record is followed by another', async () => {
    const stored: NewRecord[] = [];
    const dying = withPublisher(async (records, publish) => {
      await publish(records);
      stored.push(...records);
      await new Promise(() => undefined);
    });
    await paid('i-1', 'i-2');
    await projector('a', { ...dying, stopWithinMs: 10 }).start();
    await runtime.settle();
    expect(stored.length).toBeGreaterThan(0);
    // It keeps its lease for as long as it lives.
    opened.pop();
    store.append = refuseSeatOf({ ...store }, 'a');
    const two = projector('b');
    await two.start();
    await runtime.advance(2 * lease);
    expect(two.isWorking()).toBe(true);
    await expectAllPublished();
    const { records, fresh } = await published(actionTopics.events);
    expect(records.length).toBe(2 * fresh.length);
  });

  it('FW15 the one that was taken over and wakes publishes nothing more', async () => {
    let wake = (): void => undefined;
    const woken: string[] = [];
    const asleep = withPublisher(async (records, publish) => {
      await new Promise<void>((resolve) => (wake = resolve));
      try {
        await publish(records);
        woken.push('published');
      } catch (fault) {
        woken.push((fault as LogFault).code);
        throw fault;
      }
    });
    await paid('i-1');
    const one = projector('a', asleep);
    await one.start();
    await runtime.settle();
    const awake = { ...store };
    store.append = refuseSeatOf(awake, 'a');
    const two = projector('b');
    await two.start();
    await runtime.advance(2 * lease);
    expect(two.isWorking()).toBe(true);
    Object.assign(store, awake);
    wake();
    await runtime.advance(lease);
    expect(woken).toEqual(['log.fenced']);
    expect([one.isWorking(), two.isWorking()]).toEqual([false, true]);
    const { records, fresh } = await published(actionTopics.events);
    expect(records.length).toBe(fresh.length);
    await expectAllPublished();
  });

  it('FW15 the one that was taken over fences nobody off, though its log broke', async () => {
    let wake = (): void => undefined;
    const breaking = withPublisher(async () => {
      await new Promise<void>((resolve) => (wake = resolve));
      throw new LogFault('log.unavailable', 'unsafe', 'no answer');
    });
    await paid('i-1');
    const one = projector('a', breaking);
    await one.start();
    await runtime.settle();
    const awake = { ...store };
    store.append = refuseSeatOf(awake, 'a', new StoreFault('store.unavailable', 'safe', 'away'));
    const two = projector('b');
    await two.start();
    await runtime.advance(2 * lease);
    expect(two.isWorking()).toBe(true);
    Object.assign(store, awake);
    wake();
    await runtime.advance(lease);
    await paid('i-2');
    await runtime.advance(lease);
    expect([one.isWorking(), two.isWorking()]).toEqual([false, true]);
    expect(faults.filter((fault) => fault.includes('fenced'))).toEqual([]);
    await expectAllPublished();
  });

  it('keeps the stream of their seat short', async () => {
    await projector('a').start();
    await runtime.advance(250 * (lease / 3));
    const left = await store.readStream(seatStream);
    expect(left.length).toBeLessThanOrEqual(101);
    expect(left.at(-1)?.revision).toBeGreaterThan(240);
  });
});

/** A process that stands still or has lost the store writes nothing. */
function refuseSeatOf(
  from: EventStore,
  instance: string,
  fault?: StoreFault,
): EventStore['append'] {
  return (stream, expected, events) =>
    stream === seatStream && events.some(({ data }) => data.includes(`"holder":"${instance}"`))
      ? fault
        ? Promise.reject(fault)
        : new Promise(() => undefined)
      : from.append(stream, expected, events);
}
