// The event store on a server: a protocol double of EventStoreDB in this process, reached over a real
// connection. Real time passes there, and none of the world's. Where there are brokers, the real projector
// publishes the store to them, and they are all that services hear of it.
import { openEventStoreDbEventStore } from '@action-ledger/event-store-eventstoredb';
import { openEventStoreDbDouble } from '@action-ledger/eventstoredb-double';
import { type EventStore } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type VirtualRuntime } from '@action-ledger/testkit';
import { type BrokerLog, openBrokerLog } from './broker-log.ts';
import { createTraffic } from './traffic.ts';

export interface ServerDisk {
  readonly store: () => EventStore;
  readonly reopen: () => Promise<void>;
  readonly backup: () => Promise<void>;
  /** The backup takes the place of what the server holds, and what is lost is noted. */
  readonly goBack: () => Promise<void>;
  /** What the world waits for, if anything. */
  readonly underWay: () => Promise<void> | undefined;
  /** As a process has it. Undefined where there are no brokers. */
  readonly log: BrokerLog['of'] | undefined;
  readonly close: () => Promise<void>;
}

/** @param brokers `host:port` of real ones, if the services hear of the store by them */
export async function openServerDisk(
  time: VirtualRuntime,
  brokers: readonly string[] = [],
): Promise<ServerDisk> {
  const runtime = createSystemRuntime();
  const double = await openEventStoreDbDouble({ runtime: { clock: time.clock } });
  const traffic = createTraffic();
  const open = async (): Promise<EventStore> => {
    const { connectionString } = double;
    // No call is lost on the way: a slow machine must not be taken for a dead server.
    const options = { connectionString, runtime, deadlineMs: 100_000, watchdogMs: 600_000 };
    return traffic.watched(await openEventStoreDbEventStore(options));
  };
  let store = await open();
  let stores = [store];
  let kept = 0;
  const log =
    brokers.length === 0 ? undefined : await openBrokerLog({ brokers, store, time, traffic });
  // Those before go on: what has left a dead process arrives all the same.
  const reopen = async (): Promise<void> => {
    store = await open();
    stores.push(store);
  };
  const closeAll = async (): Promise<void> => {
    await Promise.all(stores.map((each) => each.close()));
    stores = [];
  };
  return {
    store: () => store,
    reopen,
    backup: async () => {
      kept = double.recordCount();
    },
    goBack: async () => {
      const told = traffic.newest();
      await log?.rest();
      await closeAll();
      double.down();
      double.loseLast(double.recordCount() - kept);
      await double.up();
      traffic.beginAnew();
      await reopen();
      await noteLost(store, told);
      await log?.goBack(store);
    },
    underWay: traffic.underWay,
    log: log?.of,
    close: async () => {
      await log?.close();
      await closeAll();
      await double.close();
    },
  };
}

/** As whoever has heard of more than the server holds. */
async function noteLost(store: EventStore, told: number): Promise<void> {
  const head = await store.head();
  if (told <= head) return;
  const reason = `The log has told of position ${told}, and the server ends at ${head}.`;
  await store.noteLoss?.({ first: head + 1, last: told, reason });
}
