// The event store of the embedded size: one SQLite file, one process that writes it, any number
// that read it. An append that has resolved is on disk: its commit was synced.
//
// Beside the file `x.db` lie: `x.db-wal` and `x.db-shm` (SQLite's own), `x.db.lock` (held while a
// process writes, empty), `x.db.owner` (who that is), `x.db.mark` (the highest position known to be
// synced). A backup is taken with SQLite's backup, not by copying one of them.
import { openReadingStore } from './reading-store.ts';
import { type SqliteEventStore, type SqliteEventStoreOptions } from './sqlite-store-types.ts';
import { openWritingStore } from './writing-store.ts';

/**
 * @throws StoreFault `store.held` (another process writes it), `store.format`, `store.corrupt`,
 *   `store.not-found`, `store.read-only`, `store.disk-full`, `store.io`, `store.busy`
 */
export function openSqliteEventStore(options: SqliteEventStoreOptions): Promise<SqliteEventStore> {
  return options.readOnly === true ? openReadingStore(options) : openWritingStore(options);
}
