import { describe, expect, it } from '@jest/globals';
import {
  actionTopics,
  type ConsumeOptions,
  eventPlaceOf,
  type LogRecord,
} from '@action-ledger/event-log';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
  StoreFault,
} from '@action-ledger/event-store';
import {
  createFaultScript,
  createFaultyEventStore,
  createVirtualRuntime,
} from '@action-ledger/testkit';
import { openEmbeddedEventLog, type StateOf } from './index.ts';

const { events, state } = actionTopics;
const action = `action-${'k'.repeat(43)}.0`;

let minted = 0;
async function append(store: EventStore, stream: string, count = 1): Promise<void> {
  for (let each = 0; each < count; each += 1) {
    const last = (await store.readStream(stream)).at(-1)?.revision;
    minted += 1;
    const event = { id: `e${minted}`, type: 'T', data: `{"n":${minted}}`, metadata: '{"at":1234}' };
    await store.append(stream, last ?? 'no stream', [event]);
  }
}

async function openOver(store: EventStore, options: { stateOf?: StateOf } = {}) {
  const runtime = createVirtualRuntime();
  const faults: string[] = [];
  const log = await openEmbeddedEventLog({
    store,
    path: ':memory:',
    runtime,
    ...options,
    onFault: (where) => faults.push(where),
  });
  const consume = async (topic: string, others: Partial<ConsumeOptions> = {}) => {
    const records: LogRecord[] = [];
    const handler = async (batch: readonly LogRecord[]): Promise<void> => {
      records.push(...batch);
    };
    const from = 'start';
    const consumer = await log.consume({ group: 'g', topics: [topic], from, handler, ...others });
    await runtime.settle();
    return { records, consumer };
  };
  return { log, runtime, faults, consume };
}

const text = (record: LogRecord | undefined): string => Buffer.from(record?.value ?? []).toString();
const placesOf = (records: readonly LogRecord[]): readonly string[] =>
  records.map((record) => {
    const place = eventPlaceOf(record);
    return `${place?.stream}:${place?.revision}`;
  });

describe('action.events over a store', () => {
  it('is the event: its action as key, its position as offset, its texts as value', async () => {
    const store = createMemoryEventStore();
    await append(store, 'tool-refund');
    await append(store, action);
    const { log, consume } = await openOver(store);
    const { records } = await consume(events);
    const [, event] = await store.readAll({ after: 0, max: 2 });
    const record = records.find(({ offset }) => offset === 2);
    expect(record).toMatchObject({ key: `${'k'.repeat(43)}.0`, timestamp: 1234 });
    expect(text(record)).toBe(`{"data":${event?.data},"metadata":${event?.metadata}}`);
    expect(eventPlaceOf(record ?? { headers: {} })).toEqual({
      eventId: event?.id,
      type: 'T',
      stream: action,
      revision: 0,
      position: 2,
    });
    expect(records.find(({ offset }) => offset === 1)?.key).toBe('tool-refund');
    await log.close();
  });

  it('takes no publisher: nothing is in the log that is not in the store', async () => {
    const { log } = await openOver(createMemoryEventStore());
    await expect(log.openPublisher()).rejects.toMatchObject({
      code: 'log.derived-topic',
      retry: 'never',
    });
    await log.close();
  });

  it('gives everything to a group that fell behind what is kept in memory', async () => {
    const store = createMemoryEventStore();
    const { log, runtime, consume } = await openOver(store);
    const { records, consumer } = await consume(events);
    consumer.pause();
    for (let each = 0; each < 12_000; each += 1) {
      const event = { id: `f${each}`, type: 'T', data: '{}', metadata: '{}' };
      await store.append(`s-${each}`, 'no stream', [event]);
    }
    consumer.resume();
    while (records.length < 12_000) await runtime.settle();
    expect(new Set(records.map(({ offset }) => offset)).size).toBe(12_000);
    expect(records).toHaveLength(12_000);
    await log.close();
  });

  it('reads the store about once for all partitions that are behind', async () => {
    const inner = createMemoryEventStore();
    for (let each = 0; each < 2_000; each += 1) await append(inner, `s-${each}`);
    let reads = 0;
    const store: EventStore = {
      ...inner,
      readAll: (range) => {
        reads += 1;
        return inner.readAll(range);
      },
    };
    const { log, runtime, consume } = await openOver(store);
    const { records } = await consume(events);
    while (records.length < 2_000) await runtime.settle();
    expect(reads).toBeLessThanOrEqual(2 * Math.ceil(2_000 / 256));
    await log.close();
  });

  it('reads what one partition is late for from what it has read for the others', async () => {
    const inner = createMemoryEventStore();
    for (let each = 0; each < 2_000; each += 1) await append(inner, `s-${each}`);
    let reads = 0;
    const store: EventStore = {
      ...inner,
      readAll: (range) => {
        reads += 1;
        return inner.readAll(range);
      },
    };
    const { log, runtime, consume } = await openOver(store);
    let goOn = (): void => undefined;
    const late = new Promise<void>((resolve) => (goOn = resolve));
    const handled = Array.from({ length: 8 }, () => 0);
    const handler: ConsumeOptions['handler'] = async (batch, { partition }) => {
      if (partition === 0) await late;
      handled[partition] = (handled[partition] ?? 0) + batch.length;
    };
    await consume(events, { handler });
    await runtime.settle();
    const ofOthers = reads;
    expect(handled[0]).toBe(0);
    goOn();
    await runtime.settle();
    expect(handled.reduce((sum, each) => sum + each)).toBe(2_000);
    expect(reads).toBe(ofOthers);
    await log.close();
  });

  it('is not asked again and again for what was given up', async () => {
    const inner = createMemoryEventStore();
    const givenUp = 100_000;
    for (let each = 0; each < 300; each += 1) await append(inner, `s-${each}`);
    let reads = 0;
    const store: EventStore = {
      ...inner,
      head: async () => (await inner.head()) * givenUp,
      readAll: async ({ after, max }) => {
        reads += 1;
        const left = await inner.readAll({ after: Math.floor(after / givenUp), max });
        return left.map((event) => ({ ...event, position: event.position * givenUp }));
      },
    };
    const { log, runtime, consume } = await openOver(store);
    const { records } = await consume(events);
    for (let turn = 0; turn < 100 && records.length < 300; turn += 1) await runtime.settle();
    expect(records).toHaveLength(300);
    expect(reads).toBeLessThan(20);
    await log.close();
  });

  it('makes no record of what its consumer passes by, and moves on past it', async () => {
    const store = createMemoryEventStore();
    const { log, runtime, consume } = await openOver(store);
    const passesBy = ({ stream, revision }: { stream: string; revision: number }): boolean =>
      stream === action && revision < 3;
    const { records } = await consume(events, { passesBy, batchMax: 1 });
    await append(store, action, 3);
    await runtime.settle();
    expect(records).toEqual([]);
    expect(await log.lag('g', [events])).toContainEqual(expect.objectContaining({ next: 4 }));
    await append(store, action, 2);
    await append(store, 'tool-refund');
    await runtime.settle();
    expect([...placesOf(records)].sort()).toEqual([`${action}:3`, `${action}:4`, 'tool-refund:0']);
    await log.close();
  });

  it('passes over a damaged row, and reads on after it', async () => {
    const inner = createMemoryEventStore();
    for (const stream of ['a', 'b', 'c', 'd']) await append(inner, stream);
    const store: EventStore = {
      ...inner,
      readAll: async ({ after, max }) => {
        if (after === 1) throw corrupt(2, 3);
        const read = await inner.readAll({ after, max });
        return read.filter(({ position }) => after >= 3 || position < 2);
      },
    };
    const { log, consume } = await openOver(store);
    const { records } = await consume(events);
    expect(placesOf(records).toSorted()).toEqual(['a:0', 'd:0']);
    await log.close();
  });

  it('follows on where its subscription has ended', async () => {
    const script = createFaultScript();
    const store = createFaultyEventStore(createMemoryEventStore(), script);
    const { log, runtime, faults, consume } = await openOver(store);
    const { records } = await consume(events);
    script.onDelivery('drop');
    await append(store, 'a');
    await runtime.settle();
    expect([records, faults]).toEqual([[], ['following the store']]);
    await append(store, 'b');
    await runtime.advance(100);
    expect(placesOf(records).toSorted()).toEqual(['a:0', 'b:0']);
    await log.close();
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('follows on where its subscription has ended without a word', async () => {
    const script = createFaultScript();
    const store = createFaultyEventStore(createMemoryEventStore(), script);
    const { log, runtime, faults, consume } = await openOver(store);
    const { records } = await consume(events);
    await runtime.advance(60_000);
    expect(faults).toEqual([]);
    script.onDelivery('lose');
    await append(store, 'a');
    await append(store, 'b');
    await runtime.settle();
    expect(records).toEqual([]);
    // It is not known yet of which partition they are, but that they wait.
    const lags = await log.lag('g', [events]);
    expect(lags.reduce((sum, { lag }) => sum + lag, 0)).toBeGreaterThanOrEqual(2);
    await runtime.advance(11_000);
    expect(placesOf(records).toSorted()).toEqual(['a:0', 'b:0']);
    expect(faults).toEqual(['following the store']);
    await log.close();
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('moves groups on in partitions where nothing happens', async () => {
    const store = createMemoryEventStore();
    const { log, runtime, consume } = await openOver(store);
    await consume(events);
    await append(store, 'a', 600);
    await runtime.settle();
    const lags = await log.lag('g', [events]);
    expect(lags.map(({ lag }) => lag)).toEqual(lags.map(() => 0));
    for (const { next } of lags) expect(next).toBeGreaterThan(600 - 2 * 256);
    await log.close();
  });

  it('waits where the store cannot be read for a while', async () => {
    const script = createFaultScript();
    const store = createFaultyEventStore(createMemoryEventStore(), script);
    await append(store, 'a');
    const { log, runtime, consume } = await openOver(store);
    for (let each = 0; each < 8; each += 1) script.onRead(undefined, ({ kind }) => kind === 'all');
    const told: string[] = [];
    const { records } = await consume(events, { onFault: ({ kind }) => told.push(kind) });
    expect([records, new Set(told)]).toEqual([[], new Set(['log'])]);
    await runtime.advance(1_000);
    expect(placesOf(records)).toEqual(['a:0']);
    await log.close();
  });
});

describe('action.state over a store', () => {
  /** The number of events and the last one's text. */
  const stateOf: StateOf = (stream, all) =>
    stream.startsWith('s-') ? Buffer.from(`${all.length} ${all.at(-1)?.data}`) : undefined;

  it('is not there without a fold', async () => {
    const { log, consume } = await openOver(createMemoryEventStore());
    await expect(consume(state)).rejects.toMatchObject({ code: 'log.unknown-topic' });
    await log.close();
  });

  it('gives the latest state of each stream once, and a later one when there is one', async () => {
    const store = createMemoryEventStore();
    for (let round = 0; round < 3; round += 1) {
      for (const stream of ['s-a', 's-b', 'tool-x']) await append(store, stream);
    }
    const { log, runtime, consume } = await openOver(store, { stateOf });
    const { records } = await consume(state);
    expect(placesOf(records).toSorted()).toEqual(['s-a:2', 's-b:2']);
    expect(records.every(({ topic, value }) => topic === state && value !== undefined)).toBe(true);
    const [, last] = await store.readStream('s-a', 1);
    expect(text(records.find(({ key }) => key === 's-a'))).toBe(`3 ${last?.data}`);
    await append(store, 's-a');
    await runtime.settle();
    expect(placesOf(records.slice(2))).toEqual(['s-a:3']);
    await log.close();
  });

  it('gives every stream of many, whatever the batches, and keeps its place', async () => {
    const store = createMemoryEventStore();
    for (let round = 0; round < 2; round += 1) {
      for (let each = 0; each < 1_000; each += 1) await append(store, `s-${each}`);
    }
    const { log, runtime, consume } = await openOver(store, { stateOf });
    const { records, consumer } = await consume(state, { batchMax: 7 });
    while (records.length < 1_000) await runtime.settle();
    expect(new Set(placesOf(records)).size).toBe(1_000);
    expect(records.every((record) => eventPlaceOf(record)?.revision === 1)).toBe(true);
    await runtime.settle();
    await consumer.close();
    expect(records).toHaveLength(1_000);
    const next = await consume(state);
    await runtime.settle();
    expect(next.records).toEqual([]);
    await log.close();
  });

  it('passes over a stream that cannot be read', async () => {
    const inner = createMemoryEventStore();
    for (const stream of ['s-a', 's-b']) await append(inner, stream);
    const store: EventStore = {
      ...inner,
      readStream: async (stream): Promise<readonly RecordedEvent[]> => {
        if (stream === 's-a') throw corrupt(1, 1);
        return inner.readStream(stream);
      },
    };
    const { log, consume } = await openOver(store, { stateOf });
    const told: string[] = [];
    const { records } = await consume(state, { onFault: ({ kind }) => told.push(kind) });
    expect(placesOf(records)).toEqual(['s-b:0']);
    expect(told).toEqual([]);
    await log.close();
  });
});

function corrupt(position: number, through: number): StoreFault {
  const detail = { stream: 's', position, through };
  return new StoreFault('store.corrupt', 'never', 'damaged', { detail });
}
