// The layout of a views file and its version. There are no migrations: a file of another version, or
// one whose first filling was not finished, is thrown away and filled again from the streams.
import { type DatabaseSync } from 'node:sqlite';
import { createWorkflowIndexes, createWorkflowTable } from './workflow-views.ts';

/** "ACLV" (`PRAGMA application_id`). */
const applicationId = 0x41434c56;

/** Raised with any change of what the file holds (`PRAGMA user_version`). */
const formatVersion = 7;

export function isComplete(db: DatabaseSync): boolean {
  return (
    numberOf(db, 'pragma application_id') === applicationId &&
    numberOf(db, 'pragma user_version') === formatVersion
  );
}

/** From now on the file is kept when it is opened again. */
export function markComplete(db: DatabaseSync): void {
  db.exec(`pragma application_id = ${applicationId}; pragma user_version = ${formatVersion}`);
}

/**
 * The key of an action is the position of its first event: rows are written where the table ends,
 * and every index yields them in the order of planning without sorting.
 */
export function createTables(db: DatabaseSync): void {
  db.exec(`
    create table facts (name text primary key, value any not null) strict, without rowid;
    create table actions (
      position integer primary key,
      action text not null,
      tenant text not null,
      tool text not null,
      run text,
      epoch integer not null,
      guarantee text not null,
      planned_at integer not null,
      status text not null,
      attempts integer not null,
      updated_at integer not null,
      revision integer not null,
      owner text,
      next_check_at integer,
      unknown_since integer,
      downstream_key text,
      external_id text,
      outcome_at integer,
      incidents integer not null,
      needs_attention integer not null,
      observed text,
      would text
    ) strict;
    create table undoable (
      match text not null,
      position integer not null,
      primary key (match, position)
    ) strict, without rowid;
    create table reported_ids (
      external_id text not null,
      position integer not null,
      primary key (external_id, position)
    ) strict, without rowid;
    create table side_entries (number integer primary key, entry text not null) strict;
  `);
  createWorkflowTable(db);
}

/** Apart from the tables: sorting everything once costs far less than placing each row. */
export function createIndexes(db: DatabaseSync): void {
  db.exec(`
    create index actions_by_tenant on actions (tenant);
    create index actions_by_tenant_tool on actions (tenant, tool);
    create index actions_by_tool on actions (tool);
    create index actions_by_run on actions (run) where run is not null;
    create index actions_by_status on actions (status) where status <> 'succeeded';
    create index actions_by_tenant_status on actions (tenant, status) where status <> 'succeeded';
    create index actions_unknown on actions (tenant, owner, unknown_since, action)
      where status = 'unknown';
    create index actions_by_external_id on actions (external_id) where external_id is not null;
    create index actions_by_downstream_key on actions (downstream_key)
      where downstream_key is not null;
    create index actions_observed on actions (tenant, would, planned_at, tool, action)
      where would is not null;
    create index actions_held_back on actions (tenant, planned_at, position, tool)
      where would <> 'send';
    create index actions_needing_attention on actions (position, action, revision)
      where needs_attention = 1;
  `);
  createWorkflowIndexes(db);
}

function numberOf(db: DatabaseSync, sql: string): number {
  const row = db.prepare(sql).get();
  const value = row === undefined ? undefined : Object.values(row)[0];
  return typeof value === 'number' ? value : 0;
}
