import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type AppendResult, type NewEvent } from '@action-ledger/event-store';
import { type QueuedAppend } from './append-queue.ts';
import { createEventTable } from './event-table.ts';
import { GroupWriter } from './group-writer.ts';
import { rowText } from './row-text.ts';
import { migrate } from './schema.ts';
import { WritingIndex } from './writing-index.ts';

let db: DatabaseSync;

beforeEach(() => {
  db = new DatabaseSync(':memory:');
  migrate(db);
});

afterEach(() => {
  db.close();
});

describe('a commit that raises an error', () => {
  const ioError = 10;
  const syncError = 1034;
  const full = 13;

  it('though it was done is found by reading back, and the callers hear of success', async () => {
    const writer = createWriter((commit) => {
      commit();
      throw sqliteError(ioError);
    });
    const [append, result] = queued('action-a', 2);
    writer.write([append]);
    expect(await result).toEqual({ kind: 'appended', revision: 1, position: 2, repeated: false });
    expect(writer.head()).toBe(2);
  });

  it.each([ioError, syncError])(
    'and was not done (%d) is unsafe: a crash may show it',
    async (code) => {
      const writer = createWriter(() => {
        throw sqliteError(code);
      });
      const [append, result] = queued('action-a', 2);
      writer.write([append]);
      await expect(result).rejects.toMatchObject({ code: 'store.io', retry: 'unsafe' });
      expect(writer.head()).toBe(0);
      expect(createEventTable(db).head()).toBe(0);
    },
  );

  it('because the disk is full is safe, and the next group goes on', async () => {
    let isFull = true;
    const writer = createWriter((commit) => {
      if (isFull) throw sqliteError(full);
      commit();
    });
    const [append, result] = queued('action-a', 2);
    writer.write([append]);
    await expect(result).rejects.toMatchObject({ code: 'store.disk-full', retry: 'safe' });
    isFull = false;
    const [again, second] = queued('action-a', 2);
    writer.write([again]);
    expect(await second).toMatchObject({ kind: 'appended', position: 2, repeated: false });
    expect(writer.counters()).toMatchObject({ commits: 1, appends: 1 });
  });

  it('tells nobody of success, not even of a repeat in the same group', async () => {
    const writer = createWriter(() => {
      throw sqliteError(ioError);
    });
    const events = someEvents(1);
    const [first, one] = queued('action-a', events);
    const [second, two] = queued('action-a', events);
    writer.write([first, second]);
    const settled = await Promise.allSettled([one, two]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});

/** A writer whose commits go through `onCommit`. */
function createWriter(onCommit: (commit: () => void) => void): GroupWriter {
  const failing = new Proxy(db, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (name !== 'prepare') return value.bind(target) as unknown;
      return (sql: string) => {
        const statement = target.prepare(sql);
        if (sql !== 'commit') return statement;
        return {
          run: () => {
            onCommit(() => statement.run());
          },
        };
      };
    },
  });
  const table = createEventTable(db);
  return new GroupWriter({
    db: failing,
    path: 'ledger.db',
    table,
    index: new WritingIndex(db, table),
    committed: () => undefined,
  });
}

function queued(
  stream: string,
  content: number | readonly NewEvent[],
): readonly [QueuedAppend, Promise<AppendResult>] {
  const events = typeof content === 'number' ? someEvents(content) : content;
  let append: QueuedAppend | undefined;
  const result = new Promise<AppendResult>((resolve, reject) => {
    const text = rowText(events);
    append = { stream, expected: 'no stream', events, text, queuedAtMs: 0, resolve, reject };
  });
  if (append === undefined) throw new Error('A promise runs its executor at once.');
  return [append, result];
}

function someEvents(count: number): readonly NewEvent[] {
  return Array.from({ length: count }, (_, n) => {
    return { id: `e${n}`, type: 'ActionPlanned', data: '{}', metadata: '{}' };
  });
}

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('injected'), { code: 'ERR_SQLITE_ERROR', errcode });
}
