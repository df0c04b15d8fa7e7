// The file of an embedded log: offsets and dead letters. Write-ahead log without a sync of each
// commit: after a power cut its end may be missing, which brings records again. One process has it
// open. A file that is damaged or of another version is moved aside, and everything comes again.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { actionTopics, LogFault } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

/** An event by which a store is known again. */
export type Seen = Pick<RecordedEvent, 'position' | 'id'>;

export interface LogFile {
  readonly db: DatabaseSync;
  /** Where the store ended when the file was opened. */
  readonly head: number;
  /** The event there. */
  readonly last: Seen | undefined;
  readonly close: () => void;
}

export interface LogFileOptions {
  readonly path: string;
  readonly store: EventStore;
  readonly partitions: number;
  readonly tellFault: (where: string, fault: unknown) => void;
}

/** "ACLO" (`PRAGMA application_id`). */
const applicationId = 0x41434c4f;
const formatVersion = 1;

/** @throws LogFault `log.held`, `log.unavailable` */
export async function openLogFile(options: LogFileOptions): Promise<LogFile> {
  const head = await options.store.head();
  const db = openKept(options) ?? openNew(options.path);
  try {
    if (!(await continues(options.store, db, head))) {
      // Another store, or one that went back in time: its positions mean something else now.
      db.exec(`update offsets set next = 0 where topic in (${viewTopics})`);
    }
    spreadOver(db, options.partitions);
    return {
      db,
      head,
      last: await lastEvent(options.store, head),
      close: () => {
        db.close();
      },
    };
  } catch (error) {
    db.close();
    throw error;
  }
}

const viewTopics = `'${actionTopics.events}', '${actionTopics.state}'`;

function openKept({ path, tellFault }: LogFileOptions): DatabaseSync | undefined {
  if (path === ':memory:' || !existsSync(path)) return undefined;
  let db: DatabaseSync | undefined;
  try {
    db = connect(path);
    const format = [numberOf(db, 'pragma application_id'), numberOf(db, 'pragma user_version')];
    if (format.join() === [applicationId, formatVersion].join()) {
      db.exec('select group_name, topic, partition, next from offsets limit 1');
      db.exec('select topic, number, key, value, headers, timestamp from dead_letters limit 1');
      return db;
    }
    tellFault('opening the log file', new Error(`${path} is of another version: moved aside.`));
  } catch (error) {
    if (isBusy(error)) throw heldFault(path, error);
    tellFault('opening the log file', error);
  }
  db?.close();
  moveAside(path);
  return undefined;
}

function openNew(path: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    db = connect(path);
    db.exec(`
      begin immediate;
      create table facts (name text primary key, value any not null) strict, without rowid;
      create table offsets (
        group_name text not null,
        topic text not null,
        partition integer not null,
        next integer not null,
        primary key (group_name, topic, partition)
      ) strict, without rowid;
      create table dead_letters (
        topic text not null,
        number integer not null,
        key text not null,
        value blob,
        headers text not null,
        timestamp integer not null,
        primary key (topic, number)
      ) strict;
      pragma application_id = ${applicationId};
      pragma user_version = ${formatVersion};
      commit;
    `);
    return db;
  } catch (error) {
    db?.close();
    if (isBusy(error)) throw heldFault(path, error);
    throw logFileFault(path, error);
  }
}

function connect(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec(`
      pragma locking_mode = exclusive;
      pragma journal_mode = wal;
      pragma synchronous = normal;
      begin immediate;
      commit;
    `);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function moveAside(path: string): void {
  for (const end of ['', '-wal', '-shm']) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${path}.old${end}`);
    else rmSync(`${path}.old${end}`, { force: true });
  }
}

/** The store holds the last event that the file knows of, at its place, and all that was committed. */
async function continues(store: EventStore, db: DatabaseSync, head: number): Promise<boolean> {
  const furthest = numberOf(db, `select max(next) from offsets where topic in (${viewTopics})`);
  if (furthest > head + 1) return false;
  const seen = readSeen(db);
  if (seen === undefined) return true;
  const event = await eventAt(store, seen.position);
  // Damaged since: there is something at its place, and nothing tells it from what was seen.
  return event === 'damaged' || event?.id === seen.id;
}

async function lastEvent(store: EventStore, head: number): Promise<Seen | undefined> {
  if (head === 0) return undefined;
  const event = await eventAt(store, head);
  return event === 'damaged' ? undefined : event;
}

async function eventAt(
  store: EventStore,
  position: number,
): Promise<RecordedEvent | 'damaged' | undefined> {
  try {
    const [event] = await store.readAll({ after: position - 1, max: 1 });
    return event?.position === position ? event : undefined;
  } catch (error) {
    if (error instanceof StoreFault && error.code === 'store.corrupt') return 'damaged';
    throw error;
  }
}

/** Another number of partitions: every partition begins where the one furthest behind stood. */
function spreadOver(db: DatabaseSync, partitions: number): void {
  const before = numberOf(db, `select value from facts where name = 'partitions'`);
  if (before === partitions) return;
  db.exec(`
    begin immediate;
    create temp table slowest as
      select group_name, topic, case when count(*) < ${before} then 0 else min(next) end as next
      from offsets where topic in (${viewTopics}) group by group_name, topic;
    delete from offsets where topic in (${viewTopics});
    with recursive numbers (number) as (
      select 0 union all select number + 1 from numbers where number + 1 < ${partitions}
    )
    insert into offsets select group_name, topic, number, next from slowest, numbers;
    drop table slowest;
    insert or replace into facts values ('partitions', ${partitions});
    commit;
  `);
}

function readSeen(db: DatabaseSync): Seen | undefined {
  const row = db.prepare(`select value from facts where name = 'seen'`).get();
  const [position, id] = String(row?.['value'] ?? '').split(' ');
  return id === undefined ? undefined : { position: Number(position), id };
}

export function seenText({ position, id }: Seen): string {
  return `${position} ${id}`;
}

function numberOf(db: DatabaseSync, sql: string): number {
  const row = db.prepare(sql).get();
  const value = row === undefined ? undefined : Object.values(row)[0];
  return typeof value === 'number' ? value : 0;
}

function isBusy(error: unknown): boolean {
  const { errcode } = (error ?? {}) as { readonly errcode?: unknown };
  return typeof errcode === 'number' && [5, 6].includes(errcode & 0xff);
}

function heldFault(path: string, cause: unknown): LogFault {
  const message = `Another process has ${path} open. Let it do the work, or stop it.`;
  return new LogFault('log.held', 'safe', message, { cause });
}

export function logFileFault(path: string, cause: unknown): LogFault {
  const said = cause instanceof Error ? cause.message : String(cause);
  return new LogFault('log.unavailable', 'safe', `${path} could not be used: ${said}`, { cause });
}
