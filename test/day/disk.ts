// What outlives the processes of the day: the events, over one adapter or the other, and the file of the
// event log, of which a kill takes what was not written yet.
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createMemoryEventStore,
  type EventStore,
  type RecordedEvent,
} from '@action-ledger/event-store';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';

export type Adapter = 'memory' | 'sqlite';

export interface Disk {
  readonly store: EventStore;
  /** Appends so far, by any process, that have written something. */
  readonly appends: () => number;
  readonly logPath: () => string;
  /** As the next process finds it. */
  readonly reopen: () => Promise<void>;
  /** The log's file as it is now, not as its process would leave it. */
  readonly leaveLog: () => void;
  /** A log that knows nothing. */
  readonly loseLog: () => void;
  readonly events: () => Promise<readonly RecordedEvent[]>;
  readonly close: () => Promise<void>;
}

export async function openDisk(adapter: Adapter, time: Runtime): Promise<Disk> {
  const folder = mkdtempSync(join(tmpdir(), 'day-'));
  const path = join(folder, 'ledger.db');
  const runtime = { ...createSystemRuntime(), clock: time.clock };
  const open = async (): Promise<EventStore> =>
    adapter === 'sqlite' ? openSqliteEventStore({ path, runtime }) : createMemoryEventStore();
  let under = await open();
  let appends = 0;
  let logs = 0;
  const logPath = (): string => join(folder, `events-${logs}.log`);
  const store: EventStore = {
    append: async (...append) => {
      const appended = await under.append(...append);
      if (appended.kind === 'appended' && !appended.repeated) appends += 1;
      return appended;
    },
    readStream: (...asked) => under.readStream(...asked),
    readAll: (...asked) => under.readAll(...asked),
    subscribe: (...asked) => under.subscribe(...asked),
    head: () => under.head(),
    condition: () => under.condition(),
    truncate: (...cut) => under.truncate(...cut),
    givenUp: async (range) => (await under.givenUp?.(range)) ?? [],
    // It outlives its processes.
    close: async () => undefined,
  };
  return {
    store,
    appends: () => appends,
    logPath,
    reopen: async () => {
      if (adapter === 'memory') return;
      await under.close();
      under = await open();
    },
    leaveLog: () => {
      const left = logPath();
      logs += 1;
      for (const end of ['', '-wal'])
        if (existsSync(left + end)) copyFileSync(left + end, logPath() + end);
    },
    loseLog: () => {
      logs += 1;
    },
    events: () => everyEvent(under),
    close: async () => {
      await under.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const pageMax = 1_000;

export async function everyEvent(store: EventStore): Promise<readonly RecordedEvent[]> {
  const all: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readAll({ after: all.at(-1)?.position ?? 0, max: pageMax });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
