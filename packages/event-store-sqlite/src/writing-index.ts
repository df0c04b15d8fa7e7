// The index of the process that writes. An index kept with every append would touch a random page
// for each new stream, and pages decide what a commit costs. So the ends of streams stay in memory
// and are merged by ranges: neighbours in the index go together, in the transaction of some append.
import { type DatabaseSync } from 'node:sqlite';
import { pendingStreamsMaxUsual } from './bounds.ts';
import { type EventTable } from './event-table.ts';
import { type EventRow } from './row-text.ts';
import {
  createIndexTable,
  type IndexEntry,
  type IndexTable,
  missingRow,
  type StreamHead,
  type StreamRows,
} from './stream-rows.ts';
import { rangeCount, rangeOf } from './stream-ranges.ts';

/** So many positions per pending stream may lie between the newest and the merged ones. */
const positionsPerPending = 8;
/** Ranges merged by one commit when the positions run ahead though few streams are pending. */
const rangesPerCommit = 8;

export class WritingIndex implements StreamRows {
  readonly #table: IndexTable;
  readonly #merge;
  readonly #setThrough;
  readonly #pendingMax: number;
  /** By range: the ends of streams that `streams` does not know yet, those of the open transaction too. */
  readonly #pending: Map<string, StreamHead>[];
  /** By range: up to which position its streams are merged. */
  readonly #through: number[];
  #pendingCount = 0;
  /** The range merged longest ago: all positions up to its mark are merged. */
  #oldest = 0;
  /** Streams that do not hold together, by the position of the row that shows it. */
  readonly #lost = new Map<string, number>();
  /** What the open transaction has added, with what was there before, to take it back. */
  readonly #added: { readonly stream: string; readonly before: StreamHead | undefined }[] = [];
  #merged: { readonly ranges: number; readonly through: number } = { ranges: 0, through: 0 };

  constructor(db: DatabaseSync, table: EventTable, pendingMax = pendingStreamsMaxUsual) {
    this.#table = createIndexTable(db, table);
    this.#merge = db.prepare(
      'insert into streams (name, last) values (?, ?) on conflict (name) do update set last = excluded.last',
    );
    this.#setThrough = db.prepare(`update facts set value = ? where name = 'indexed-through'`);
    this.#pendingMax = pendingMax;
    this.#pending = Array.from({ length: rangeCount }, () => new Map<string, StreamHead>());
    this.#through = Array.from({ length: rangeCount }, () => 0);
    this.reload();
  }

  /** @throws StoreFault `store.corrupt` where a row of the stream was moved or is missing */
  head(stream: string): StreamHead | undefined {
    this.#refuseLost(stream);
    return this.#headInMemory(stream) ?? this.#table.head(stream);
  }

  rows(stream: string, from: number): readonly EventRow[] {
    this.#refuseLost(stream);
    const last = this.#headInMemory(stream)?.last ?? this.#table.last(stream);
    return last === undefined ? [] : this.#table.walk(stream, last, from);
  }

  entries(after: string, max: number): readonly IndexEntry[] {
    return this.#table.entries(after, max);
  }

  /** A row was inserted in the open transaction. */
  add(stream: string, head: StreamHead): void {
    this.#added.push({ stream, before: this.#setPending(stream, head) });
  }

  /** Merges what is due into the open transaction. @param head before the transaction */
  merge(head: number): void {
    let left = this.#pendingCount;
    let ranges = 0;
    const isDue = (): boolean =>
      left > this.#pendingMax ||
      (ranges < rangesPerCommit &&
        head - this.#throughAfter(ranges) > this.#pendingMax * positionsPerPending);
    while (ranges < rangeCount && (isDue() || (ranges > 0 && this.#isEmpty(ranges)))) {
      left -= this.#mergeRange((this.#oldest + ranges) % rangeCount);
      ranges += 1;
    }
    this.#merged = { ranges, through: head };
    if (ranges > 0) {
      const through = ranges === rangeCount ? head : this.#throughAfter(ranges);
      this.#setThrough.run(String(through));
    }
  }

  /** Merges everything into the open transaction, so that the table alone tells every stream. */
  mergeAll(head: number): void {
    for (let range = 0; range < rangeCount; range += 1) this.#mergeRange(range);
    this.#setThrough.run(String(head));
  }

  isMerged(head: number): boolean {
    return this.#table.indexedThrough() >= head;
  }

  /** The transaction was committed. */
  keep(): void {
    const { ranges, through } = this.#merged;
    for (let n = 0; n < ranges; n += 1) {
      this.#pendingCount -= this.#pending[this.#oldest]?.size ?? 0;
      this.#pending[this.#oldest] = new Map();
      this.#through[this.#oldest] = through;
      this.#oldest = (this.#oldest + 1) % rangeCount;
    }
    this.#added.length = 0;
    this.#merged = { ranges: 0, through: 0 };
  }

  /** The transaction was rolled back. */
  forget(): void {
    for (const { stream, before } of this.#added.reverse()) {
      if (before === undefined) this.#dropPending(stream);
      else this.#setPending(stream, before);
    }
    this.#added.length = 0;
    this.#merged = { ranges: 0, through: 0 };
  }

  /** Starts from what the file says: at opening, and when another connection has written. */
  reload(): void {
    const through = this.#table.indexedThrough();
    for (const range of this.#pending) range.clear();
    this.#pendingCount = 0;
    this.#through.fill(through);
    this.#lost.clear();
    this.#table.tail(through, {
      head: (stream) => this.#pending[rangeOf(stream)]?.get(stream),
      visit: (stream, head) => {
        this.#setPending(stream, head);
      },
      lost: (stream, position) => {
        this.#lost.set(stream, position);
        // What the table will say: from there the stream cannot be followed, now or later.
        this.#setPending(stream, { revision: -1, last: position });
      },
    });
  }

  #refuseLost(stream: string): void {
    if (this.#lost.size === 0) return;
    const position = this.#lost.get(stream);
    if (position !== undefined) throw missingRow(stream, position);
  }

  #headInMemory(stream: string): StreamHead | undefined {
    return this.#pending[rangeOf(stream)]?.get(stream);
  }

  #mergeRange(range: number): number {
    const pending = [...(this.#pending[range] ?? [])];
    // In the order of the index, so that neighbours meet the same page.
    pending.sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [stream, { last }] of pending) this.#merge.run(stream, last);
    return pending.length;
  }

  /** An empty range costs nothing to merge. */
  #isEmpty(ranges: number): boolean {
    return this.#pending[(this.#oldest + ranges) % rangeCount]?.size === 0;
  }

  /** What the oldest mark will be when this many ranges have been merged. */
  #throughAfter(ranges: number): number {
    return this.#through[(this.#oldest + ranges) % rangeCount] ?? 0;
  }

  /** @returns what was pending for the stream before */
  #setPending(stream: string, head: StreamHead): StreamHead | undefined {
    const range = this.#pending[rangeOf(stream)];
    const before = range?.get(stream);
    if (before === undefined) this.#pendingCount += 1;
    range?.set(stream, head);
    return before;
  }

  #dropPending(stream: string): void {
    if (this.#pending[rangeOf(stream)]?.delete(stream) === true) this.#pendingCount -= 1;
  }
}
