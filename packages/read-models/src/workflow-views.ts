// Workflows in a views file: written with what the file follows, and answered together with what this
// process has noted since.
import { type DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { isOpenWorkflow, type Workflow } from '@action-ledger/domain';
import { type FoldedWorkflow } from './workflow-folds.ts';
import {
  isAfterWorkflow,
  isMovingWorkflow,
  listWorkflows,
  type WorkflowFilter,
  type WorkflowIndex,
  type WorkflowRow,
  workflowRowOf,
  workflowsListedUsual,
} from './workflow-index.ts';

export function createWorkflowTable(db: DatabaseSync): void {
  db.exec(`
    create table workflows (
      position integer primary key,
      workflow text not null,
      tenant text not null,
      name text,
      run text,
      status text not null,
      steps integer not null,
      started_at integer not null,
      updated_at integer not null,
      revision integer not null,
      owner text,
      next_check_at integer,
      is_open integer not null,
      is_moving integer not null
    ) strict;
  `);
}

export function createWorkflowIndexes(db: DatabaseSync): void {
  db.exec(`
    create index workflows_by_id on workflows (workflow);
    create index workflows_by_tenant on workflows (tenant);
    create index workflows_by_run on workflows (run) where run is not null;
    create index workflows_open on workflows (position) where is_open = 1;
    create index workflows_by_status on workflows (status) where status <> 'completed';
  `);
}

/** Within a transaction of the caller's. */
export function createWorkflowWriter(db: DatabaseSync): (folded: FoldedWorkflow) => void {
  const put = db.prepare(`
    insert or replace into workflows (position, workflow, tenant, name, run, status, steps, started_at,
      updated_at, revision, owner, next_check_at, is_open, is_moving)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  return ({ position, workflow }) => {
    const row = workflowRowOf(workflow);
    put.run(
      position,
      row.workflow,
      row.tenant,
      row.name ?? null,
      row.run ?? null,
      row.status,
      row.steps,
      row.startedAt,
      row.updatedAt,
      row.revision,
      row.owner ?? null,
      row.nextCheckAt ?? null,
      isOpenWorkflow(workflow) ? 1 : 0,
      isMovingWorkflow(workflow) ? 1 : 0,
    );
  };
}

interface Noted {
  readonly row: WorkflowRow;
  readonly isOpen: boolean;
  readonly isMoving: boolean;
}

type Notes = Map<string, Noted>;

export interface WorkflowViews extends WorkflowIndex {
  /** Noted since the last seal. */
  size(): number;
  /** What is noted from now on is kept apart. Sealing again before `dropSealed` changes nothing. */
  seal(): void;
  dropSealed(): void;
}

export function createWorkflowViews(db: DatabaseSync, onNoted: () => void): WorkflowViews {
  let sealed: Notes | undefined;
  let current: Notes = new Map();
  const get = (id: string): Noted | undefined => current.get(id) ?? sealed?.get(id);
  const all = (): readonly Noted[] => [...new Map([...(sealed ?? []), ...current]).values()];
  const open = db.prepare('select workflow, revision from workflows where is_open = 1');
  const moving = db.prepare(
    'select workflow, revision from workflows where is_open = 1 and is_moving = 1',
  );
  const stored = db.prepare('select revision from workflows where workflow = ?');
  const knownRevision = (id: string): number =>
    get(id)?.row.revision ?? Number(stored.get(id)?.['revision'] ?? -1);
  const isCurrent = ({ workflow, revision }: Pick<WorkflowRow, 'workflow' | 'revision'>): boolean =>
    (get(workflow)?.row.revision ?? -1) < revision;
  const ids = (statement: typeof open, isNoted: (noted: Noted) => boolean): readonly string[] => {
    const rows = statement.all() as unknown as readonly WorkflowRow[];
    const unmoved = rows.filter(isCurrent).map(({ workflow }) => workflow);
    const noted = all()
      .filter(isNoted)
      .map(({ row }) => row.workflow);
    return [...new Set([...unmoved, ...noted])];
  };
  return {
    note: (workflow: Workflow) => {
      if (knownRevision(workflow.id) >= workflow.revision) return;
      current.set(workflow.id, {
        row: workflowRowOf(workflow),
        isOpen: isOpenWorkflow(workflow),
        isMoving: isMovingWorkflow(workflow),
      });
      onNoted();
    },
    revisionOf: knownRevision,
    open: () => ids(open, ({ isOpen }) => isOpen),
    moving: () => ids(moving, ({ isMoving }) => isMoving),
    list: (filter) => {
      const noted = all().map(({ row }) => row);
      return listWorkflows([...noted, ...storedRows(db, filter, isCurrent)], filter);
    },
    size: () => current.size,
    seal: () => {
      if (sealed !== undefined) return;
      sealed = current;
      current = new Map();
    },
    dropSealed: () => {
      sealed = undefined;
    },
  };
}

/** Where they lie in the file differs from when they were started by so many. */
const margin = 64;

/** As many as the filter asks for and some more, newest first, without those that are known better. */
function storedRows(
  db: DatabaseSync,
  filter: WorkflowFilter,
  isWanted: (row: WorkflowRow) => boolean,
): readonly WorkflowRow[] {
  const { tenant, status, run, open, after, limit = workflowsListedUsual } = filter;
  const terms: [string, SQLInputValue | undefined][] = [
    ['tenant = ?', tenant],
    ['status = ?', status],
    ['run = ?', run],
    ['started_at <= ?', after?.startedAt],
  ];
  const given = terms.filter((term): term is [string, SQLInputValue] => term[1] !== undefined);
  const conditions = ['true', ...given.map(([condition]) => condition)];
  if (open === true) conditions.push('is_open = 1');
  if (status !== undefined && status !== 'completed') conditions.push(`status <> 'completed'`);
  const statement = db.prepare(`
    select workflow, tenant, name, run, status, steps, started_at as startedAt, updated_at as updatedAt,
      revision, owner, next_check_at as nextCheckAt
    from workflows where ${conditions.join(' and ')} order by position desc`);
  const rows: WorkflowRow[] = [];
  for (const stored of statement.iterate(...given.map(([, value]) => value))) {
    if (rows.length >= limit + margin) break;
    const row = rowFrom(stored);
    if (isWanted(row) && (after === undefined || isAfterWorkflow(row, after))) rows.push(row);
  }
  return rows;
}

function rowFrom(stored: Readonly<Record<string, unknown>>): WorkflowRow {
  const given = Object.entries(stored).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as unknown as WorkflowRow;
}
