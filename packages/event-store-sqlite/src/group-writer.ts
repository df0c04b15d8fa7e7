// Writes a group of appends in one transaction with one sync, and tells every caller afterwards.
// A conflict, a repeat or a damaged stream is the matter of its caller; what breaks the transaction
// breaks it for all, and each hears whether its events may have been stored.
import { type DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type AppendResult,
  decideAppend,
  type RecordedEvent,
  type StoreFault,
} from '@action-ledger/event-store';
import { type QueuedAppend } from './append-queue.ts';
import { type EventTable } from './event-table.ts';
import { isBusy, isDiskFull, storeFaultOf } from './sqlite-faults.ts';
import { type StreamHead } from './stream-rows.ts';
import { storedAt } from './stored-events.ts';
import { type WritingIndex } from './writing-index.ts';

export interface Counters {
  /** Transactions that wrote: each is one sync of the write-ahead log. */
  readonly commits: number;
  /** Syncs by commits; each 4,000 pages written, a checkpoint adds three. */
  readonly syncs: number;
  /** Appends written; repeats and conflicts are not. */
  readonly appends: number;
  /** UTF-8 bytes of the rows written: texts and stream names. */
  readonly bytes: number;
}

export interface GroupWriterParts {
  readonly db: DatabaseSync;
  readonly path: string;
  readonly table: EventTable;
  readonly index: WritingIndex;
  /** After a commit: the new head, and the appends that were written, in order. */
  readonly committed: (head: number, written: readonly WrittenAppend[]) => void;
}

export interface WrittenAppend {
  readonly append: QueuedAppend;
  /** Of the first event. */
  readonly position: number;
  readonly revision: number;
}

/** What a caller will hear once the transaction has ended. */
type Answer =
  | { readonly append: QueuedAppend; readonly result: AppendResult }
  | { readonly append: QueuedAppend; readonly fault: StoreFault };

interface Group {
  readonly answers: Answer[];
  readonly written: WrittenAppend[];
  head: number;
}

export class GroupWriter {
  readonly #parts: GroupWriterParts;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #rollback: StatementSync;
  readonly #dataVersion: StatementSync;
  readonly #counters = { commits: 0, syncs: 0, appends: 0, bytes: 0 };
  #head: number;
  #seenVersion: unknown;

  constructor(parts: GroupWriterParts) {
    const { db } = parts;
    this.#parts = parts;
    this.#begin = db.prepare('begin immediate');
    this.#commit = db.prepare('commit');
    this.#rollback = db.prepare('rollback');
    this.#dataVersion = db.prepare('pragma data_version');
    this.#head = parts.table.head();
    this.#seenVersion = this.#dataVersion.get()?.['data_version'];
  }

  head(): number {
    return this.#head;
  }

  counters(): Counters {
    return { ...this.#counters };
  }

  /** Settles every append; false where the write lock is held and nothing was done. */
  write(appends: readonly QueuedAppend[]): boolean {
    const group: Group = { answers: [], written: [], head: 0 };
    try {
      this.#rollBack();
      this.#begin.run();
      this.#noticeOthers();
      group.head = this.#head;
      for (const append of appends) group.answers.push(tryAppend(this.#parts, group, append));
      if (group.written.length > 0) this.#parts.index.merge(this.#head);
    } catch (error) {
      this.#undo();
      if (isBusy(error)) return false;
      refuseAll(appends, storeFaultOf(error, this.#parts.path));
      return true;
    }
    const fault = this.#tryCommit(group);
    if (fault === undefined) this.#finish(group);
    else refuseAll(appends, fault);
    return true;
  }

  /** The file is ours alone, unless somebody removed the lock: then what they wrote counts too. */
  #noticeOthers(): void {
    const version = this.#dataVersion.get()?.['data_version'];
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    this.#head = this.#parts.table.head();
    this.#parts.index.reload();
  }

  #tryCommit(group: Group): StoreFault | undefined {
    const { table, path } = this.#parts;
    try {
      this.#commit.run();
      return undefined;
    } catch (error) {
      this.#tryRollBack();
      if (group.written.length > 0 && holdsPosition(table, group.head)) return undefined;
      this.#parts.index.forget();
      // A failed sync may leave a whole commit in the log, which a crash would bring to light.
      const isAbsent = isBusy(error) || isDiskFull(error);
      return storeFaultOf(error, path, isAbsent ? 'safe' : 'unsafe');
    }
  }

  #finish(group: Group): void {
    if (group.written.length > 0) {
      this.#head = group.head;
      this.#parts.index.keep();
      this.#count(group);
      this.#parts.committed(group.head, group.written);
    }
    for (const answer of group.answers) {
      if ('fault' in answer) answer.append.reject(answer.fault);
      else answer.append.resolve(answer.result);
    }
  }

  #count(group: Group): void {
    this.#counters.commits += 1;
    this.#counters.syncs += 1;
    this.#counters.appends += group.written.length;
    for (const { append } of group.written) {
      this.#counters.bytes += Buffer.byteLength(append.text) + Buffer.byteLength(append.stream);
    }
  }

  #undo(): void {
    this.#parts.index.forget();
    this.#tryRollBack();
  }

  #rollBack(): void {
    if (this.#parts.db.isTransaction) this.#rollback.run();
  }

  #tryRollBack(): void {
    try {
      this.#rollBack();
    } catch {
      // The next group begins with it, and tells its callers if it fails again.
    }
  }
}

function tryAppend(parts: GroupWriterParts, group: Group, append: QueuedAppend): Answer {
  const { table, index } = parts;
  const { stream, expected, events, text } = append;
  let head: StreamHead | undefined;
  let decision: ReturnType<typeof decideAppend>;
  let stored: readonly RecordedEvent[] = [];
  try {
    head = index.head(stream);
    decision = decideAppend(head?.revision, expected, events, (from, count) => {
      stored = storedAt(index, stream, from).slice(0, count);
      return stored.map((event) => event.id);
    });
  } catch (error) {
    // SQLite ends the transaction by itself on some errors: then nobody may go on in it.
    if (!parts.db.isTransaction) throw error;
    // Nothing was written for this one: a damaged stream does not hold up the others.
    return { append, fault: storeFaultOf(error, parts.path) };
  }
  switch (decision.kind) {
    case 'conflict':
      return { append, result: { kind: 'conflict', actual: head?.revision } };
    case 'repeat':
      return { append, result: appended(decision.lastRevision, stored.at(-1)?.position, true) };
    case 'write': {
      const position = group.head + 1;
      const revision = decision.firstRevision;
      const count = events.length;
      const previous = head?.last ?? null;
      table.insert({ position, stream, revision, count, previous, events: text });
      group.head += count;
      const lastRevision = revision + count - 1;
      index.add(stream, { revision: lastRevision, last: position }, previous);
      group.written.push({ append, position, revision });
      return { append, result: appended(lastRevision, group.head, false) };
    }
  }
}

function appended(revision: number, position: number | undefined, repeated: boolean): AppendResult {
  if (position === undefined) throw new Error('A repeated append has stored events.');
  return { kind: 'appended', revision, position, repeated };
}

function refuseAll(appends: readonly QueuedAppend[], fault: StoreFault): void {
  for (const append of appends) append.reject(fault);
}

/** Reads back after a failed commit; false also where it cannot be read. */
function holdsPosition(table: EventTable, position: number): boolean {
  try {
    return table.head() >= position;
  } catch {
    return false;
  }
}
