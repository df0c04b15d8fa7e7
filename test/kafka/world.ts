// What tests over a real broker work with: logs whose names nobody else has, and quick groups.
import { randomUUID } from 'node:crypto';
import {
  actionTopics,
  type Consumer,
  type EventLog,
  headersOfEvent,
  type NewRecord,
  type Publisher,
} from '@action-ledger/event-log';
import {
  type KafkaConsumer,
  type KafkaEventLogOptions,
  openKafkaEventLog,
} from '@action-ledger/event-log-kafka';
import { Kafka, logLevel } from 'kafkajs';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type OpenedEventLog } from '@action-ledger/testkit';

export const runtime = createSystemRuntime();

/** Of a broker that was started for the tests; it lets sessions be as short. */
export const quick = { sessionMs: 4_000, heartbeatMs: 50, fetchWaitMs: 50 };

/** `host:port,…` in `KAFKA_BROKERS`. */
export function brokersGiven(): readonly string[] | undefined {
  const { KAFKA_BROKERS: given = '' } = process.env;
  return given === '' ? undefined : given.split(',');
}

/** Says that it was skipped, and how it is run. @returns the title of the test that is skipped */
export function skipped(what: string): string {
  const title = `${what}: skipped, it needs a broker (npm run test:kafka, or KAFKA_BROKERS)`;
  process.stderr.write(`${title}\n`);
  return title;
}

export const partitions = 4;

export function openLog(
  brokers: readonly string[],
  prefix: string,
  more: Partial<KafkaEventLogOptions> = {},
) {
  return openKafkaEventLog({
    brokers,
    runtime,
    prefix,
    topics: { partitions },
    timing: quick,
    ...more,
  });
}

/** Nobody else on these brokers has it, in whatever file or run. */
export function newPrefix(): string {
  return `t-${randomUUID()}.`;
}

/** Publishes one event for each name: of the stream of that name, with the next revision from 0. */
export function createFeed(): (publisher: Publisher, streams: readonly string[]) => Promise<void> {
  const revisions = new Map<string, number>();
  let position = 0;
  const recordOf = (stream: string): NewRecord => {
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    position += 1;
    const place = { eventId: `e${position}`, type: 'T', stream, revision, position };
    return {
      topic: actionTopics.events,
      key: stream,
      value: new TextEncoder().encode(`{"position":${position}}`),
      headers: headersOfEvent(place),
    };
  };
  return async (publisher, streams) => {
    const records = streams.map(recordOf);
    for (let first = 0; first < records.length; first += 1000) {
      await publisher.publish(records.slice(first, first + 1000));
    }
  };
}

export async function openOverBroker(brokers: readonly string[]): Promise<OpenedEventLog> {
  const prefix = newPrefix();
  const feed = createFeed();
  let log: EventLog = await openLog(brokers, prefix);
  let publisher = await log.openPublisher();
  return {
    log,
    feed: (streams) => feed(publisher, streams),
    kill: async (consumer: Consumer) => {
      (consumer as KafkaConsumer).kill();
    },
    leaveGap: () => leaveGaps(brokers, `${prefix}${actionTopics.events}`),
    reopen: async () => {
      await log.close();
      log = await openLog(brokers, prefix);
      publisher = await log.openPublisher();
      return log;
    },
  };
}

/** An aborted transaction leaves records that nobody sees, and a mark, in each partition. */
async function leaveGaps(brokers: readonly string[], topic: string): Promise<void> {
  const kafka = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  const producer = kafka.producer({
    transactionalId: `${topic}-gaps`,
    idempotent: true,
  });
  await producer.connect();
  const transaction = await producer.transaction();
  const messages = Array.from({ length: partitions }, (_, partition) => ({ partition, value: '' }));
  await transaction.send({ topic, messages });
  await transaction.abort();
  await producer.disconnect();
}
