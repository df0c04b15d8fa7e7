// Opens the file for writing: takes the lock, brings the layout up to date, looks for damage, and
// puts queue, group writer, index, mark and subscriptions together.
import { type DatabaseSync } from 'node:sqlite';
import {
  type AppendResult,
  checkAppend,
  checkStreamName,
  createSubscriptions,
  type ExpectedRevision,
  type GivenUp,
  type IndexCheck,
  type IndexFault,
  type Loss,
  type NewEvent,
  type PositionsAfter,
  type ReadAllOptions,
  type RecordedEvent,
  type StoreCondition,
  type StreamCut,
  type Subscriber,
  type Subscription,
  type Subscriptions,
} from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type AppendLatency, createLatencyCounter } from '@action-ledger/event-store';
import { AppendQueue } from './append-queue.ts';
import { type Backup, type BackupOptions, backUp } from './backup.ts';
import { busyWaitMsUsual } from './bounds.ts';
import { checkIndex, type CheckedIndex, type IndexCheckRange, lostFaults } from './check-index.ts';
import { openWriter } from './connection.ts';
import { checkCuts, cutsPerStep, cutStreams, givenUpIn } from './cut-streams.ts';
import { createEventTable, type EventTable } from './event-table.ts';
import { createFacts, type Facts } from './facts.ts';
import { type FileLock, type FileOwner, takeFileLock } from './file-lock.ts';
import { type Counters, GroupWriter, type WrittenAppend } from './group-writer.ts';
import { conditionOf, type DamagedRow, inspect, type Inspection } from './inspect.ts';
import { type Mark, openMark, readMark } from './mark.ts';
import { createRowLinks, type RowLinks } from './row-links.ts';
import { rowText } from './row-text.ts';
import { closedFault, garbledEndFault, storeFaultOf } from './sqlite-faults.ts';
import { type SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-store-types.ts';
import { storedFrom } from './stored-events.ts';
import { streamNames } from './stream-names.ts';
import { waitForLock } from './wait-for-lock.ts';
import { WritingIndex } from './writing-index.ts';

interface Parts {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly runtime: Runtime;
  readonly lock: FileLock | undefined;
  readonly mark: Mark | undefined;
  readonly table: EventTable;
  readonly index: WritingIndex;
  readonly facts: Facts;
  readonly inspection: Inspection;
  readonly condition: StoreCondition;
}

export async function openWritingStore(
  options: SqliteEventStoreOptions,
): Promise<SqliteEventStore> {
  const { path, runtime, busyWaitMs = busyWaitMsUsual } = options;
  const lock = path === ':memory:' ? undefined : await takeFileLock(path, runtime);
  try {
    const db = await waitForLock(runtime, busyWaitMs, path, () => openWriter(path, options));
    try {
      const parts = await waitForLock(runtime, busyWaitMs, path, () => look(db, options, lock));
      return new WritingStore(parts, busyWaitMs);
    } catch (error) {
      db.close();
      throw error;
    }
  } catch (error) {
    lock?.release();
    throw error;
  }
}

function look(
  db: DatabaseSync,
  { path, runtime, pendingStreamsMax }: SqliteEventStoreOptions,
  lock: FileLock | undefined,
): Parts {
  const table = createEventTable(db);
  const facts = createFacts(db);
  const head = table.head();
  // Read on, it may still be; written on, it would bury what is left.
  if (table.isEndGarbled()) throw garbledEndFault(path, head, readMark(path));
  const index = new WritingIndex(db, table, pendingStreamsMax);
  const { isWhole, through = 0 } = index.examined();
  // What an index has lost may be gone altogether: then the positions tell.
  const inspection = inspect(db, table, head, isWhole ? through : 0);
  const mark = lock === undefined ? undefined : openMark(path, head);
  const found = mark === undefined ? head : mark.found;
  const confirmed = facts.confirmedMissing();
  const findings = { head, mark: found, missing: inspection.missing, confirmed };
  const condition = conditionOf(findings, facts.recovery());
  // Kept in the file: events appended meanwhile would lift it above its mark again.
  if (condition.kind === 'recovering') facts.keepRecovery(condition);
  if (!index.isTold()) {
    mergeIndex(db, index, head);
    index.reload();
  }
  return { db, path, runtime, lock, mark, table, index, facts, inspection, condition };
}

class WritingStore implements SqliteEventStore {
  readonly #parts: Parts;
  readonly #busyWaitMs: number;
  readonly #writer: GroupWriter;
  readonly #latency = createLatencyCounter();
  readonly #queue: AppendQueue;
  readonly #subscriptions: Subscriptions;
  #condition: StoreCondition;
  #isClosed = false;

  constructor(parts: Parts, busyWaitMs: number) {
    const { runtime } = parts;
    this.#parts = parts;
    this.#busyWaitMs = busyWaitMs;
    this.#condition = parts.condition;
    this.#writer = new GroupWriter({
      ...parts,
      committed: (head, written) => {
        this.#committed(head, written);
      },
    });
    this.#queue = new AppendQueue({
      runtime,
      busyWaitMs,
      write: (group) => this.#writer.write(group),
    });
    this.#subscriptions = createSubscriptions({
      readAll: (range) => this.readAll(range),
      head: () => this.#writer.head(),
      pause: nextTurn,
    });
  }

  async append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<AppendResult> {
    if (this.#isClosed) throw closedFault();
    checkAppend(stream, expected, events);
    const text = rowText(events);
    const queuedAtMs = this.#parts.runtime.clock.monoMs();
    return new Promise((resolve, reject) => {
      const answered = (result: AppendResult): void => {
        this.#latency.observe(this.#parts.runtime.clock.monoMs() - queuedAtMs);
        resolve(result);
      };
      this.#queue.add({ stream, expected, events, text, queuedAtMs, resolve: answered, reject });
    });
  }

  async readStream(stream: string, from = 0): Promise<readonly RecordedEvent[]> {
    checkStreamName(stream);
    return this.#read(() => storedFrom(this.#parts.index, stream, Math.max(0, from)));
  }

  async readAll(range: ReadAllOptions): Promise<readonly RecordedEvent[]> {
    return this.#read(() => this.#parts.table.readAll(range));
  }

  async truncate(cuts: readonly StreamCut[]): Promise<void> {
    const { runtime, path } = this.#parts;
    this.#read(() => {
      checkCuts(this.#parts, cuts);
    });
    for (let done = 0; done < cuts.length; done += cutsPerStep) {
      await waitForLock(runtime, this.#busyWaitMs, path, () => {
        if (this.#isClosed) throw closedFault();
        cutStreams(this.#parts, cuts.slice(done, done + cutsPerStep));
      });
      await nextTurn();
    }
  }

  async compact(): Promise<void> {
    const { db, runtime, path } = this.#parts;
    await waitForLock(runtime, this.#busyWaitMs, path, () => {
      if (this.#isClosed) throw closedFault();
      db.exec('vacuum; pragma wal_checkpoint(truncate)');
    });
  }

  async givenUp(range: PositionsAfter): Promise<readonly GivenUp[]> {
    return this.#read(() => givenUpIn(this.#parts.table, range));
  }

  subscribe(after: number, subscriber: Subscriber): Subscription {
    if (this.#isClosed) throw closedFault();
    return this.#subscriptions.subscribe(after, subscriber);
  }

  async head(): Promise<number> {
    return this.#read(() => this.#writer.head());
  }

  condition(): StoreCondition {
    return this.#condition;
  }

  counters(): Counters {
    return this.#writer.counters();
  }

  latency(): AppendLatency {
    return this.#latency.read();
  }

  damaged(): readonly DamagedRow[] {
    return this.#parts.inspection.damaged;
  }

  owner(): FileOwner | undefined {
    return this.#parts.lock?.owner;
  }

  checkIndex(range?: IndexCheckRange): Promise<IndexCheck> {
    const { db, table, index } = this.#parts;
    const read = async <Found>(find: () => Found): Promise<Found> => this.#read(find);
    const checked: CheckedIndex = {
      rows: (stream, from) => index.indexedRows(stream, from),
      entries: (after, max) => index.entries(after, max),
      isTold: () => index.isTold(),
    };
    const links = (): RowLinks => createRowLinks(db);
    return checkIndex({ links, table, index: checked, read, pause: nextTurn }, range);
  }

  async lostStreams(): Promise<readonly IndexFault[]> {
    return this.#read(() => lostFaults(this.#parts.index.examined().unindexed));
  }

  async streamNames(start: string, max: number): Promise<readonly string[]> {
    const { db, index } = this.#parts;
    return this.#read(() => streamNames(db, index.indexedThrough(), start, max));
  }

  async backup(to: string, options?: BackupOptions): Promise<Backup> {
    const { path, runtime } = this.#parts;
    if (this.#isClosed) throw closedFault();
    return backUp(path, to, runtime, options);
  }

  async noteLoss({ first, last, reason }: Loss): Promise<boolean> {
    const { runtime, path, facts, mark } = this.#parts;
    const head = this.#writer.head();
    // Not among those that are missing for good: others will stand there.
    const isGivenAgain = first > head;
    const confirmed = isGivenAgain ? [] : facts.confirmedMissing();
    if (confirmed.some(([from, to]) => from <= first && last <= to)) return false;
    const before = this.#condition;
    const condition: StoreCondition =
      before.kind === 'recovering'
        ? before
        : { kind: 'recovering', reason, mark: Math.max(mark?.found ?? 0, last), head };
    // Nothing may be sent meanwhile, whether or not it can be kept.
    this.#condition = condition;
    await waitForLock(runtime, this.#busyWaitMs, path, () => {
      if (this.#isClosed) throw closedFault();
      facts.keepRecovery(condition, isGivenAgain ? undefined : [first, last]);
      this.#condition = facts.recovery() ?? condition;
    });
    return true;
  }

  async confirmRecovered(): Promise<void> {
    const { runtime, path, facts, mark } = this.#parts;
    await waitForLock(runtime, this.#busyWaitMs, path, () => {
      if (this.#isClosed) throw closedFault();
      facts.confirmRecovered(this.#parts.inspection.missing);
    });
    mark?.reset(this.#writer.head());
    this.#condition = { kind: 'ready' };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#queue.close();
    this.#isClosed = true;
    this.#subscriptions.end(closedFault());
    mergeIndex(this.#parts.db, this.#parts.index, this.#writer.head());
    closeAll(this.#parts);
  }

  #committed(head: number, written: readonly WrittenAppend[]): void {
    this.#parts.mark?.raise(head);
    if (this.#subscriptions.count() > 0) this.#subscriptions.publish(written.flatMap(recorded));
  }

  #read<Found>(find: () => Found): Found {
    if (this.#isClosed) throw closedFault();
    try {
      return find();
    } catch (error) {
      throw storeFaultOf(error, this.#parts.path);
    }
  }
}

/** What subscribers get of an append just written. */
function recorded({ append, position, revision }: WrittenAppend): readonly RecordedEvent[] {
  return append.events.map(({ id, type, data, metadata }, index) => ({
    id,
    type,
    data,
    metadata,
    stream: append.stream,
    revision: revision + index,
    position: position + index,
  }));
}

/** A name changed by hand while nobody has the file open is noticed against the index. */
function mergeIndex(db: DatabaseSync, index: WritingIndex, head: number): void {
  try {
    if (index.isMerged(head)) return;
    db.exec('begin immediate');
    index.mergeAll(head);
    db.exec('commit');
  } catch {
    // The rows say the same; whoever opens the file reads them.
    tryRollBack(db);
  }
}

function tryRollBack(db: DatabaseSync): void {
  try {
    if (db.isTransaction) db.exec('rollback');
  } catch {
    // Closing ends it.
  }
}

/** In this order: the lock goes last, when nothing of this process can touch the file any more. */
function closeAll({ db, path, lock, mark }: Parts): void {
  try {
    db.close();
    mark?.close();
  } catch (error) {
    throw storeFaultOf(error, path);
  } finally {
    lock?.release();
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
