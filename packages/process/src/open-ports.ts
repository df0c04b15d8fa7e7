// The store and the log of a process, by their addresses. Servers may come up later than the process: it
// waits for them, and says so. The clients are loaded when they are needed.
import { type EventLog, isOutage, LogFault, pauseAfter, pauseFor } from '@action-ledger/event-log';
import type { KafkaEventLogOptions } from '@action-ledger/event-log-kafka';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Settings } from './settings.ts';
import { SetupFault } from './setup-fault.ts';

export type StoreSettings = Pick<Settings, 'eventstoredbUrl' | 'streamPrefix'>;

/** @throws StoreFault where it does not answer */
export async function openStore(settings: StoreSettings, runtime: Runtime): Promise<EventStore> {
  const { openEventStoreDbEventStore } = await import('@action-ledger/event-store-eventstoredb');
  const { eventstoredbUrl: connectionString, streamPrefix: prefix } = settings;
  return openEventStoreDbEventStore({
    connectionString,
    runtime,
    ...(prefix === undefined ? {} : { prefix }),
  });
}

/** @throws LogFault where no broker answers; SetupFault where a topic differs from what is set */
export async function openLog(settings: Settings, runtime: Runtime): Promise<EventLog> {
  try {
    return await openLogOf(settings, runtime);
  } catch (fault) {
    if (!(fault instanceof LogFault) || fault.code !== 'log.topic-differs') throw fault;
    const fix =
      'set ACTION_LEDGER_KAFKA_PARTITIONS to what the topics have (their number is never changed), or ACTION_LEDGER_KAFKA_PREFIX for topics of their own.';
    throw new SetupFault('settings.invalid', fault.message, { fix, cause: fault });
  }
}

async function openLogOf(settings: Settings, runtime: Runtime): Promise<EventLog> {
  const { openKafkaEventLog } = await import('@action-ledger/event-log-kafka');
  const { kafkaBrokers, kafkaPrefix, kafkaPartitions, kafkaCopies, kafkaSessionMs } = settings;
  return openKafkaEventLog({
    brokers: kafkaBrokers,
    runtime,
    ...(kafkaPrefix === undefined ? {} : { prefix: kafkaPrefix }),
    ...(settings.kafkaTls ? { ssl: true } : {}),
    ...saslOf(settings),
    topics: {
      ...(kafkaPartitions === undefined ? {} : { partitions: kafkaPartitions }),
      ...(kafkaCopies === undefined ? {} : { copies: kafkaCopies }),
    },
    ...(kafkaSessionMs === undefined ? {} : { timing: { sessionMs: kafkaSessionMs } }),
  });
}

function saslOf({
  kafkaUser: username,
  kafkaPassword: password,
  kafkaMechanism: mechanism,
}: Settings): Pick<KafkaEventLogOptions, 'sasl'> {
  if (username === undefined || password === undefined) return {};
  return { sasl: { mechanism, username, password } };
}

const retry = { pauseMinMs: 250, pauseMaxMs: 5_000 };

export interface Waiting {
  readonly runtime: Runtime;
  readonly stop: AbortSignal;
  /** Each time that it is not there. */
  readonly onAway: (fault: unknown) => void;
}

/**
 * @returns undefined where it was stopped before
 * @throws what waiting does not mend
 */
export async function whenThere<Port>(
  open: () => Promise<Port>,
  { runtime, stop, onAway }: Waiting,
): Promise<Port | undefined> {
  for (let failures = 1; !stop.aborted; failures += 1) {
    try {
      return await open();
    } catch (fault) {
      if (!isOutage(fault)) throw fault;
      onAway(fault);
      await pauseFor(pauseAfter(failures, retry), runtime, stop);
    }
  }
  return undefined;
}
