// One connection to the file, set up for this adapter. It never waits for a lock: SQLite would
// block the event loop while waiting, so whoever meets a lock waits by a timer and tries again.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreFault } from '@action-ledger/event-store';
import { formatOf, migrate, numberOf } from './schema.ts';
import { isWriteProtected } from './sqlite-faults.ts';

/** Pages in the write-ahead log before it is copied back; 10,000 made single commits wait 50 ms. */
const checkpointPages = 4000;
/**
 * Small: at each commit SQLite walks through the whole page cache, which with 32 MiB of it took a
 * sixth of a writer's time; what it lacks is in the operating system's cache.
 */
const cacheKiB = 4 * 1024;

export interface WriterSettings {
  /** Appends that would let the file grow beyond this are refused. */
  readonly fileBytesMax?: number | undefined;
}

/** Creates the file, or brings it to the current format, where needed. */
export function openWriter(path: string, settings: WriterSettings = {}): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    // Before any setting is written: the file may belong to another program.
    const format = formatOf(db, path);
    db.exec(`
      pragma journal_mode = wal;
      pragma synchronous = full;
      pragma wal_autocheckpoint = ${checkpointPages};
      pragma cache_size = -${cacheKiB};
    `);
    if (settings.fileBytesMax !== undefined) {
      const pageBytes = numberOf(db, 'pragma page_size');
      db.exec(`pragma max_page_count = ${Math.ceil(settings.fileBytesMax / pageBytes)}`);
    }
    if (format !== 'current') migrate(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Beside a live writer or alone; changes nothing. */
export function openReader(path: string): DatabaseSync {
  return openReadOnly(path, prepareReader);
}

/** To be copied, whatever its format. */
export function openSource(path: string): DatabaseSync {
  return openReadOnly(path, prepareSource);
}

function openReadOnly(path: string, prepare: typeof prepareReader): DatabaseSync {
  try {
    return prepare(new DatabaseSync(path, { readOnly: true, timeout: 0 }), path);
  } catch (error) {
    if (!isWriteProtected(error) || existsSync(`${path}-wal`)) throw error;
    // SQLite wants to create files beside the database. Where it may not, and where no log says
    // that somebody writes, the file is read as one that does not change.
    const unchanging = pathToFileURL(path);
    unchanging.searchParams.set('immutable', '1');
    return prepare(new DatabaseSync(unchanging, { readOnly: true, timeout: 0 }), path);
  }
}

function prepareReader(db: DatabaseSync, path: string): DatabaseSync {
  try {
    if (formatOf(db, path) !== 'current') {
      throw new StoreFault(
        'store.format',
        'never',
        `${path} is empty or has an older format. Open it once for writing, which brings it up to date.`,
      );
    }
    db.exec(`pragma cache_size = -${cacheKiB}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function prepareSource(db: DatabaseSync): DatabaseSync {
  try {
    numberOf(db, 'pragma user_version');
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
