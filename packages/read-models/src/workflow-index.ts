// Which workflows there are, and which of them are open. Rebuildable from the streams; `note` is told
// what this process reads or appends of them, before anyone is answered.
import { isOpenWorkflow, type Workflow, type WorkflowStatus } from '@action-ledger/domain';

export interface WorkflowRow {
  readonly workflow: string;
  readonly tenant: string;
  readonly name?: string;
  readonly run?: string;
  readonly status: WorkflowStatus;
  readonly steps: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly revision: number;
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
}

/** Newest first, then by id. */
export interface WorkflowPlace {
  /** Wall-clock ms since the epoch. */
  readonly startedAt: number;
  readonly workflow: string;
}

export interface WorkflowFilter {
  readonly tenant?: string;
  readonly status?: WorkflowStatus;
  readonly run?: string;
  /** Only those that go on, or that a person has to look at. */
  readonly open?: boolean;
  /** Only what comes after it. */
  readonly after?: WorkflowPlace;
  /** Newest first. Default 100. */
  readonly limit?: number;
}

export interface WorkflowIndex {
  /** An older state than the one that is known changes nothing. */
  note(workflow: Workflow): void;
  /** As last seen; -1 where it was not. */
  revisionOf(workflowId: string): number;
  open(): readonly string[];
  /** Those with a step that is not settled, or to be undone: what has moved of them may have been missed. */
  moving(): readonly string[];
  list(filter: WorkflowFilter): readonly WorkflowRow[];
}

export function workflowRowOf(workflow: Workflow): WorkflowRow {
  const { id, tenant, name, run, status, steps, startedAt, updatedAt, revision, watch } = workflow;
  return {
    workflow: id,
    tenant,
    status,
    steps: steps.length,
    startedAt,
    updatedAt,
    revision,
    ...(name === undefined ? {} : { name }),
    ...(run === undefined ? {} : { run }),
    ...watch,
  };
}

export const workflowsListedUsual = 100;

/** Newest first. */
export function listWorkflows(
  rows: readonly WorkflowRow[],
  filter: WorkflowFilter,
): readonly WorkflowRow[] {
  return rows
    .filter((row) => fitsWorkflow(row, filter))
    .sort((a, b) => b.startedAt - a.startedAt || (a.workflow < b.workflow ? -1 : 1))
    .slice(0, filter.limit ?? workflowsListedUsual);
}

function fitsWorkflow(row: WorkflowRow, filter: WorkflowFilter): boolean {
  const { tenant, status, run, open, after } = filter;
  return (
    (tenant === undefined || row.tenant === tenant) &&
    (status === undefined || row.status === status) &&
    (run === undefined || row.run === run) &&
    (open !== true || isOpenWorkflow(row)) &&
    (after === undefined || isAfterWorkflow(row, after))
  );
}

export function isAfterWorkflow(
  { startedAt, workflow }: WorkflowRow,
  after: WorkflowPlace,
): boolean {
  if (startedAt !== after.startedAt) return startedAt < after.startedAt;
  return workflow > after.workflow;
}

export function isMovingWorkflow({ status, steps }: Workflow): boolean {
  if (status === 'compensating') return true;
  return status === 'running' && steps.some(({ settled }) => settled === undefined);
}

/** For one process that starts from an empty store, and for tests. */
export function createMemoryWorkflowIndex(): WorkflowIndex {
  const rows = new Map<string, WorkflowRow>();
  const open = new Set<string>();
  const moving = new Set<string>();
  return {
    note: (workflow) => {
      const known = rows.get(workflow.id);
      if (known !== undefined && known.revision > workflow.revision) return;
      rows.set(workflow.id, workflowRowOf(workflow));
      if (isOpenWorkflow(workflow)) open.add(workflow.id);
      else open.delete(workflow.id);
      if (isMovingWorkflow(workflow)) moving.add(workflow.id);
      else moving.delete(workflow.id);
    },
    revisionOf: (workflowId) => rows.get(workflowId)?.revision ?? -1,
    open: () => [...open],
    moving: () => [...moving],
    list: (filter) => listWorkflows([...rows.values()], filter),
  };
}
