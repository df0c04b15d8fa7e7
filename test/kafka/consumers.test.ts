// What goes wrong around consumers and topics, over a real broker: an error beside slow partitions, a
// death with work in hand, sends at once, a connection that falls silent, a handler that outlasts its
// session, records that others publish, records that are gone.
import { type Socket, connect } from 'node:net';
import { zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  actionTopics,
  type ConsumeOptions,
  type ConsumerFault,
  deadLetterFactsOf,
  deadLetterTopicOf,
  eventPlaceOf,
  type LogRecord,
  PoisonRecord,
  type RecordHandler,
} from '@action-ledger/event-log';
import { type KafkaEventLog } from '@action-ledger/event-log-kafka';
import {
  CompressionCodecs,
  CompressionTypes,
  type ISocketFactory,
  Kafka,
  logLevel,
  type Message,
} from 'kafkajs';
import { brokersGiven, createFeed, newPrefix, openLog, runtime, skipped } from './world.ts';

const given = brokersGiven();
const brokers = given ?? [];
const events = actionTopics.events;
const logs: KafkaEventLog[] = [];

afterAll(async () => {
  await Promise.all(logs.map((log) => log.close()));
});

async function start(more: Parameters<typeof openLog>[2] = {}) {
  const prefix = newPrefix();
  const log = await openLog(brokers, prefix, more);
  const publisher = await log.openPublisher();
  const feed = createFeed();
  logs.push(log);
  return { log, prefix, publisher, feed: (...streams: string[]) => feed(publisher, streams) };
}

/** A consumer that notes what it handles and is told. */
async function follow(
  log: KafkaEventLog,
  handle: RecordHandler,
  more: Partial<ConsumeOptions> = {},
) {
  const handled: LogRecord[] = [];
  const delivered: LogRecord[] = [];
  const faults: ConsumerFault[] = [];
  const generations: number[] = [];
  let look = (): void => undefined;
  const note = (add: () => unknown): void => {
    add();
    look();
  };
  const consumer = await log.consume({
    ...{ group: 'group', topics: [events], from: 'start' },
    retry: { triesMax: 3, pauseMinMs: 5, pauseMaxMs: 20 },
    ...more,
    handler: async (records, delivery) => {
      note(() => delivered.push(...records));
      await handle(records, delivery);
      note(() => handled.push(...records));
    },
    onAssigned: ({ generation }) => {
      note(() => generations.push(generation));
    },
    onFault: (fault) => {
      note(() => faults.push(fault));
    },
  });
  const until = (holds: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (holds()) resolve();
      };
      look();
    });
  return { ...{ consumer, handled, delivered, faults, generations, until } };
}

const nothing: RecordHandler = async () => undefined;
const streamOf = (record: LogRecord): string => eventPlaceOf(record)?.stream ?? '?';
const names = (records: readonly LogRecord[]): readonly string[] =>
  records.map((record) => `${streamOf(record)}:${eventPlaceOf(record)?.revision ?? '?'}`);
const streams = Array.from({ length: 20 }, (_, index) => `s-${index}`);
const waiting = async (log: KafkaEventLog): Promise<number> =>
  (await log.lag('group', [events])).reduce((sum, { lag }) => sum + lag, 0);
const after = (ms: number): Promise<void> =>
  new Promise((resolve) => void runtime.timers.after(ms, resolve, { keepsAlive: true }));

if (given === undefined) {
  it.skip(skipped('consumers of the event log over Kafka'), () => undefined);
} else {
  describe('F099 error on one partition disturbs others', () => {
    it('the first record of one partition fails, the others are slow → each of theirs once, it comes again and is told', async () => {
      const { log, feed } = await start();
      await feed(...streams);
      let failing: LogRecord | undefined;
      const seen = await follow(
        log,
        async ([record]) => {
          await after(20);
          if (failing !== undefined) return;
          failing = record;
          throw new Error('at first');
        },
        { batchMax: 1 },
      );
      await seen.until(() => seen.handled.length === 20);
      const others = seen.delivered.filter(({ partition }) => partition !== failing?.partition);
      expect(new Set(names(others)).size).toBe(others.length);
      expect(seen.delivered).toHaveLength(21);
      expect(seen.faults).toMatchObject([{ kind: 'handler', offset: failing?.offset }]);
      expect(seen.generations).toEqual([1]);
    });
  });

  describe('F101 later offset committed over an unfinished one', () => {
    it('a consumer dies with a record in hand and later ones waiting → none is passed over', async () => {
      const { log, feed } = await start();
      await feed('s-a', 's-a', 's-a', ...streams);
      const hung = new Promise<void>(() => undefined);
      const first = await follow(
        log,
        ([record]) =>
          record !== undefined && names([record])[0] === 's-a:1' ? hung : Promise.resolve(),
        { batchMax: 1 },
      );
      await first.until(() => names(first.delivered).includes('s-a:1'));
      first.consumer.kill();
      const second = await follow(log, nothing);
      const all = () => new Set([...names(first.handled), ...names(second.handled)]);
      await second.until(() => all().size === 23);
      const again = names(second.handled).filter((name) => name.startsWith('s-a'));
      expect(again).toEqual(['s-a:1', 's-a:2']);
    });
  });

  describe('F102 acknowledged but not written', () => {
    it('20 sends of one record each at once → 20 records, each at a place of its own', async () => {
      const { log, publisher } = await start();
      const send = (key: string) => publisher.publish([{ topic: events, key, value: bytes(key) }]);
      await Promise.all(streams.map(send));
      const seen = await follow(log, nothing);
      await seen.until(() => seen.handled.length === 20);
      expect([...seen.handled.map(({ key }) => key)].sort()).toEqual([...streams].sort());
    });
  });

  describe('F103 alive but not consuming', () => {
    it('the brokers fall silent, without an error → told, never taken for caught up, and it goes on without loss', async () => {
      const { log, prefix, feed } = await start();
      const lines = createLines();
      const timing = { ...quickest, sessionMs: 2_000, stallMs: 1_000 };
      const silent = await openLog(brokers, prefix, { timing, socketFactory: lines.socketFactory });
      logs.push(silent);
      await feed('s-a');
      const seen = await follow(silent, nothing);
      await seen.until(() => seen.handled.length === 1);
      while ((await waiting(log)) > 0) await after(20);
      lines.silence();
      await feed('s-a', 's-b');
      expect(await waiting(log)).toBe(2);
      await seen.until(() => seen.faults.some(({ kind }) => kind === 'rejoin'));
      await seen.until(() => new Set(names(seen.handled)).size === 3);
    });
  });

  describe('a handler that outlasts its session', () => {
    it('keeps its partitions, and what it did is committed', async () => {
      const { log, feed } = await start({ timing: { ...quickest, sessionMs: 2_000 } });
      await feed('s-a');
      const seen = await follow(log, () => after(2_500));
      await seen.until(() => seen.handled.length === 1);
      await seen.consumer.close();
      expect(names(seen.delivered)).toEqual(['s-a:0']);
      expect((await log.lag('group', [events])).every(({ lag }) => lag === 0)).toBe(true);
      expect(seen.generations).toEqual([1]);
    });
  });

  describe('records that others publish', () => {
    it('by a codec that readers do not have → the brokers store another, and all are read', async () => {
      const { log, prefix } = await start();
      CompressionCodecs[CompressionTypes.ZSTD] = () => ({
        compress: async ({ buffer }: { buffer: Buffer }) => zstdCompressSync(buffer),
        decompress: () => Promise.reject(new Error('no such codec')),
      });
      await publishRaw(`${prefix}${actionTopics.proposals}`, [{ key: 'run', value: 'a' }]);
      const seen = await follow(log, nothing, { topics: [actionTopics.proposals] });
      await seen.until(() => seen.handled.length === 1);
      expect(seen.handled).toMatchObject([{ key: 'run' }]);
    });

    it('without key, headers or value → put aside with the reason, and the partition goes on', async () => {
      const { log, prefix } = await start();
      const headers = { twice: ['1', '2'], __proto__: 'x' };
      await publishRaw(`${prefix}${actionTopics.proposals}`, [
        { partition: 0, value: null },
        { partition: 0, value: 'x', headers },
        { partition: 0, key: 'run', value: 'sound' },
      ]);
      const topics = [actionTopics.proposals];
      const seen = await follow(
        log,
        async (records) => {
          if (records.some(({ key }) => key === '')) throw new PoisonRecord('no run');
        },
        { topics },
      );
      await seen.until(() => seen.handled.length === 1);
      const letters = await follow(log, nothing, {
        ...{ group: 'letters', topics: topics.map(deadLetterTopicOf) },
      });
      await letters.until(() => letters.handled.length === 2);
      expect(letters.handled).toMatchObject([
        { key: '', value: undefined },
        { key: '', headers: { twice: '2' } },
      ]);
      expect(letters.handled.map((letter) => deadLetterFactsOf(letter)?.reason)).toEqual([
        'no run',
        'no run',
      ]);
    });
  });

  describe('records that are gone by age', () => {
    it('before a group has read them → it goes on with the first that is there', async () => {
      const { log, prefix, feed } = await start();
      await feed(...Array.from({ length: 5 }, () => 's-a'));
      const first = await follow(log, nothing);
      await first.until(() => first.handled.length === 5);
      await first.consumer.close();
      await feed(...Array.from({ length: 5 }, () => 's-a'));
      const partition = first.handled[0]?.partition ?? NaN;
      const admin = kafka().admin();
      await admin.connect();
      // The client must have looked at a topic once.
      await admin.fetchTopicOffsets(`${prefix}${events}`);
      const gone = [{ partition, offset: '8' }];
      await admin.deleteTopicRecords({ topic: `${prefix}${events}`, partitions: gone });
      await admin.disconnect();
      const lags = await log.lag('group', [events]);
      expect(lags.reduce((sum, { lag }) => sum + lag, 0)).toBe(2);
      const second = await follow(log, nothing);
      await second.until(() => second.handled.length === 2);
      expect(names(second.delivered)).toEqual(['s-a:8', 's-a:9']);
    });
  });

  describe('topics that are not as stated', () => {
    it('are refused with what they have', async () => {
      const { prefix } = await start();
      const opening = openLog(brokers, prefix, { topics: { partitions: 5 } });
      await expect(opening).rejects.toMatchObject({ code: 'log.topic-differs', retry: 'never' });
      const other = openLog(brokers, prefix);
      logs.push(await other);
    });
  });
}

const quickest = { sessionMs: 4_000, heartbeatMs: 50, fetchWaitMs: 50 };

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function kafka(): Kafka {
  return new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}

async function publishRaw(topic: string, messages: Message[]): Promise<void> {
  const producer = kafka().producer();
  await producer.connect();
  const isSound = messages.every(({ key }) => key !== undefined);
  await producer.send({
    topic,
    messages,
    ...(isSound ? { compression: CompressionTypes.ZSTD } : {}),
  });
  await producer.disconnect();
}

/** Connections of which nothing more is heard from a moment on, though they stay open. */
function createLines() {
  const open = new Set<Socket>();
  const socketFactory: ISocketFactory = ({ host, port, onConnect }) => {
    const socket = connect({ host, port }, onConnect);
    open.add(socket);
    return socket;
  };
  const silence = (): void => {
    for (const socket of open) socket.pause();
  };
  return { socketFactory, silence };
}
