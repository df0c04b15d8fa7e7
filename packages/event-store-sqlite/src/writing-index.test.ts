import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createEventTable } from './event-table.ts';
import { ReadingIndex } from './reading-index.ts';
import { migrate, numberOf } from './schema.ts';
import { rangeCount, rangeOf } from './stream-ranges.ts';
import { type StreamHead } from './stream-rows.ts';
import { WritingIndex } from './writing-index.ts';

const streamsMax = 40;

describe('the deferred index', () => {
  const group = fc.record({
    streams: fc.array(fc.nat(streamsMax - 1), { minLength: 1, maxLength: 12 }),
    end: fc.constantFrom('commit', 'commit', 'commit', 'roll back', 'reopen', 'reload'),
  });

  it('knows the end of every stream after any commits, rollbacks and restarts', () => {
    fc.assert(
      fc.property(fc.array(group, { maxLength: 40 }), fc.nat(12), (groups, pendingMax) => {
        const file = createFile(pendingMax);
        for (const { streams, end } of groups) {
          file.write(streams.map(nameOf), end !== 'roll back');
          if (end === 'reopen') file.reopen();
          if (end === 'reload') file.index().reload();
          for (let n = 0; n < streamsMax; n += 1) {
            expect(file.index().head(nameOf(n))).toEqual(file.model().get(nameOf(n)));
          }
          expectRead(file, file.reader);
          // One that reads now and then finds the table ahead of what it has seen.
          if (end === 'reopen') expectRead(file, file.idleReader);
        }
        file.close();
      }),
      { numRuns: 60 },
    );
  });

  it('writes no index page for a new stream until more are pending than may be', () => {
    const file = createFile(100);
    for (let n = 0; n < 100; n += 1) file.write([randomName()], true);
    expect(file.indexed()).toBe(0);
    for (let n = 0; n < 400; n += 1) file.write([randomName(), randomName()], true);
    // Of 900 streams, all but a hundred and those of the last commit are in the table.
    expect(file.indexed()).toBeGreaterThanOrEqual(798);
    expect(file.indexed()).toBeLessThan(900);
    file.close();
  });

  it('leaves a bounded tail to read at opening, also where few streams get many appends', () => {
    const file = createFile(10);
    for (let n = 0; n < 2000; n += 1) file.write([nameOf(n % 3)], true);
    const tail = file.head() - file.indexedThrough();
    // 80 positions make a merge due; then all 512 ranges come round, eight with each commit.
    expect(tail).toBeLessThan(80 + rangeCount / 8 + 1);
    file.close();
  });
});

describe('the ranges of the index', () => {
  it('follow the order of names, so that a range is one stretch of the index', () => {
    const names = Array.from({ length: 3000 }, randomName).toSorted();
    const ranges = names.map(rangeOf);
    expect(ranges).toEqual(ranges.toSorted((a, b) => a - b));
    expect(new Set(ranges).size).toBeGreaterThan(500);
    expect(Math.max(...ranges)).toBeLessThan(rangeCount);
  });

  it('take any name', () => {
    for (const name of ['a', '-', 'tool-refund', 'workflow-ä€', 'x-🧾', 'quarantine-']) {
      expect(rangeOf(name)).toBeGreaterThanOrEqual(0);
      expect(rangeOf(name)).toBeLessThan(rangeCount);
    }
  });
});

/** The index over a database in memory, with a plain map of what it should know. */
function createFile(pendingMax: number) {
  const db = new DatabaseSync(':memory:');
  migrate(db);
  const table = createEventTable(db);
  let model = new Map<string, StreamHead>();
  let index = new WritingIndex(db, table, pendingMax);
  let head = 0;
  return {
    index: () => index,
    reader: new ReadingIndex(db, table),
    idleReader: new ReadingIndex(db, table),
    model: () => model,
    head: () => head,
    indexed: () => numberOf(db, 'select count(*) from streams'),
    indexedThrough: () =>
      numberOf(db, `select cast(value as integer) from facts where name = 'indexed-through'`),
    write: (streams: readonly string[], isKept: boolean) => {
      const written = new Map(model);
      let position = head;
      db.exec('begin immediate');
      for (const stream of streams) {
        const before = index.head(stream);
        expect(before).toEqual(written.get(stream));
        const revision = (before?.revision ?? -1) + 1;
        position += 1;
        const previous = before?.last ?? null;
        table.insert({ position, stream, revision, count: 1, previous, events: 'e\nT\n{}\n{}' });
        index.add(stream, { revision, last: position });
        written.set(stream, { revision, last: position });
      }
      index.merge(head);
      db.exec(isKept ? 'commit' : 'rollback');
      if (isKept) {
        index.keep();
        head = position;
        model = written;
      } else {
        index.forget();
      }
    },
    reopen: () => {
      index = new WritingIndex(db, table, pendingMax);
    },
    close: () => {
      db.close();
    },
  };
}

/** A reader that has seen some earlier state reads every stream whole. */
function expectRead({ model }: ReturnType<typeof createFile>, reader: ReadingIndex): void {
  for (const [stream, head] of model()) {
    const rows = reader.rows(stream, 0);
    expect(rows.map((row) => row.revision)).toEqual([...Array(head.revision + 1).keys()]);
    expect(rows.at(-1)?.position).toBe(head.last);
  }
}

function nameOf(n: number): string {
  return `action-${'-5AaZz_m'.charAt(n % 8)}${'-5AaZz_m'.charAt((n >> 3) % 8)}${n}.0`;
}

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `action-${Buffer.from(bytes).toString('base64url')}.0`;
}
