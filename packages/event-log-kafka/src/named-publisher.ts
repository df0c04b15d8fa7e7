// Publishing under a name that one publisher has at a time: a transactional id, so that the brokers
// themselves refuse whoever was there before. Each call is one transaction. Opening the name again takes
// it, from whoever has it; so after a failure this publisher does not do so by itself, since it cannot
// know whether another has taken the name meanwhile. Who opened it knows, and opens another.
import { type RecordMetadata } from 'kafkajs';
import { LogFault } from '@action-ledger/event-log';
import { isFenced, unavailable } from './faults.ts';
import {
  closeProducer,
  createQueue,
  discard,
  type KafkaPublisher,
  type OpenProducer,
  openProducer,
  publishFault,
  type PublisherParts,
} from './publisher.ts';
import { checkAcknowledged, type Sending } from './sending.ts';

/** @throws LogFault `log.unavailable`, safe */
export async function openNamedPublisher(
  name: string,
  parts: PublisherParts,
): Promise<KafkaPublisher> {
  const used = await take(name, parts);
  let ended: LogFault | undefined;
  const publish = async (sendings: readonly Sending[]): Promise<void> => {
    if (ended !== undefined) throw ended;
    try {
      await inTransaction(used, sendings);
    } catch (error) {
      discard(used);
      ended = isFenced(error) ? fenced(name, error) : gaveUp(name, error);
      throw isFenced(error) ? ended : publishFault(error);
    }
  };
  return createQueue(parts, {
    publish,
    close: () => closeProducer(Promise.resolve(used), parts),
  });
}

async function take(name: string, { connect, names }: PublisherParts): Promise<OpenProducer> {
  try {
    const used = await openProducer(connect, names.publisher(name));
    // The name is taken by the first transaction; this one is empty.
    const transaction = await used.producer.transaction();
    await transaction.abort();
    return used;
  } catch (error) {
    throw unavailable(`The name ${name} could not be taken`, error, 'safe');
  }
}

async function inTransaction(
  { producer }: OpenProducer,
  sendings: readonly Sending[],
): Promise<void> {
  const transaction = await producer.transaction();
  for (const sending of sendings) {
    const told: RecordMetadata[] = await transaction.sendBatch({ acks: -1, ...sending });
    checkAcknowledged(sending, told);
  }
  await transaction.commit();
}

function fenced(name: string, cause: unknown): LogFault {
  const message = `Another publisher has taken the name ${name}. Open a new one where this is the one that counts.`;
  return new LogFault('log.fenced', 'never', message, { cause });
}

function gaveUp(name: string, cause: unknown): LogFault {
  const message = `This publisher has given up the name ${name}, since a send of it failed. Open a new one where this is the one that counts.`;
  return new LogFault('log.fenced', 'never', message, { cause });
}
