// What an analyst has: a Kafka client and an Avro reader, neither of the ledger's, and the address of the gateway.
import { hash } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { createOpenAccess } from '@action-ledger/access';
import { encodersAsAvro } from '@action-ledger/avro';
import { createLedger, defineTool, inDoubt } from '@action-ledger/client';
import { actionTopics } from '@action-ledger/event-log';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createGateway } from '@action-ledger/gateway';
import { createProjector } from '@action-ledger/projector';
import { createToolSet } from '@action-ledger/tools';
import avsc from 'avsc';
import { Kafka, logLevel } from 'kafkajs';
import { z } from 'zod';
import { brokersGiven, newPrefix, openLog, runtime, skipped } from './world.ts';

const brokers = brokersGiven();

if (brokers === undefined) {
  it.skip(skipped('records in Avro over Kafka'), () => undefined);
} else {
  it('are read by any client: the schema of a record comes from the gateway', async () => {
    const store = createMemoryEventStore();
    const prefix = newPrefix();
    const log = await openLog(brokers, prefix);
    const pay = defineTool({
      name: 'pay',
      input: z.object({ invoice: z.string() }),
      guarantee: 'manual',
      execute: ({ arguments: { invoice }, beforeSend }) => {
        beforeSend();
        return invoice === 'lost' ? inDoubt('no answer') : { paid: invoice };
      },
    });
    const ledger = await createLedger({ store, runtime, tools: { pay } });
    const gateway = createGateway({
      ledger,
      tools: createToolSet([pay]),
      feed: store,
      access: createOpenAccess(),
      runtime,
      logger: { info: () => undefined, warn: () => undefined, error: () => undefined },
    });
    const { url } = await gateway.start();
    const projector = createProjector({
      store,
      log,
      runtime,
      instance: 'one',
      encode: encodersAsAvro(),
      sha256: (text) => hash('sha256', text, 'base64url'),
      clock: { nowMs: () => runtime.clock.wallMs() },
    });
    await projector.start();
    for (const invoice of ['i-1', 'lost', 'i-2'])
      await ledger.tools.pay.call({ invoice }, { run: 'r', call: invoice });
    const stored = (await store.readAll({ after: 0, max: 1_000 })).filter(({ stream }) =>
      stream.startsWith('action-'),
    );

    const reader = createReader(url);
    const events = (
      await readTopic(`${prefix}${actionTopics.events}`, stored.length, reader)
    ).filter(({ actionId }) => actionId !== null);
    const byPosition = events.sort(
      (one, other) => Number(one['position']) - Number(other['position']),
    );
    expect(byPosition.map(({ eventId, payload }) => [eventId, payload])).toEqual(
      stored.map(({ id, data }) => [id, data]),
    );
    const read = await readTopic(`${prefix}${actionTopics.state}`, 3, reader);
    const states = [...new Map(read.map((state) => [state['actionId'], state])).values()];
    expect(
      states.map(({ status, effect, attempts, owner }) => [status, effect, attempts, owner]).sort(),
    ).toEqual([
      ['succeeded', 'made', 1, null],
      ['succeeded', 'made', 1, null],
      ['unknown', 'in_doubt', 1, 'operator'],
    ]);
    expect(reader.asked()).toEqual(['/schemas/ids/1', '/schemas/ids/2']);

    await projector.stop();
    await gateway.stop();
    await ledger.close();
    await log.close();
  });
}

type Fields = Readonly<Record<string, unknown>>;

interface Reader {
  readonly read: (value: Buffer) => Promise<Fields>;
  readonly asked: () => readonly string[];
}

function createReader(registry: string): Reader {
  const types = new Map<number, avsc.Type>();
  const asked: string[] = [];
  return {
    read: async (value) => {
      expect(value[0]).toBe(0);
      const id = value.readUInt32BE(1);
      const known = types.get(id);
      if (known !== undefined) return known.fromBuffer(value.subarray(5)) as Fields;
      asked.push(`/schemas/ids/${id}`);
      const { schema } = (await (await fetch(`${registry}/schemas/ids/${id}`)).json()) as {
        readonly schema: string;
      };
      const type = avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema);
      types.set(id, type);
      return type.fromBuffer(value.subarray(5)) as Fields;
    },
    asked: () => asked,
  };
}

/** Until there are the records of so many actions' events, or of so many actions at rest. */
async function readTopic(topic: string, wanted: number, { read }: Reader): Promise<Fields[]> {
  const kafka = new Kafka({ brokers: [...(brokers ?? [])], logLevel: logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `${topic}-analyst`, retry: { retries: 20 } });
  const found: Fields[] = [];
  const isRead = (): boolean =>
    new Set(found.filter(isOfInterest).map((each) => each['eventId'] ?? each['actionId'])).size >=
    wanted;
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  await consumer.run({
    eachMessage: async ({ message: { value } }) => {
      if (value !== null) found.push(await read(value));
      if (isRead()) end();
    },
  });
  await ended;
  await consumer.disconnect();
  return found;
}

function isOfInterest({ actionId, status }: Fields): boolean {
  return (
    actionId !== null && (status === undefined || status === 'succeeded' || status === 'unknown')
  );
}
