// What must hold of one stream, and between it and those that it names (DESIGN.md section 12). What one
// stream shows is certain. What several show, or the passing of time, may only be half told yet: that is
// looked at again before anybody is told of it.
import { type BrokenRecord } from '@action-ledger/application';
import { foldWorkflow } from '@action-ledger/codec';
import {
  actionIdOf,
  actionOfStream,
  type AuditContext,
  type AuditedAction,
  checkLedger,
  checkTrail,
  checkWorkflows,
  isEnded,
  parseActionId,
  stepKeyOf,
  streamOfAction,
  streamOfWorkflow,
  type Workflow,
  type WorkflowStep,
  workflowOfStream,
} from '@action-ledger/domain';
import { followAction, type FollowDeps, readOrTell } from './follow-action.ts';

export interface CheckDeps extends FollowDeps {
  /** Wall-clock ms since the epoch, never going back. */
  readonly clock: { nowMs(): number };
  readonly sweepMs: number;
  /** The action that recorded this id of the provider first. */
  readonly ownerOfExternalId?: (
    tenant: string,
    tool: string,
    externalId: string,
  ) => string | undefined;
}

export interface Findings {
  /** Of the last event; -1 where there is none. */
  readonly revision: number;
  readonly certain: readonly BrokenRecord[];
  /** To be reported where it is the same on a later look. */
  readonly suspected: readonly BrokenRecord[];
  /** It moved just now, or is under way: look again after so long, though nothing is wrong. */
  readonly againAfterMs?: number;
}

const nothing: Findings = { revision: -1, certain: [], suspected: [] };

/** @throws StoreFault where the store is away */
export async function checkStream(deps: CheckDeps, stream: string): Promise<Findings> {
  const actionId = actionOfStream(stream);
  if (actionId !== undefined) return checkOneAction(deps, actionId);
  const workflowId = workflowOfStream(stream);
  return workflowId === undefined ? nothing : checkOneWorkflow(deps, workflowId);
}

async function checkOneAction(deps: CheckDeps, actionId: string): Promise<Findings> {
  const { trail, revision, damaged } = await followAction(deps, actionId);
  if (damaged !== undefined) return { revision, certain: [damaged], suspected: [] };
  if (revision < 0) return nothing;
  const { action } = trail;
  const stream = streamOfAction(actionId);
  const context = contextOf(deps, action.updatedAt);
  const [late, certain] = partition(checkTrail(stream, trail, context), isByTime);
  if (trail.hasEnded) return { revision, certain: [...certain, ...late], suspected: [] };
  const named = namedBy(deps, action);
  const around = await neighboursOf(deps, action, named);
  // Of two with one external id the later one is told of.
  const actions = [...around.actions, action];
  const between = [
    ...checkLedger(actions, context),
    ...checkWorkflows(around.workflows, mapOf(actions), {
      ...context,
      damaged: around.damagedWorkflows,
    }),
  ].filter((each) => each.stream === stream && !(around.isDamaged && isLink(each)));
  const suspected = [...late, ...between];
  if (suspected.length === 0 && isComplete(action, named)) return { revision, certain, suspected };
  return { revision, certain, suspected, ...againFor(deps, action) };
}

/** It has ended, and nothing links it to another stream: time changes nothing about it. */
function isComplete(action: AuditedAction, named: ReadonlySet<string>): boolean {
  const { status, outcome, workflow } = action;
  const hasEnded = status === 'succeeded' || isEnded(action);
  // Another action may come to name the same effect.
  const isAlone = named.size === 0 && workflow === undefined && outcome?.externalId === undefined;
  return hasEnded && isAlone;
}

/** The lease of a claim is the latest moment by which somebody must have said more. */
function againFor(
  { clock, sweepMs }: CheckDeps,
  { status, claim, updatedAt }: AuditedAction,
): Pick<Findings, 'againAfterMs'> {
  const now = clock.nowMs();
  const isUnderWay = status === 'claimed' || status === 'dispatched';
  if (isUnderWay && claim !== undefined)
    return { againAfterMs: Math.max(0, claim.leaseUntil - now) + 2 * sweepMs };
  return now - updatedAt > sweepMs ? {} : { againAfterMs: 2 * sweepMs };
}

async function checkOneWorkflow(deps: CheckDeps, workflowId: string): Promise<Findings> {
  const stream = streamOfWorkflow(workflowId);
  const { events, damaged } = await readOrTell(deps.store, stream);
  if (damaged !== undefined) return { ...nothing, certain: [damaged] };
  const folded = foldOrTell(deps, workflowId, events);
  const revision = events.at(-1)?.revision ?? -1;
  if ('invariant' in folded) return { revision, certain: [folded], suspected: [] };
  const { workflow } = folded;
  const actions: AuditedAction[] = [];
  const readable: WorkflowStep[] = [];
  for (const step of workflow.steps) {
    const own = await actionsOf(deps, workflow, step);
    actions.push(...own.whole);
    if (!own.isDamaged) readable.push(step);
  }
  const context = contextOf(deps, workflow.updatedAt);
  const check = (steps: readonly WorkflowStep[]) =>
    checkWorkflows(new Map([[workflowId, { ...workflow, steps }]]), mapOf(actions), context);
  // Of links to an action that is damaged nothing can be said.
  const found = [
    ...check(workflow.steps).filter((each) => !isLink(each)),
    ...check(readable).filter(isLink),
  ].filter((each) => each.stream === stream);
  const isMoving = deps.clock.nowMs() - workflow.updatedAt <= deps.sweepMs;
  const again = isMoving ? { againAfterMs: 2 * deps.sweepMs } : {};
  return { revision, certain: [], suspected: found, ...again };
}

function foldOrTell(
  { sha256 }: CheckDeps,
  workflowId: string,
  events: Parameters<typeof foldWorkflow>[2],
): { readonly workflow: Workflow } | BrokenRecord {
  const stream = streamOfWorkflow(workflowId);
  try {
    const folded = foldWorkflow(sha256, workflowId, events);
    if (folded.kind === 'folded') return folded;
    const detail = `revision ${folded.revision}: ${folded.reason}`;
    return { stream, invariant: 'stream-folds', detail };
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return { stream, invariant: 'stream-folds', detail };
  }
}

/** A step's own action, the one that stands for it by now, and the one that has undone it. */
async function actionsOf(
  deps: CheckDeps,
  { id, tenant }: Workflow,
  { step, settled, compensated }: WorkflowStep,
): Promise<{ readonly whole: readonly AuditedAction[]; readonly isDamaged: boolean }> {
  const own = actionIdOf(stepKeyOf(deps.sha256, tenant, id, step), 0);
  const followed = await Promise.all(
    [...new Set([own, settled?.action ?? own, compensated?.by ?? own])].map((each) =>
      followAction(deps, each),
    ),
  );
  return {
    whole: followed
      .filter(({ damaged, revision }) => damaged === undefined && revision >= 0)
      .map(({ trail }) => trail.action),
    isDamaged: followed.some(({ damaged }) => damaged !== undefined),
  };
}

interface Neighbours {
  readonly actions: readonly AuditedAction[];
  readonly workflows: ReadonlyMap<string, Workflow>;
  readonly damagedWorkflows: ReadonlySet<string>;
  /** The record of one of them: what it does not say it may have said. */
  readonly isDamaged: boolean;
}

async function neighboursOf(
  deps: CheckDeps,
  action: AuditedAction,
  named: ReadonlySet<string>,
): Promise<Neighbours> {
  const actions: AuditedAction[] = [];
  let isDamaged = false;
  for (const name of named) {
    const { trail, revision, damaged } = await followAction(deps, name);
    if (damaged !== undefined) isDamaged = true;
    else if (revision >= 0) actions.push(trail.action);
  }
  const workflows = new Map<string, Workflow>();
  const damagedWorkflows = new Set<string>();
  const workflowId = action.workflow?.id;
  if (workflowId !== undefined) {
    const { events, damaged } = await readOrTell(deps.store, streamOfWorkflow(workflowId));
    const folded = damaged === undefined ? foldOrTell(deps, workflowId, events) : undefined;
    if (folded === undefined || 'invariant' in folded) damagedWorkflows.add(workflowId);
    else if (folded.workflow.status !== 'new') workflows.set(workflowId, folded.workflow);
  }
  return { actions, workflows, damagedWorkflows, isDamaged };
}

function namedBy({ ownerOfExternalId }: CheckDeps, action: AuditedAction): ReadonlySet<string> {
  const { id, tenant, tool, epoch, outcome } = action;
  const { supersededBy, after, repeatOf, editOf, undoneBy, compensates, compensatedBy } = action;
  const links = [supersededBy, after, repeatOf, editOf, undoneBy, compensates, compensatedBy];
  const keyHash = parseActionId(id)?.keyHash;
  const before = keyHash === undefined || epoch === 0 ? undefined : actionIdOf(keyHash, epoch - 1);
  const owner =
    outcome?.externalId === undefined
      ? undefined
      : ownerOfExternalId?.(tenant, tool, outcome.externalId);
  const names = [...links, before, owner, ...action.undoes].filter((name) => name !== undefined);
  return new Set(names.filter((name) => name !== id && parseActionId(name) !== undefined));
}

function contextOf({ clock, sweepMs }: CheckDeps, atLeast: number): AuditContext {
  return { now: Math.max(clock.nowMs(), atLeast), sweepMs };
}

function mapOf(actions: readonly AuditedAction[]): ReadonlyMap<string, AuditedAction> {
  return new Map(actions.map((action) => [action.id, action]));
}

function isByTime({ invariant }: BrokenRecord): boolean {
  return invariant === 'no-rest-past-the-lease';
}

function isLink({ invariant }: BrokenRecord): boolean {
  return invariant === 'links-complete';
}

function partition<Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): readonly [readonly Item[], readonly Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}
