// The index of the process that writes. An index kept with every append would touch a random page
// for each new stream, and pages decide what a commit costs. So the ends of streams stay in memory
// and are merged by ranges: neighbours in the index go together, in the transaction of some append.
// With each merge goes a tally, and what it shows to be lost is not taken for new.
import { type DatabaseSync } from 'node:sqlite';
import { pendingStreamsMaxUsual } from './bounds.ts';
import { type EventTable } from './event-table.ts';
import { type IndexCount } from './index-tally.ts';
import { type EventRow } from './row-text.ts';
import {
  createIndexTable,
  type Examined,
  type IndexEntry,
  type IndexTable,
  missingRow,
  type StreamHead,
  type StreamRows,
  unindexedRow,
} from './stream-rows.ts';
import { rangeCount, rangeOf } from './stream-ranges.ts';

/** So many positions per pending stream may lie between the newest and the merged ones. */
const positionsPerPending = 8;
/** Ranges merged by one commit when the positions run ahead though few streams are pending. */
const rangesPerCommit = 8;

/** A stream whose end `streams` does not know yet. */
interface Pending extends StreamHead {
  /** The end that it names; null where it lacks the stream. */
  readonly indexed: number | null;
}

/** What the open transaction has merged. */
interface Merged extends IndexCount {
  readonly ranges: number;
  readonly through: number;
}

export class WritingIndex implements StreamRows {
  readonly #table: IndexTable;
  readonly #merge;
  readonly #pendingMax: number;
  /** By range: the ends of streams that `streams` does not know yet, those of the open transaction too. */
  readonly #pending: Map<string, Pending>[];
  /** By range: up to which position its streams are merged. */
  readonly #through: number[];
  #pendingCount = 0;
  /** The range merged longest ago: all positions up to its mark are merged. */
  #oldest = 0;
  /** Streams that do not hold together, by the position of the row that shows it. */
  readonly #lost = new Map<string, number>();
  /** As the file was when it was opened, or when another connection had written. */
  #examined: Examined;
  /** What `streams` should hold. */
  #count: IndexCount;
  /** What the open transaction has added, with what was there before, to take it back. */
  readonly #added: { readonly stream: string; readonly before: Pending | undefined }[] = [];
  #merged: Merged | undefined;

  constructor(db: DatabaseSync, table: EventTable, pendingMax = pendingStreamsMaxUsual) {
    this.#table = createIndexTable(db, table);
    this.#merge = db.prepare(
      'insert into streams (name, last) values (?, ?) on conflict (name) do update set last = excluded.last',
    );
    this.#pendingMax = pendingMax;
    this.#examined = this.#table.examined();
    this.#count = this.#examined.count;
    this.#pending = Array.from({ length: rangeCount }, () => new Map<string, Pending>());
    this.#through = Array.from({ length: rangeCount }, () => this.#examined.through ?? 0);
    this.#readTail();
  }

  /**
   * For an append.
   * @throws StoreFault `store.corrupt` where a row of the stream was moved or is missing, or cannot
   *   be found by the table
   */
  head(stream: string): StreamHead | undefined {
    this.#refuseLost(stream);
    this.#refuseUnindexed(stream);
    return this.#headInMemory(stream) ?? this.#table.head(stream);
  }

  /** Of a stream that the table has lost, what its rows say. */
  rows(stream: string, from: number): readonly EventRow[] {
    this.#refuseLost(stream);
    const last =
      this.#headInMemory(stream)?.last ??
      this.#examined.unindexed.get(stream) ??
      this.#table.last(stream);
    return last === undefined ? [] : this.#table.walk(stream, last, from);
  }

  entries(after: string, max: number): readonly IndexEntry[] {
    return this.#table.entries(after, max);
  }

  /** As `rows`, for a check of the table: what it has lost is a fault. */
  indexedRows(stream: string, from: number): readonly EventRow[] {
    this.#refuseUnindexed(stream);
    return this.rows(stream, from);
  }

  /** What the last look at the whole table has found. */
  examined(): Examined {
    return this.#examined;
  }

  isTold(): boolean {
    return this.#table.tallies.said() !== undefined;
  }

  indexedThrough(): number {
    return this.#table.indexedThrough();
  }

  /**
   * A row was inserted in the open transaction.
   * @param previous the end of the stream before, null where it is new
   */
  add(stream: string, head: StreamHead, previous: number | null): void {
    this.#added.push({ stream, before: this.#setPending(stream, head, previous) });
  }

  /** Merges what is due into the open transaction. @param head before the transaction */
  merge(head: number): void {
    let left = this.#pendingCount;
    let ranges = 0;
    let count = this.#count;
    const isDue = (): boolean =>
      left > this.#pendingMax ||
      (ranges < rangesPerCommit &&
        head - this.#throughAfter(ranges) > this.#pendingMax * positionsPerPending);
    while (ranges < rangeCount && (isDue() || (ranges > 0 && this.#isEmpty(ranges)))) {
      const range = (this.#oldest + ranges) % rangeCount;
      left -= this.#pending[range]?.size ?? 0;
      count = this.#mergeRange(range, count);
      ranges += 1;
    }
    if (ranges === 0) return;
    this.#merged = { ranges, through: head, ...count };
    const through = ranges === rangeCount ? head : this.#throughAfter(ranges);
    this.#table.tallies.keep({ through, ...count });
  }

  /** Merges everything into the open transaction, so that the table alone tells every stream. */
  mergeAll(head: number): void {
    let count = this.#count;
    for (let range = 0; range < rangeCount; range += 1) count = this.#mergeRange(range, count);
    this.#table.tallies.keep({ through: head, ...count });
  }

  isMerged(head: number): boolean {
    const said = this.#table.tallies.said();
    return said !== undefined && said.through >= head;
  }

  /** The transaction was committed. */
  keep(): void {
    this.#added.length = 0;
    const merged = this.#merged;
    if (merged === undefined) return;
    this.#merged = undefined;
    this.#count = merged;
    for (let n = 0; n < merged.ranges; n += 1) {
      this.#pendingCount -= this.#pending[this.#oldest]?.size ?? 0;
      this.#pending[this.#oldest] = new Map();
      this.#through[this.#oldest] = merged.through;
      this.#oldest = (this.#oldest + 1) % rangeCount;
    }
  }

  /** The transaction was rolled back. */
  forget(): void {
    for (const { stream, before } of this.#added.reverse()) {
      if (before === undefined) this.#dropPending(stream);
      else this.#pending[rangeOf(stream)]?.set(stream, before);
    }
    this.#added.length = 0;
    this.#merged = undefined;
  }

  /** Starts from what the file says: at opening, and when another connection has written. */
  reload(): void {
    this.#examined = this.#table.examined();
    this.#count = this.#examined.count;
    for (const range of this.#pending) range.clear();
    this.#pendingCount = 0;
    this.#through.fill(this.#examined.through ?? 0);
    this.#lost.clear();
    this.#readTail();
  }

  #readTail(): void {
    const { through } = this.#examined;
    const found: Parameters<IndexTable['tail']>[1] = {
      head: (stream) => this.#headInMemory(stream),
      visit: (stream, head, indexed) => {
        this.#setPending(stream, head, indexed);
      },
      lost: (stream, position) => {
        this.#lost.set(stream, position);
        // What the table will say: from there the stream cannot be followed, now or later.
        const head = { revision: -1, last: position };
        this.#setPending(stream, head, this.#table.last(stream) ?? null);
      },
    };
    // Where it is not known up to where the table goes, every row is compared with it.
    if (through === undefined) this.#table.uncoveredTail(found);
    else this.#table.tail(through, found);
  }

  #refuseLost(stream: string): void {
    if (this.#lost.size === 0) return;
    const position = this.#lost.get(stream);
    if (position !== undefined) throw missingRow(stream, position);
  }

  #refuseUnindexed(stream: string): void {
    const { unindexed } = this.#examined;
    if (unindexed.size === 0) return;
    const position = unindexed.get(stream);
    if (position !== undefined) throw unindexedRow(stream, position);
  }

  #headInMemory(stream: string): Pending | undefined {
    return this.#pending[rangeOf(stream)]?.get(stream);
  }

  /** @returns what the table holds afterwards, where it held `count` before */
  #mergeRange(range: number, count: IndexCount): IndexCount {
    let { streams, ends } = count;
    const pending = [...(this.#pending[range] ?? [])];
    // In the order of the index, so that neighbours meet the same page.
    pending.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [stream, { last, indexed }] of pending) {
      this.#merge.run(stream, last);
      if (indexed === null) streams += 1;
      ends += last - (indexed ?? 0);
    }
    return { streams, ends };
  }

  /** An empty range costs nothing to merge. */
  #isEmpty(ranges: number): boolean {
    return this.#pending[(this.#oldest + ranges) % rangeCount]?.size === 0;
  }

  /** What the oldest mark will be when this many ranges have been merged. */
  #throughAfter(ranges: number): number {
    return this.#through[(this.#oldest + ranges) % rangeCount] ?? 0;
  }

  /**
   * @param indexed of a stream that was not pending before
   * @returns what was pending for the stream before
   */
  #setPending(stream: string, head: StreamHead, indexed: number | null): Pending | undefined {
    const range = this.#pending[rangeOf(stream)];
    const before = range?.get(stream);
    if (before === undefined) this.#pendingCount += 1;
    const { revision, last } = head;
    range?.set(stream, {
      revision,
      last,
      indexed: before === undefined ? indexed : before.indexed,
    });
    return before;
  }

  #dropPending(stream: string): void {
    if (this.#pending[rangeOf(stream)]?.delete(stream) === true) this.#pendingCount -= 1;
  }
}
