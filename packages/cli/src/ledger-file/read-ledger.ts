// Opens a ledger's file read-only, beside a live writer or alone, for as long as one command reads it.
import { statSync } from 'node:fs';
import { openSqliteEventStore, type SqliteEventStore } from '@action-ledger/event-store-sqlite';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { ledgerPath, type PathOption } from './ledger-path.ts';

/** How long a lock of another process is waited for. */
export const storeWaitMs = 5_000;

/** The file is closed whatever happens. @throws CliError, StoreFault */
export async function readLedger<Result>(
  io: Io,
  option: PathOption,
  read: (store: SqliteEventStore, path: string) => Promise<Result>,
): Promise<Result> {
  const path = ledgerPath(io, option);
  checkFile(path);
  const { runtime } = io;
  const store = await openSqliteEventStore({
    path,
    runtime,
    readOnly: true,
    busyWaitMs: storeWaitMs,
  });
  try {
    return await read(store, path);
  } finally {
    await store.close();
  }
}

function checkFile(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    throw new CliError('store.not-found', `there is no file ${path}`, {
      fix: 'name the ledger with --path FILE or ACTION_LEDGER_PATH; `createLedger({ path })` makes one, and `action-ledger demo` needs none.',
    });
  }
  if (!found.isFile()) {
    throw new CliError('store.not-found', `${path} is not a file`, {
      fix: 'name the ledger itself with --path FILE.',
    });
  }
  if (found.size === 0) {
    throw new CliError('store.format', `${path} is empty: no ledger has been opened on it yet`, {
      fix: 'open it once with `createLedger({ path })`, or name another file with --path.',
    });
  }
}
