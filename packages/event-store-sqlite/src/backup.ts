// A copy of the file as it is at one moment, taken while it is written. The copy knows that it is a
// backup: whoever opens it for writing finds it `recovering`, because what happened after it was
// taken is not in it. It gets its name when it is whole, and takes no other file's place unasked.
import { existsSync, realpathSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { openReader } from './connection.ts';
import { createEventTable } from './event-table.ts';
import { createFacts } from './facts.ts';
import { isHeld } from './file-lock.ts';
import { syncFolder } from './mark.ts';
import { storeFaultOf } from './sqlite-faults.ts';

export interface Backup {
  /** The highest position in it. */
  readonly head: number;
  /** ISO 8601. */
  readonly takenAt: string;
}

export interface BackupOptions {
  /** An earlier file of this name gives way, once the copy is whole. Default: it is refused. */
  readonly overwrite?: boolean;
  /** Looks at the copy before it gets its name; what it throws leaves nothing behind. */
  readonly check?: (draft: string) => Promise<void>;
}

/** Pages per step: all in one, so that commits made meanwhile do not start it over. */
export const allPages = 2 ** 31 - 1;

/** @throws StoreFault `store.io` where `to` exists; whatever reading `path` or writing `to` throws */
export async function backUp(
  path: string,
  to: string,
  runtime: Runtime,
  { overwrite = false, check }: BackupOptions = {},
): Promise<Backup> {
  if (existsSync(to)) checkTarget(path, to, overwrite);
  const draft = `${to}.part`;
  removeDatabase(draft);
  try {
    const source = openReader(path);
    const takenAt = runtime.clock.wallMs();
    try {
      await backup(source, draft, { rate: allPages });
    } finally {
      source.close();
    }
    const head = stamp(draft, takenAt);
    await check?.(draft);
    // Of a reader: nothing is in them.
    removeBeside(draft);
    removeBeside(to);
    renameSync(draft, to);
    syncFolder(to);
    return { head, takenAt: isoTime(takenAt) };
  } catch (error) {
    removeDatabase(draft);
    throw storeFaultOf(error, to);
  }
}

function checkTarget(path: string, to: string, overwrite: boolean): void {
  if (realpathSync(to) === realpathSync(path))
    throw new StoreFault('store.io', 'never', `${to} is the ledger itself. Name another file.`);
  if (!overwrite)
    throw new StoreFault('store.io', 'never', `${to} exists already. Name another file.`);
  if (isHeld(to))
    throw new StoreFault('store.held', 'never', `A ledger runs on ${to}. Name another file.`);
}

/** What the file says of a recovery of its own tells of an earlier end than the copying does. */
function stamp(draft: string, takenAt: number): number {
  const db = new DatabaseSync(draft, { timeout: 0 });
  try {
    const head = createEventTable(db).head();
    const facts = createFacts(db);
    const reason = `This is a backup, taken at ${isoTime(takenAt)}: what happened later is not in it.`;
    const before = facts.recovery();
    facts.keepRecovery(
      before === undefined
        ? { kind: 'recovering', reason, mark: head, head, takenAt }
        : { ...before, reason: `${before.reason} ${reason}` },
    );
    return head;
  } finally {
    db.close();
  }
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}

export function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeBeside(path);
}

export function removeBeside(path: string): void {
  for (const suffix of ['-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
