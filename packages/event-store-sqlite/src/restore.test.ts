// A backup is whole when it has its name; a restored file is always `recovering`, knows how much it
// lacks, and leaves what was there before beside it.
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type NewEvent } from '@action-ledger/event-store';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openSqliteEventStore, restoreBackup, type SqliteEventStore } from './index.ts';

const runtime = createSystemRuntime();
let folder = '';
let path = '';
let copy = '';
let opened: SqliteEventStore[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'restore-'));
  path = join(folder, 'ledger.db');
  copy = join(folder, 'copy.db');
});

afterEach(async () => {
  for (const store of opened) await store.close();
  opened = [];
  rmSync(folder, { recursive: true, force: true });
});

async function open(of = path, readOnly = false): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ path: of, runtime, readOnly });
  opened.push(store);
  return store;
}

let ids = 0;
const some = (count: number): readonly NewEvent[] =>
  Array.from({ length: count }, () => ({
    id: `event-${(ids += 1)}`,
    type: 'ActionPlanned',
    data: '{}',
    metadata: '{"at":1}',
  }));

/** A ledger with five events, four of them in the backup. */
async function backedUp(): Promise<void> {
  const store = await open();
  await store.append('action-a', 'no stream', some(4));
  await store.backup(copy);
  await store.append('action-b', 'no stream', some(1));
  await store.close();
}

const restore = () => restoreBackup({ from: copy, path, runtime });

describe('a backup', () => {
  it('takes the place of another file only where that is wished, and never that of a ledger', async () => {
    await backedUp();
    const store = await open();
    await expect(store.backup(copy)).rejects.toMatchObject({ code: 'store.io' });
    expect((await store.backup(copy, { overwrite: true })).head).toBe(5);
    const beside = await open(path, true);
    await expect(beside.backup(copy)).rejects.toMatchObject({ code: 'store.io' });
    expect((await beside.backup(copy, { overwrite: true })).head).toBe(5);
    const again = await open(copy, true);
    expect(await again.head()).toBe(5);
    await expect(store.backup(path, { overwrite: true })).rejects.toMatchObject({
      code: 'store.io',
    });
    const other = join(folder, 'other.db');
    await open(other);
    await expect(store.backup(other, { overwrite: true })).rejects.toMatchObject({
      code: 'store.held',
    });
  });

  it('does not get its name where the check fails, nor takes another away', async () => {
    await backedUp();
    const before = readFileSync(copy);
    const store = await open();
    const check = async (draft: string): Promise<void> => {
      expect(existsSync(draft)).toBe(true);
      throw new Error('not whole');
    };
    await expect(store.backup(copy, { overwrite: true, check })).rejects.toThrow('not whole');
    expect(readFileSync(copy).equals(before)).toBe(true);
    expect(readdirSync(folder).filter((name) => name.includes('.part'))).toEqual([]);
  });

  it('of a file that is recovering ends no later than that file did', async () => {
    await backedUp();
    const { takenAt } = await restore();
    const store = await open();
    await store.append('quarantine-a', 'no stream', some(1));
    const second = join(folder, 'second.db');
    await store.backup(second);
    expect((await open(second)).condition()).toMatchObject({ takenAt, head: 4, mark: 5 });
  });
});

describe('restore', () => {
  it('FW25 ends in recovering, and knows what was there', async () => {
    await backedUp();
    const before = Date.now();
    const restored = await restore();
    expect(restored).toMatchObject({ head: 4, mark: 5 });
    expect(restored.takenAt).toBeLessThanOrEqual(before);
    const store = await open();
    expect(store.condition()).toMatchObject({
      kind: 'recovering',
      head: 4,
      mark: 5,
      takenAt: restored.takenAt,
    });
    expect(await store.readStream('action-b')).toEqual([]);
    expect((await open(restored.kept)).condition()).toEqual({ kind: 'ready' });
  });

  it.each<[string, () => void]>([
    ['with its mark', () => undefined],
    [
      'without a mark',
      () => {
        rmSync(`${path}.mark`);
      },
    ],
    [
      'onto a mark of its own height',
      () => {
        writeFileSync(`${path}.mark`, `${'4'.padStart(20, '0')}\n`);
      },
    ],
    [
      'from a plain copy with a copied mark',
      () => {
        copyFileSync(path, copy);
        copyFileSync(`${path}.mark`, `${copy}.mark`);
      },
    ],
    [
      'where there was no file',
      () => {
        rmSync(path);
        rmSync(`${path}.mark`);
      },
    ],
  ])('%s ends in recovering', async (_, prepare) => {
    await backedUp();
    prepare();
    await restore();
    const store = await open();
    expect(store.condition()).toMatchObject({ kind: 'recovering', head: await store.head() });
    await store.close();
    expect((await open(path, true)).condition()).toMatchObject({ kind: 'recovering' });
  });

  it('keeps whatever belongs to the old file beside it, and leaves no log to the new one', async () => {
    await backedUp();
    for (const suffix of ['-wal', '-shm', '.views'])
      writeFileSync(`${path}${suffix}`, `old ${suffix}`);
    const { kept = '' } = await restore();
    expect(kept).toMatch(/ledger\.db\.before-\d{8}T\d{6}Z$/);
    // SQLite makes a new -shm of any log that it looks at.
    for (const suffix of ['-wal', '.views'])
      expect(readFileSync(`${kept}${suffix}`, 'utf8')).toBe(`old ${suffix}`);
    expect(readFileSync(`${kept}.mark`, 'utf8')).toContain('5');
    for (const suffix of ['-wal', '-shm', '.views', '.restoring'])
      expect(existsSync(`${path}${suffix}`)).toBe(false);
    expect((await restore()).kept).not.toBe(kept);
  });

  it('replaces what a link leads to, and keeps the link', async () => {
    await backedUp();
    const link = join(folder, 'link.db');
    symlinkSync(path, link);
    const { kept } = await restoreBackup({ from: copy, path: link, runtime });
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(kept).toContain('ledger.db.before-');
    expect((await open()).condition()).toMatchObject({ kind: 'recovering' });
  });

  it('is refused while a ledger runs there, and changes nothing', async () => {
    await backedUp();
    const store = await open();
    await expect(restore()).rejects.toMatchObject({ code: 'store.held' });
    expect(await store.head()).toBe(5);
    expect(readdirSync(folder).filter((name) => /before|restoring/.test(name))).toEqual([]);
  });

  it.each<[string, () => void, string]>([
    [
      'is missing',
      () => {
        rmSync(copy);
      },
      'store.not-found',
    ],
    [
      'is no database',
      () => {
        writeFileSync(copy, 'x'.repeat(5_000));
      },
      'store.corrupt',
    ],
    [
      'is the database of another program',
      () => {
        rmSync(copy);
        new DatabaseSync(copy).exec('create table notes (text)');
      },
      'store.format',
    ],
    [
      'is the ledger itself',
      () => {
        rmSync(copy);
        symlinkSync(path, copy);
      },
      'store.io',
    ],
  ])('is refused where the backup %s', async (_, spoil, code) => {
    await backedUp();
    spoil();
    await expect(restore()).rejects.toMatchObject({ code });
    expect(await (await open()).head()).toBe(5);
    expect(readdirSync(folder).filter((name) => /before|restoring/.test(name))).toEqual([]);
  });

  it('leaves all as it was where the check of the copy fails', async () => {
    await backedUp();
    const check = (): Promise<void> => Promise.reject(new Error('not whole'));
    await expect(restoreBackup({ from: copy, path, runtime, check })).rejects.toThrow('not whole');
    expect((await open()).condition()).toEqual({ kind: 'ready' });
  });

  it('leaves a file behind its mark where it is cut off before the new one is there', async () => {
    await backedUp();
    rmSync(path);
    expect((await open()).condition()).toMatchObject({ kind: 'recovering', mark: 5, head: 0 });
  });
});

describe('the mark beside a backup that was put back by hand', () => {
  it('tells how much is missing, until something is recorded', async () => {
    await backedUp();
    copyFileSync(copy, path);
    const store = await open();
    expect(store.condition()).toMatchObject({ head: 4, mark: 5 });
    await store.append('quarantine-a', 'no stream', some(7));
    await store.close();
    expect((await open()).condition()).toMatchObject({ head: 4, mark: 5 });
  });
});

describe('a loss that is found while the file is open', () => {
  it('is part of the condition, and stays so', async () => {
    await backedUp();
    const store = await open();
    await store.noteLoss?.({ first: 2, last: 3, reason: 'gone' });
    expect(store.condition()).toMatchObject({ kind: 'recovering', lost: [[2, 3]] });
    await store.close();
    expect((await open()).condition()).toMatchObject({ lost: [[2, 3]] });
  });
});
