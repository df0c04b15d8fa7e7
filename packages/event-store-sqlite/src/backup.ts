// A copy of the file as it is at one moment, taken while it is written. The copy knows that it is a
// backup: whoever opens it for writing finds it `recovering`, because what happened after it was
// taken is not in it. To restore, put it in the place of the file when no process has that open,
// and remove the old `-wal` and `-shm` beside it.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { openReader } from './connection.ts';
import { createEventTable } from './event-table.ts';
import { createFacts } from './facts.ts';
import { storeFaultOf } from './sqlite-faults.ts';

export interface Backup {
  /** The highest position in it. */
  readonly head: number;
  /** ISO 8601. */
  readonly takenAt: string;
}

/** Pages per step: all in one, so that commits made meanwhile do not start it over. */
const allPages = 2 ** 31 - 1;

/** @throws StoreFault `store.io` where `to` exists; whatever reading `path` or writing `to` throws */
export async function backUp(path: string, to: string, runtime: Runtime): Promise<Backup> {
  if (existsSync(to)) {
    throw new StoreFault('store.io', 'never', `${to} exists already. Name another file.`);
  }
  const draft = `${to}.part`;
  rmSync(draft, { force: true });
  try {
    const source = openReader(path);
    const takenAt = new Date(runtime.clock.wallMs()).toISOString();
    try {
      await backup(source, draft, { rate: allPages });
    } finally {
      source.close();
    }
    const head = stamp(draft, takenAt);
    renameSync(draft, to);
    return { head, takenAt };
  } catch (error) {
    rmSync(draft, { force: true });
    throw storeFaultOf(error, to);
  }
}

function stamp(draft: string, takenAt: string): number {
  const db = new DatabaseSync(draft, { timeout: 0 });
  try {
    const head = createEventTable(db).head();
    const reason = `This is a backup, taken at ${takenAt}: what happened later is not in it.`;
    createFacts(db).keepRecovery({ kind: 'recovering', reason, mark: head, head });
    return head;
  } finally {
    db.close();
  }
}
