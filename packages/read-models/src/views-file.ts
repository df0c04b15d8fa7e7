// Opens a views file that continues the store, or throws away what lies there and fills a new one
// from the streams. A file is never mended: of another version, of another store, damaged, or made
// by other rules, it is worth nothing and costs one reading of the store.
import { closeSync, existsSync, fsyncSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type EventStore, StoreFault } from '@action-ledger/event-store';
import { createFollower, type FollowerParts, steadyPace } from './follow-store.ts';
import { createFacts } from './views-facts.ts';
import { createIndexes, createTables, isComplete, markComplete } from './views-schema.ts';

export interface ViewsFileOptions extends Omit<FollowerParts, 'db' | 'pace'> {
  /** Of the views file. */
  readonly path: string;
  readonly store: EventStore;
  /** What `matchesOf` depends on: a file made with another one is filled again. */
  readonly matchRules: string;
  /**
   * Told before the file is thrown away: it has seen this position, and the store ends before it. The
   * store went back in time, or another one was put in its place.
   */
  readonly onAhead?: (position: number) => Promise<void>;
}

const lockWaitMs = 5_000;
const checkpointPages = 4_000;

/** Caught up with the store when it resolves. */
export async function openViewsFile(options: ViewsFileOptions): Promise<DatabaseSync> {
  return (await openKept(options)) ?? (await fillNew(options));
}

/** A connection to a file that is complete. @throws where it is missing or not */
export function connectToViews(
  path: string,
  options: { readonly readOnly?: boolean } = {},
): DatabaseSync {
  if (!existsSync(path)) throw new Error(`There is no file ${path}.`);
  const db = new DatabaseSync(path, { ...options, timeout: lockWaitMs });
  try {
    if (!isComplete(db)) throw new Error(`${path} is not a views file of this version.`);
    if (options.readOnly !== true) useLog(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

async function openKept(options: ViewsFileOptions): Promise<DatabaseSync | undefined> {
  let db: DatabaseSync | undefined;
  let isKept = false;
  try {
    db = connectToViews(options.path);
    const { position } = createFacts(db).reached();
    if (position > (await options.store.head())) await options.onAhead?.(position);
    isKept = await isUsable(db, options);
    if (isKept) await catchUp(db, options);
  } catch (error) {
    isKept = false;
    // Only the store throws these; anything else says that the file is of no use.
    if (error instanceof StoreFault) throw error;
  } finally {
    if (!isKept) db?.close();
  }
  return isKept ? db : undefined;
}

async function isUsable(db: DatabaseSync, options: ViewsFileOptions): Promise<boolean> {
  return (
    createFacts(db).matchRules() === options.matchRules && (await continues(options.store, db))
  );
}

/** The store holds the last event that the file has seen, at its place. */
export async function continues(store: EventStore, db: DatabaseSync): Promise<boolean> {
  const { seen } = createFacts(db).reached();
  if (seen === undefined) return true;
  try {
    const [event] = await store.readAll({ after: seen.position - 1, max: 1 });
    return event?.position === seen.position && event.id === seen.id;
  } catch (error) {
    // Damaged since: there is something at its place, and nothing tells it from what was seen.
    if (error instanceof StoreFault && error.code === 'store.corrupt') return true;
    throw error;
  }
}

/** Without a log and without syncs: a file that is not finished is thrown away, not repaired. */
async function fillNew(options: ViewsFileOptions): Promise<DatabaseSync> {
  discardViews(options.path);
  const db = new DatabaseSync(options.path, { timeout: lockWaitMs });
  try {
    db.exec('pragma journal_mode = off; pragma synchronous = off');
    createTables(db);
    createFacts(db).keepMatchRules(options.matchRules);
    await catchUp(db, options);
    createIndexes(db);
    syncFile(options.path);
    useLog(db);
    markComplete(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

async function catchUp(db: DatabaseSync, options: ViewsFileOptions): Promise<void> {
  await createFollower({ ...options, db, pace: steadyPace }).advance([]);
}

function useLog(db: DatabaseSync): void {
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    pragma wal_autocheckpoint = ${checkpointPages};
  `);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function discardViews(path: string): void {
  for (const each of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`])
    rmSync(each, { force: true });
}
