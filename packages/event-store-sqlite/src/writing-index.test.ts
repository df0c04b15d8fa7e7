import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createEventTable } from './event-table.ts';
import { ReadingIndex } from './reading-index.ts';
import { createIndexTallies } from './index-tally.ts';
import { migrate, numberOf } from './schema.ts';
import { rangeCount, rangeOf } from './stream-ranges.ts';
import { type StreamHead } from './stream-rows.ts';
import { WritingIndex } from './writing-index.ts';

const streamsMax = 40;

describe('the deferred index', () => {
  const group = fc.record({
    streams: fc.array(fc.nat(streamsMax - 1), { minLength: 1, maxLength: 12 }),
    end: fc.constantFrom('commit', 'commit', 'commit', 'roll back', 'reopen', 'reload', 'close'),
  });

  it('knows the end of every stream after any commits, rollbacks and restarts', () => {
    fc.assert(
      fc.property(fc.array(group, { maxLength: 40 }), fc.nat(12), (groups, pendingMax) => {
        const file = createFile(pendingMax);
        for (const { streams, end } of groups) {
          file.write(streams.map(nameOf), end !== 'roll back');
          // The count of the table goes with every merge.
          expect(file.said()).toMatchObject(file.counted());
          if (end === 'close') file.merge();
          if (end === 'reopen' || end === 'close') file.reopen();
          expect(file.index().examined()).toMatchObject({ isWhole: true, unindexed: new Map() });
          if (end === 'reload') file.index().reload();
          for (let n = 0; n < streamsMax; n += 1) {
            expect(headOf(file.index(), nameOf(n))).toEqual(file.model().get(nameOf(n)));
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

describe('the tally of the index', () => {
  /** Twenty streams in the table, the first of them with two rows, and five that it lacks. */
  function someMerged() {
    const file = createFile(8192);
    for (let n = 0; n < 20; n += 1) file.write([nameOf(n)], true);
    file.write([nameOf(0)], true);
    file.merge();
    file.reopen();
    for (let n = 20; n < 25; n += 1) file.write([nameOf(n)], true);
    return file;
  }

  function expectAllKnown(file: ReturnType<typeof createFile>, but: readonly string[] = []): void {
    for (const [stream, head] of file.model())
      if (!but.includes(stream)) expect(headOf(file.index(), stream)).toEqual(head);
  }

  it.each([
    ['deleted', `delete from streams where name = '${nameOf(0)}'`],
    ['set back', `update streams set last = 1 where name = '${nameOf(0)}'`],
  ])('shows an entry that was %s: the stream is read by its rows and takes no append', (_, sql) => {
    const file = someMerged();
    const lost = nameOf(0);
    file.exec(sql);
    for (let opened = 0; opened < 3; opened += 1) {
      file.reopen();
      expect(file.index().examined()).toMatchObject({
        isWhole: false,
        unindexed: new Map([[lost, 21]]),
      });
      expect(() => file.index().head(lost)).toThrow(
        expect.objectContaining({
          code: 'store.corrupt',
          detail: expect.objectContaining({ stream: lost, position: 21 }),
        }),
      );
      expect(file.index().rows(lost, 0)).toHaveLength(2);
      expect(() => file.index().indexedRows(lost, 0)).toThrow('not to be found');
      expectAllKnown(file, [lost]);
      // What others append, and what is merged, does not hide it.
      file.write([nameOf(1), randomName()], true);
      file.merge();
    }
    file.exec(`insert into streams values ('${lost}', 21)
        on conflict (name) do update set last = excluded.last`);
    file.reopen();
    expect(file.index().examined()).toMatchObject({ isWhole: true });
    expectAllKnown(file);
    file.close();
  });

  it('shows it to a process that has the file open, with its next look', () => {
    const file = someMerged();
    file.exec(`delete from streams where name = '${nameOf(7)}'`);
    file.index().reload();
    expect(() => file.index().head(nameOf(7))).toThrow('not to be found');
    expectAllKnown(file, [nameOf(7)]);
    file.close();
  });

  it('of a stream that has rows which the table lacks, too', () => {
    const file = someMerged();
    file.write([nameOf(0)], true);
    file.exec(`delete from streams where name = '${nameOf(0)}'`);
    file.reopen();
    expect(() => file.index().head(nameOf(0))).toThrow();
    expectAllKnown(file, [nameOf(0)]);
    file.close();
  });

  it('is counted anew where an entry was added that leads to no lost row', () => {
    const file = someMerged();
    file.exec(`insert into streams values ('action-nobody', 3)`);
    file.reopen();
    expect(file.index().examined()).toMatchObject({ isWhole: false, unindexed: new Map() });
    expect(() => file.index().head('action-nobody')).toThrow('missing or was changed');
    expectAllKnown(file);
    file.merge();
    file.reopen();
    expect(file.index().examined()).toMatchObject({ isWhole: true });
    file.close();
  });

  it.each(['indexed-through', 'indexed-streams'])(
    'is missing or changed in %s: every stream is known, and the tally is made again',
    (fact) => {
      const where = `where name = '${fact}'`;
      for (const sql of [
        `delete from facts ${where}`,
        `update facts set value = '25 25 325' ${where}`,
        `update facts set value = '3' ${where}`,
        `update facts set value = '0' ${where}`,
        `update facts set value = '25' ${where}`,
        `update facts set value = '1000' ${where}`,
        `update facts set value = '-1' ${where}`,
        `update facts set value = 'x' ${where}`,
        `update facts set value = '' ${where}`,
        `update facts set value = x'00' ${where}`,
        `update facts set name = 'other' ${where}`,
      ]) {
        const file = someMerged();
        file.exec(sql);
        file.reopen();
        expect(file.index().isTold()).toBe(false);
        expectAllKnown(file);
        expectRead(file, file.reader);
        file.write([nameOf(1), nameOf(20), nameOf(30)], true);
        expectAllKnown(file);
        file.merge();
        file.reopen();
        expect(file.index().examined()).toMatchObject({ isWhole: true, through: file.head() });
        expect(file.indexed()).toBe(26);
        expectAllKnown(file);
        file.close();
      }
    },
  );

  it('is no guess where both notes are gone and an entry with them: the rows tell', () => {
    const file = someMerged();
    file.exec(`delete from facts; delete from streams where name > '${nameOf(5)}'`);
    file.reopen();
    expectAllKnown(file);
    file.merge();
    file.reopen();
    expect(file.index().examined()).toMatchObject({ isWhole: true, unindexed: new Map() });
    expectAllKnown(file);
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
        const before = headOf(index, stream);
        expect(before).toEqual(written.get(stream));
        const revision = (before?.revision ?? -1) + 1;
        position += 1;
        const previous = before?.last ?? null;
        table.insert({ position, stream, revision, count: 1, previous, events: 'e\nT\n{}\n{}' });
        index.add(stream, { revision, last: position }, previous);
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
    said: () => createIndexTallies(db).said(),
    counted: () => createIndexTallies(db).counted(),
    exec: (sql: string) => {
      db.exec(sql);
    },
    /** What a close does. */
    merge: () => {
      db.exec('begin immediate');
      index.mergeAll(head);
      db.exec('commit');
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

function headOf(index: WritingIndex, stream: string): StreamHead | undefined {
  const head = index.head(stream);
  return head === undefined ? undefined : { revision: head.revision, last: head.last };
}

function nameOf(n: number): string {
  return `action-${'-5AaZz_m'.charAt(n % 8)}${'-5AaZz_m'.charAt((n >> 3) % 8)}${n}.0`;
}

function randomName(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return `action-${Buffer.from(bytes).toString('base64url')}.0`;
}
