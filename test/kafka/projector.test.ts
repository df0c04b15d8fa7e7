// The projector between a server and a real broker: what was stored arrives once and in order for whoever
// passes over what is not newer, and the one that was taken over can publish nothing more, though it wakes.
import { hash, randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createLedger, defineTool } from '@action-ledger/client';
import { actionOfStream } from '@action-ledger/domain';
import { actionTopics, type EventLog, eventPlaceOf, type LogFault } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { createProjector } from '@action-ledger/projector';
import { z } from 'zod';
import { brokersGiven, newPrefix, openLog, runtime, skipped } from './world.ts';

const brokers = brokersGiven();
const actions = 40;
/** Of another application: so many that the server tells how far it has looked. */
const foreign = 300;
const seatStream = 'projector-seat';

if (brokers === undefined) {
  it.skip(skipped('the projector over Kafka'), () => undefined);
} else {
  it('FW15 F102 F109 hands over to another, which misses nothing though the server has told of more, and the log itself fences off the one that wakes too late', async () => {
    const double = await openEventStoreDbDouble({ runtime });
    const { connectionString } = double;
    const store = await openEventStoreDbEventStore({ connectionString, runtime });
    const log = await openLog(brokers, newPrefix());
    const pay = defineTool({
      name: 'pay',
      input: z.object({ invoice: z.string() }),
      guarantee: 'manual',
      execute: ({ beforeSend }) => {
        beforeSend();
      },
    });
    const ledger = await createLedger({ store, runtime, tools: { pay } });
    const call = (n: number) =>
      ledger.tools.pay.call({ invoice: `i-${n}` }, { run: 'r', turn: '1', call: `c-${n}` });
    await Promise.all(numbers(0, actions / 2).map(call));

    const asleep = createAsleep(log);
    const one = projectorOf(standingStill(store, 'one'), asleep.log, 'one');
    await one.start();
    await asleep.holds;
    for (let n = 0; n < foreign; n += 1)
      await double.write('elsewhere.a', { id: randomUUID(), type: 'OrderPlaced' });
    const two = projectorOf(store, log, 'two');
    await two.start();
    await until(() => two.isWorking());
    await Promise.all(numbers(actions / 2, actions).map(call));
    asleep.wake();
    expect(await asleep.ended).toBe('log.fenced');

    const stored = (await store.readAll({ after: 0, max: 10_000 })).filter(
      ({ stream }) => stream !== seatStream,
    );
    const read = await readAll(log, actionTopics.events, stored.length);
    for (const [stream, ids] of read) {
      const own = stored.filter((event) => event.stream === stream).map(({ id }) => id);
      expect(ids).toEqual(own);
    }
    const states = await readAll(log, actionTopics.state, actions);
    const told = [...states.keys()].filter((stream) => actionOfStream(stream) !== undefined);
    expect(told).toHaveLength(actions);
    await Promise.all([one.stop(), two.stop()]);
    await ledger.close();
    await log.close();
    await double.close();
  });
}

function numbers(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

function projectorOf(
  store: EventStore,
  log: Pick<EventLog, 'openPublisher' | 'newest'>,
  instance: string,
) {
  return createProjector({
    store,
    log,
    instance,
    runtime,
    leaseMs: 1_500,
    sha256: (text) => hash('sha256', text, 'base64url'),
    clock: { nowMs: () => runtime.clock.wallMs() },
    onFault: () => undefined,
  });
}

/** A process that stands still goes on with no lease either. */
function standingStill(store: EventStore, instance: string): EventStore {
  let taken = false;
  return {
    ...store,
    append: (stream, expected, events) => {
      const isOwn = stream === seatStream && events[0]?.data.includes(instance) === true;
      if (isOwn && taken) return new Promise(() => undefined);
      taken ||= isOwn;
      return store.append(stream, expected, events);
    },
  };
}

/** Its publishers are open, and stand still before the first thing that they publish. */
function createAsleep(log: EventLog) {
  let wake = (): void => undefined;
  let held = (): void => undefined;
  let end = (_: string): void => undefined;
  const awake = new Promise<void>((resolve) => (wake = resolve));
  const holds = new Promise<void>((resolve) => (held = resolve));
  const ended = new Promise<string>((resolve) => (end = resolve));
  return {
    wake: () => {
      wake();
    },
    holds,
    ended,
    log: {
      newest: (topics) => log.newest(topics),
      openPublisher: async (options) => {
        const publisher = await log.openPublisher(options);
        return {
          publish: async (records) => {
            held();
            await awake;
            await publisher.publish(records).then(
              () => {
                end('published');
              },
              (fault: unknown) => {
                end((fault as LogFault).code);
                throw fault;
              },
            );
          },
          close: () => publisher.close(),
        };
      },
    } satisfies Pick<EventLog, 'openPublisher' | 'newest'>,
  };
}

/** Ids of events by stream, without what is not newer, once there are so many records. */
async function readAll(
  log: EventLog,
  topic: string,
  wanted: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const read = new Map<string, string[]>();
  const revisions = new Map<string, number>();
  let count = 0;
  const consumer = await log.consume({
    group: randomUUID(),
    topics: [topic],
    from: 'start',
    handler: async (records) => {
      for (const record of records) {
        const place = eventPlaceOf(record);
        if (place === undefined || place.revision <= (revisions.get(place.stream) ?? -1)) continue;
        if (topic === actionTopics.events || !revisions.has(place.stream)) count += 1;
        revisions.set(place.stream, place.revision);
        read.set(place.stream, [...(read.get(place.stream) ?? []), place.eventId]);
      }
    },
  });
  await until(() => count >= wanted);
  await consumer.close();
  return read;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds())
    await new Promise((resolve) =>
      runtime.timers.after(20, () => {
        resolve(undefined);
      }),
    );
}
