// Puts a backup in the place of a ledger's file, while no process has that open for writing. What was
// there stays beside it under a dated name, with everything that belongs to it. The file always ends
// in `recovering`, whatever it was copied with. A crash in between leaves the old file, which its mark
// tells to be incomplete, or the new one.
import { copyFileSync, existsSync, linkSync, lstatSync, realpathSync, renameSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { allPages, removeBeside, removeDatabase } from './backup.ts';
import { openReader, openSource, openWriter } from './connection.ts';
import { createEventTable } from './event-table.ts';
import { createFacts } from './facts.ts';
import { realPath, takeFileLock } from './file-lock.ts';
import { markPath, readMark, syncFolder } from './mark.ts';
import { storeFaultOf } from './sqlite-faults.ts';

export interface RestoreOptions {
  /** The backup, or any whole copy of a ledger's file. It stays as it is. */
  readonly from: string;
  readonly path: string;
  readonly runtime: Runtime;
  /** Looks at the copy before it takes the file's place; what it throws leaves all as it was. */
  readonly check?: (draft: string) => Promise<void>;
}

export interface Restored {
  /** The highest position in it. */
  readonly head: number;
  /** The highest position that any file here was known to hold. */
  readonly mark: number;
  /** When the backup was taken, wall-clock ms; undefined where the copy does not say. */
  readonly takenAt: number | undefined;
  /** Where the old file is now; undefined where there was none. */
  readonly kept: string | undefined;
}

/**
 * @throws StoreFault `store.held` where a ledger runs on `path`, `store.not-found`, `store.format` and
 *   `store.corrupt` where `from` is no ledger's file, and whatever writing throws
 */
export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { from, path, runtime } = options;
  if (!existsSync(from))
    throw new StoreFault('store.not-found', 'never', `There is no file ${from}. Check the path.`);
  if (existsSync(path) && realpathSync(from) === realpathSync(path))
    throw new StoreFault('store.io', 'never', `${from} is the ledger itself. Name its backup.`);
  const lock = await takeFileLock(path, runtime);
  try {
    return await restoreNow({ ...options, path: isLink(path) ? realPath(path) : path });
  } finally {
    lock.release();
  }
}

/** A link stays: what it leads to is replaced. */
function isLink(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

async function restoreNow({ from, path, runtime, check }: RestoreOptions): Promise<Restored> {
  const draft = `${path}.restoring`;
  removeDatabase(draft);
  try {
    await copy(from, draft);
    const known = Math.max(readMark(path) ?? 0, readMark(from) ?? 0, headOf(path));
    const stamped = stamp(draft, known, from);
    await check?.(draft);
    removeBeside(draft);
    const kept = moveAside(path, runtime);
    renameSync(draft, path);
    syncFolder(path);
    return { ...stamped, kept };
  } catch (error) {
    removeDatabase(draft);
    throw storeFaultOf(error, path);
  }
}

async function copy(from: string, draft: string): Promise<void> {
  let source: DatabaseSync | undefined;
  try {
    source = openSource(from);
    await backup(source, draft, { rate: allPages });
  } catch (error) {
    throw storeFaultOf(error, from);
  } finally {
    source?.close();
  }
}

/** 0 where it cannot be read: that may be why it is replaced. */
function headOf(path: string): number {
  if (!existsSync(path)) return 0;
  try {
    const db = openReader(path);
    try {
      return createEventTable(db).head();
    } finally {
      db.close();
    }
  } catch {
    return 0;
  }
}

/** What the copy knows of its own end tells more than the copying does. */
function stamp(draft: string, known: number, from: string): Omit<Restored, 'kept'> {
  let db: DatabaseSync | undefined;
  try {
    db = openWriter(draft);
    const facts = createFacts(db);
    const head = createEventTable(db).head();
    const before = facts.recovery();
    const mark = Math.max(known, before?.mark ?? 0, head);
    facts.keepRecovery(
      before === undefined
        ? { kind: 'recovering', reason: restoredFrom(from), mark, head }
        : { ...before, reason: `${restoredFrom(from)} ${before.reason}`, mark },
    );
    return { head, mark, takenAt: before?.takenAt };
  } catch (error) {
    throw storeFaultOf(error, from);
  } finally {
    db?.close();
  }
}

function restoredFrom(from: string): string {
  return `The file was restored from ${from}.`;
}

/**
 * The file itself stays until the new one takes its place, its mark for good: an empty file must not
 * look like a new ledger. Its log goes first, because SQLite would apply it to any file of that name.
 */
function moveAside(path: string, runtime: Runtime): string | undefined {
  const isThere = existsSync(path);
  const kept = freeName(path, runtime.clock.wallMs());
  if (isThere) linkOrCopy(path, kept);
  if (existsSync(markPath(path))) copyFileSync(markPath(path), markPath(kept));
  for (const suffix of ['-wal', '-shm', '.views', '.views-wal', '.views-shm'])
    if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${kept}${suffix}`);
  syncFolder(path);
  return isThere ? kept : undefined;
}

const namesMax = 100;

function freeName(path: string, nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  for (let number = 1; number <= namesMax; number += 1) {
    const name = `${path}.before-${time}${number === 1 ? '' : `-${number}`}`;
    if (!existsSync(name)) return name;
  }
  throw new StoreFault('store.io', 'safe', `${path} was restored too often. Wait a second.`);
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Not every file system has links.
    copyFileSync(from, to);
  }
}
