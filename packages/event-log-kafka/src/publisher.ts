// Publishing: one call after the other, each acknowledged by all copies that are in step before it
// resolves. After a failure nobody knows what was stored, and a producer that goes on from there could
// have its next records taken for repeats and dropped, so it is replaced.
import { type Producer } from 'kafkajs';
import {
  checkRecords,
  LogFault,
  logClosed,
  type NewRecord,
  type Publisher,
  unknownTopic,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { bounded } from './bounded.ts';
import { type Connect, type Connection } from './connection.ts';
import { errorTypeOf, unavailable } from './faults.ts';
import { type Layout } from './layout.ts';
import { type Names } from './names.ts';
import { checkAcknowledged, partsOf, sendingOf, type Sending } from './sending.ts';

export interface PublisherParts {
  readonly connect: Connect;
  readonly layout: Layout;
  readonly names: Names;
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly closeMs: number;
}

export interface KafkaPublisher extends Publisher {
  /** Whatever its bounds are: a dead letter may break them. */
  readonly publishOne: (record: NewRecord) => Promise<void>;
}

export interface OpenProducer {
  readonly connection: Connection;
  readonly producer: Producer;
}

/** @throws whatever the client throws */
export async function openProducer(
  connect: Connect,
  transactionalId?: string,
): Promise<OpenProducer> {
  const connection = connect();
  const producer = connection.kafka.producer({
    idempotent: true,
    maxInFlightRequests: 1,
    allowAutoTopicCreation: false,
    ...(transactionalId === undefined ? {} : { transactionalId, transactionTimeout }),
  });
  try {
    await producer.connect();
  } catch (error) {
    connection.cut();
    throw error;
  }
  return { connection, producer };
}

/** A transaction that nobody ends holds up all readers for so long. */
const transactionTimeout = 10_000;

export function createPublisher(parts: PublisherParts): KafkaPublisher {
  let current: Promise<OpenProducer> | undefined;
  const replace = (failed: Promise<OpenProducer>): void => {
    if (current === failed) current = undefined;
    void failed.then(discard).catch(() => undefined);
  };
  const send = async (sending: Sending): Promise<void> => {
    const used = (current ??= openProducer(parts.connect));
    try {
      const { producer } = await used;
      checkAcknowledged(sending, await producer.sendBatch({ acks: -1, ...sending }));
    } catch (error) {
      replace(used);
      throw publishFault(error);
    }
  };
  return createQueue(parts, {
    publish: async (sendings) => {
      for (const sending of sendings) await send(sending);
    },
    close: async () => {
      await closeProducer(current, parts);
    },
  });
}

export function discard({ connection, producer }: OpenProducer): void {
  connection.cut();
  void producer.disconnect().catch(() => undefined);
}

export async function closeProducer(
  open: Promise<OpenProducer> | undefined,
  { runtime, closeMs }: Pick<PublisherParts, 'runtime' | 'closeMs'>,
): Promise<void> {
  if (open === undefined) return;
  const left = async (): Promise<void> => {
    const { producer } = await open;
    await producer.disconnect();
  };
  await bounded(left(), closeMs, runtime);
  void open
    .then(({ connection }) => {
      connection.cut();
    })
    .catch(() => undefined);
}

export function publishFault(error: unknown): LogFault {
  if (errorTypeOf(error) === 'MESSAGE_TOO_LARGE') {
    const message =
      'The brokers take no record as large as this: raise max.message.bytes to 1 MiB.';
    return new LogFault('log.too-large', 'never', message, { cause: error });
  }
  return unavailable('The records may not have been stored', error, 'unsafe');
}

interface Sender {
  readonly publish: (sendings: readonly Sending[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Checks, and has one call end before the next begins. */
export function createQueue(parts: PublisherParts, sender: Sender): KafkaPublisher {
  const { layout, names, runtime } = parts;
  let isClosed = false;
  let tail: Promise<unknown> = Promise.resolve();
  let closing: Promise<void> | undefined;
  const publishUnchecked = async (records: readonly NewRecord[]): Promise<void> => {
    if (isClosed) throw logClosed();
    for (const { topic } of records) if (!layout.has(topic)) throw unknownTopic(topic);
    if (records.length === 0) return;
    const nowMs = runtime.clock.wallMs();
    const sendings = partsOf(records).map((part) => sendingOf(part, layout, names, nowMs));
    const done = tail.then(() => sender.publish(sendings));
    tail = done.catch(() => undefined);
    await done;
  };
  return {
    publishOne: (record) => publishUnchecked([record]),
    publish: async (records) => {
      if (isClosed) throw logClosed();
      checkRecords(records);
      await publishUnchecked(records);
    },
    close: () => {
      isClosed = true;
      closing ??= tail.then(() => sender.close());
      return closing;
    },
  };
}
