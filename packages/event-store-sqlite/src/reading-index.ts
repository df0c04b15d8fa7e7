// The index of a process that only reads, beside one that writes: what the table `streams` lacks
// is read from the rows after it, and forgotten once the table has it.
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

const forgetAbove = 4 * pendingStreamsMaxUsual;

export class ReadingIndex implements StreamRows {
  readonly #table: IndexTable;
  readonly #tail = new Map<string, StreamHead>();
  /** Streams that do not hold together, by the position of the row that shows it. */
  readonly #lost = new Map<string, number>();
  #readThrough = 0;
  #forgottenThrough = 0;

  constructor(db: DatabaseSync, table: EventTable) {
    this.#table = createIndexTable(db, table);
  }

  /** Within a transaction: table and rows must be of one state of the file. */
  rows(stream: string, from: number): readonly EventRow[] {
    this.#catchUp();
    const lost = this.#lost.get(stream);
    if (lost !== undefined) throw missingRow(stream, lost);
    const last = this.#tail.get(stream)?.last ?? this.#table.last(stream);
    return last === undefined ? [] : this.#table.walk(stream, last, from);
  }

  indexedThrough(): number {
    return this.#table.indexedThrough();
  }

  isTold(): boolean {
    return this.#table.tallies.said() !== undefined;
  }

  /** Counts the table; reads all rows where the count is not what it should be. */
  unindexed(): ReadonlyMap<string, number> {
    return this.#table.examined().unindexed;
  }

  entries(after: string, max: number): readonly IndexEntry[] {
    return this.#table.entries(after, max);
  }

  #catchUp(): void {
    const through = this.#table.indexedThrough();
    if (through > this.#readThrough) {
      this.#readThrough = through;
      this.#tail.clear();
      this.#lost.clear();
    } else if (this.#tail.size > forgetAbove && through > this.#forgottenThrough) {
      this.#forgottenThrough = through;
      for (const [stream, { last }] of this.#tail) if (last <= through) this.#tail.delete(stream);
    }
    this.#table.tail(this.#readThrough, {
      head: (stream) => this.#tail.get(stream),
      visit: (stream, head) => {
        this.#tail.set(stream, head);
        this.#readThrough = head.last;
      },
      lost: (stream, position) => {
        this.#lost.set(stream, position);
        this.#readThrough = position;
      },
    });
  }
}
