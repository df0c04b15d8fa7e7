// Opens the file read-only, beside the process that writes it or alone. Every read sees one state
// of the file; subscriptions look for new events by a timer.
import { existsSync } from 'node:fs';
import { type DatabaseSync } from 'node:sqlite';
import {
  type AppendResult,
  checkStreamName,
  createSubscriptions,
  type GivenUp,
  type IndexCheck,
  type IndexFault,
  type PositionsAfter,
  type ReadAllOptions,
  type RecordedEvent,
  type StoreCondition,
  StoreFault,
  type Subscriber,
  type Subscription,
  type Subscriptions,
} from '@action-ledger/event-store';
import { type Timer } from '@action-ledger/runtime';
import { type AppendLatency, createLatencyCounter } from '@action-ledger/event-store';
import { type Backup, type BackupOptions, backUp } from './backup.ts';
import { busyWaitMsUsual, pollMsUsual } from './bounds.ts';
import { checkIndex, type IndexCheckRange, lostFaults } from './check-index.ts';
import { openReader } from './connection.ts';
import { givenUpIn } from './cut-streams.ts';
import { createEventTable, type EventTable } from './event-table.ts';
import { createFacts } from './facts.ts';
import { type Counters } from './group-writer.ts';
import { conditionOf, type DamagedRow, inspect } from './inspect.ts';
import { readMark } from './mark.ts';
import { ReadingIndex } from './reading-index.ts';
import { createRowLinks, type RowLinks } from './row-links.ts';
import { closedFault, isBusy, openedReadOnlyFault, storeFaultOf } from './sqlite-faults.ts';
import { type SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-store-types.ts';
import { storedFrom } from './stored-events.ts';
import { streamNames } from './stream-names.ts';
import { waitForLock } from './wait-for-lock.ts';

export async function openReadingStore(
  options: SqliteEventStoreOptions,
): Promise<SqliteEventStore> {
  const { path, runtime, busyWaitMs = busyWaitMsUsual } = options;
  if (!existsSync(path)) {
    throw new StoreFault('store.not-found', 'never', `There is no file ${path}. Check the path.`);
  }
  const db = await waitForLock(runtime, busyWaitMs, path, () => openReader(path));
  try {
    return new ReadingStore(db, options);
  } catch (error) {
    db.close();
    throw storeFaultOf(error, path);
  }
}

class ReadingStore implements SqliteEventStore {
  readonly #db: DatabaseSync;
  readonly #options: SqliteEventStoreOptions;
  readonly #table: EventTable;
  readonly #index: ReadingIndex;
  readonly #condition: StoreCondition;
  readonly #damaged: readonly DamagedRow[];
  readonly #subscriptions: Subscriptions;
  #head: number;
  #poll: Timer | undefined;
  #isClosed = false;

  constructor(db: DatabaseSync, options: SqliteEventStoreOptions) {
    this.#db = db;
    this.#options = options;
    this.#table = createEventTable(db);
    this.#index = new ReadingIndex(db, this.#table);
    const { condition, damaged } = look(db, this.#table, this.#index, options.path);
    this.#condition = condition;
    this.#damaged = damaged;
    this.#head = this.#table.head();
    this.#subscriptions = createSubscriptions({
      readAll: (range) => this.readAll(range),
      head: () => this.#head,
      pause: nextTurn,
    });
  }

  async append(): Promise<AppendResult> {
    if (this.#isClosed) throw closedFault();
    throw openedReadOnlyFault(this.#options.path);
  }

  async readStream(stream: string, from = 0): Promise<readonly RecordedEvent[]> {
    checkStreamName(stream);
    return this.#read(() => storedFrom(this.#index, stream, Math.max(0, from)));
  }

  readAll(range: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.#read(() => this.#table.readAll(range));
  }

  async truncate(): Promise<void> {
    if (this.#isClosed) throw closedFault();
    throw openedReadOnlyFault(this.#options.path);
  }

  async compact(): Promise<void> {
    throw openedReadOnlyFault(this.#options.path);
  }

  givenUp(range: PositionsAfter): Promise<readonly GivenUp[]> {
    return this.#read(() => givenUpIn(this.#table, range));
  }

  subscribe(after: number, subscriber: Subscriber): Subscription {
    if (this.#isClosed) throw closedFault();
    this.#head = this.#table.head();
    const subscription = this.#subscriptions.subscribe(after, subscriber);
    this.#poll ??= this.#pollLater();
    return subscription;
  }

  head(): Promise<number> {
    return this.#read(() => this.#table.head());
  }

  condition(): StoreCondition {
    return this.#condition;
  }

  latency(): AppendLatency {
    return createLatencyCounter().read();
  }

  counters(): Counters {
    return { commits: 0, syncs: 0, appends: 0, bytes: 0 };
  }

  damaged(): readonly DamagedRow[] {
    return this.#damaged;
  }

  owner(): undefined {
    return undefined;
  }

  checkIndex(range?: IndexCheckRange): Promise<IndexCheck> {
    const read = <Found>(find: () => Found): Promise<Found> => this.#read(find);
    const links = (): RowLinks => createRowLinks(this.#db);
    const parts = { links, table: this.#table, index: this.#index, read, pause: nextTurn };
    return checkIndex(parts, range);
  }

  lostStreams(): Promise<readonly IndexFault[]> {
    return this.#read(() => lostFaults(this.#index.unindexed()));
  }

  streamNames(start: string, max: number): Promise<readonly string[]> {
    return this.#read(() => streamNames(this.#db, this.#index.indexedThrough(), start, max));
  }

  async backup(to: string, options?: BackupOptions): Promise<Backup> {
    if (this.#isClosed) throw closedFault();
    return backUp(this.#options.path, to, this.#options.runtime, options);
  }

  async confirmRecovered(): Promise<void> {
    throw openedReadOnlyFault(this.#options.path);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#poll?.cancel();
    this.#subscriptions.end(closedFault());
    this.#db.close();
  }

  #read<Found>(find: () => Found): Promise<Found> {
    const { runtime, path, busyWaitMs = busyWaitMsUsual } = this.#options;
    return waitForLock(runtime, busyWaitMs, path, () => {
      if (this.#isClosed) throw closedFault();
      // One transaction: rows and index are seen in the same state.
      this.#db.exec('begin');
      try {
        return find();
      } finally {
        if (this.#db.isTransaction) this.#db.exec('commit');
      }
    });
  }

  #pollLater(): Timer {
    const { runtime, pollMs = pollMsUsual } = this.#options;
    return runtime.timers.after(pollMs, () => {
      this.#poll = undefined;
      if (this.#subscriptions.count() > 0) this.#lookForEvents();
    });
  }

  #lookForEvents(): void {
    try {
      this.#head = this.#table.head();
    } catch (error) {
      // A lock is gone by the next time; anything else ends what depends on it.
      if (!isBusy(error)) this.#subscriptions.end(storeFaultOf(error, this.#options.path));
    }
    this.#subscriptions.wake();
    this.#poll = this.#pollLater();
  }
}

/** The mark is read before the head: a writer may raise both in between. */
function look(db: DatabaseSync, table: EventTable, index: ReadingIndex, path: string) {
  const mark = readMark(path);
  const facts = createFacts(db);
  const head = table.head();
  const { missing, damaged } = inspect(db, table, head, index.indexedThrough());
  const confirmed = facts.confirmedMissing();
  const condition = conditionOf({ head, mark, missing, confirmed }, facts.recovery());
  return { condition, damaged };
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
