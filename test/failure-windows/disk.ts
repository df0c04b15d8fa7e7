// The event store that outlives its processes: in memory, or a file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { openSqliteEventStore, restoreBackup } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type VirtualRuntime } from '@action-ledger/testkit';
import { openServerDisk, type ServerDisk } from './server-disk.ts';

export const stores = ['memory', 'sqlite'] as const;
/** `distributed`: on a server, and told of by real brokers. */
export type StoreKind = (typeof stores)[number] | 'eventstoredb' | 'distributed';

export interface Disk {
  readonly kind: StoreKind;
  readonly store: () => EventStore;
  /** As the next process finds it. */
  readonly reopen: () => Promise<void>;
  readonly backup: () => Promise<void>;
  readonly goBack: () => Promise<void>;
  readonly close: () => Promise<void>;
  /** Of what takes real time; undefined where nothing of the kind is going on. */
  readonly underWay?: ServerDisk['underWay'];
  /** What a process hears of the store by; undefined where it opens a log of its own. */
  readonly log?: ServerDisk['log'];
}

export async function openDisk(kind: StoreKind, time: VirtualRuntime): Promise<Disk> {
  const { clock } = time;
  if (kind === 'eventstoredb' || kind === 'distributed') {
    const brokers = kind === 'distributed' ? brokersGiven() : [];
    return { ...(await openServerDisk(time, brokers)), kind };
  }
  if (kind === 'memory') {
    let store = createMemoryEventStore();
    let copy = store.events();
    return {
      kind,
      store: () => store,
      reopen: async () => {
        store = createMemoryEventStore({
          events: store.events(),
          givenUp: store.allGivenUp(),
        });
      },
      backup: async () => {
        copy = store.events();
      },
      goBack: async () => {
        store = createMemoryEventStore({ events: copy, mark: store.events().length });
      },
      close: async () => undefined,
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'failure-window-'));
  const path = join(folder, 'ledger.db');
  const copy = join(folder, 'copy.db');
  const runtime = { ...createSystemRuntime(), clock };
  const open = (): ReturnType<typeof openSqliteEventStore> =>
    openSqliteEventStore({ path, runtime });
  let store = await open();
  return {
    kind,
    store: () => store,
    reopen: async () => {
      await store.close();
      store = await open();
    },
    backup: async () => {
      await store.backup(copy, { overwrite: true });
    },
    goBack: async () => {
      await store.close();
      await restoreBackup({ from: copy, path, runtime });
      store = await open();
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error where there are none */
function brokersGiven(): readonly string[] {
  const { KAFKA_BROKERS: given = '' } = process.env;
  if (given === '')
    throw new Error('npm run test:distributed starts a broker and says where it is.');
  return given.split(',');
}
