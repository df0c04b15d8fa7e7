// The layout of the file, its version, and the way from each older version to the next. A file is
// created by walking the same way from nothing, so that an old file and a new one end up alike.
import { type DatabaseSync } from 'node:sqlite';
import { StoreFault } from '@action-ledger/event-store';

/** "ACLG": tells our files from other SQLite databases (`PRAGMA application_id`). */
export const applicationId = 0x41434c47;

/** Step n leads from format n to format n + 1 (`PRAGMA user_version`). */
const steps: readonly ((db: DatabaseSync) => void)[] = [
  createPlainLayout,
  deferIndex,
  countIndex,
  allowEmptyRows,
];

export const formatVersion = steps.length;

export type FileFormat = 'none' | 'older' | 'current';

/** @throws StoreFault `store.format` for another program's database and for a newer format. */
export function formatOf(db: DatabaseSync, path: string): FileFormat {
  const application = numberOf(db, 'pragma application_id');
  const version = numberOf(db, 'pragma user_version');
  if (application === 0 && version === 0 && tableCount(db) === 0) return 'none';
  if (application !== applicationId) {
    throw new StoreFault(
      'store.format',
      'never',
      `${path} is a SQLite database of another program, not an event store. Name another file.`,
    );
  }
  if (version > formatVersion) {
    throw new StoreFault(
      'store.format',
      'never',
      `${path} has format ${version}, and this version of the action ledger reads formats up to ${formatVersion}. Open it with a newer version.`,
      { detail: { format: version, known: formatVersion } },
    );
  }
  return version < formatVersion ? 'older' : 'current';
}

/** Brings an empty or older file to the current format: wholly or, after a crash, not at all. */
export function migrate(db: DatabaseSync): void {
  db.exec('begin immediate');
  try {
    // Read again under the write lock: another process may have been faster.
    const version = numberOf(db, 'pragma user_version');
    for (const step of steps.slice(version)) step(db);
    db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${formatVersion}`);
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw error;
  }
}

/** Format 1: a unique index over stream and revision, kept with every append. */
export function createPlainLayout(db: DatabaseSync): void {
  db.exec(`
    create table events (
      position integer primary key,
      stream text not null,
      revision integer not null,
      count integer not null check (count between 1 and 64),
      events text not null
    );
    create unique index event_streams on events (stream, revision);
    create table facts (name text primary key, value text not null) without rowid;
  `);
}

/**
 * Format 2: each append points to the stream's append before it, and `streams` to the last one.
 * `streams` may lag behind: what it lacks lies after the position in `indexed-through`.
 */
function deferIndex(db: DatabaseSync): void {
  db.exec(`
    create table linked_events (
      position integer primary key,
      stream text not null,
      revision integer not null,
      count integer not null check (count between 1 and 64),
      previous integer,
      events text not null
    );
    insert into linked_events
      select position, stream, revision, count, (
        select earlier.position from events as earlier
        where earlier.stream = events.stream and earlier.revision < events.revision
        order by earlier.revision desc limit 1
      ), events
      from events order by position;
    create table streams (name text primary key, last integer not null) without rowid;
    insert into streams select stream, max(position) from events group by stream order by stream;
    insert into facts
      select 'indexed-through', cast(ifnull(max(position + count - 1), 0) as text) from events;
    drop table events;
    alter table linked_events rename to events;
  `);
}

/**
 * Format 3: `indexed-streams` says what `streams` should hold, so that a lost entry shows. Where it
 * is not known up to where `streams` goes, every row is looked at.
 */
function countIndex(db: DatabaseSync): void {
  db.exec(`
    insert into facts select 'indexed-through', '0' where true on conflict (name)
      do update set value = cast(max(cast(value as integer), 0) as text);
    insert into facts
      select 'indexed-streams', through || ' ' || streams || ' ' || ends
      from
        (select value as through from facts where name = 'indexed-through'),
        (select count(*) as streams, cast(total(last) as integer) as ends from streams);
  `);
}

/**
 * Format 4: a row may have lost its text, because its events were given up. Nothing in the file changes:
 * the number keeps an earlier version, which would take such a row for damage, away from it.
 */
function allowEmptyRows(): void {
  // No statement.
}

function tableCount(db: DatabaseSync): number {
  return numberOf(db, 'select count(*) from sqlite_schema');
}

/** The number in the only column of the only row. */
export function numberOf(db: DatabaseSync, sql: string): number {
  const row = db.prepare(sql).get();
  const value = row === undefined ? undefined : Object.values(row)[0];
  return typeof value === 'number' ? value : 0;
}
