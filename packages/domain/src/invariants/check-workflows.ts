// What must hold between a workflow and the actions that it brought about: each link is told on both sides
// within one sweep, what failed to be undone has an owner, and no step is undone before those after it.
import { isEnded } from '../action/state.ts';
import { defaultTimes } from '../action/tool-rules.ts';
import { streamOfWorkflow } from '../workflow/names.ts';
import { isToBeUndone, type Workflow, type WorkflowStep } from '../workflow/state.ts';
import { type AuditedAction } from './action-trail.ts';
import { type AuditContext, type BrokenInvariant, type InvariantName } from './broken.ts';
import { type Actions } from './check-links.ts';

export interface WorkflowContext extends AuditContext {
  /** Of these the record is damaged: what is left of it tells nothing about their actions. */
  readonly damaged?: ReadonlySet<string>;
}

/** `workflows`: those whose record is whole. */
export function checkWorkflows(
  workflows: ReadonlyMap<string, Workflow>,
  actions: Actions,
  context: WorkflowContext,
): readonly BrokenInvariant[] {
  const broken: BrokenInvariant[] = [];
  const ofSteps = actionsOfSteps(actions);
  for (const workflow of workflows.values()) {
    const stream = streamOfWorkflow(workflow.id);
    const tell = (invariant: InvariantName) => (detail: string) => {
      broken.push({ stream, invariant, detail });
    };
    unwatched(workflow).forEach(tell('unknown-is-watched'));
    outOfOrder(workflow, actions).forEach(tell('undone-in-reverse'));
    halfTold(workflow, { actions, ofSteps, context }).forEach(tell('links-complete'));
  }
  for (const action of actions.values()) {
    const detail = strayAction(action, workflows, context);
    if (detail !== undefined)
      broken.push({ stream: `action-${action.id}`, invariant: 'links-complete', detail });
  }
  return broken;
}

interface Links {
  readonly actions: Actions;
  /** By workflow and step. */
  readonly ofSteps: ReadonlyMap<string, AuditedAction>;
  readonly context: AuditContext;
}

function actionsOfSteps(actions: Actions): ReadonlyMap<string, AuditedAction> {
  const found = new Map<string, AuditedAction>();
  for (const action of actions.values())
    if (action.workflow !== undefined && action.compensates === undefined)
      found.set(nameOf(action.workflow.id, action.workflow.step), action);
  return found;
}

function nameOf(workflowId: string, step: string): string {
  return `${workflowId} ${step}`;
}

function unwatched({ status, watch }: Workflow): readonly string[] {
  const isWatched = watch?.owner !== undefined && Number.isFinite(watch.nextCheckAt);
  return status === 'compensation_failed' && !isWatched
    ? ['it is compensation_failed without owner or next check']
    : [];
}

/** A finished step after this one was not undone yet when this one was. */
function outOfOrder(
  { steps, onFailedCompensation }: Workflow,
  actions: Actions,
): readonly string[] {
  return steps.flatMap((step, place) => {
    if (step.compensated === undefined) return [];
    const { at, by = '' } = step.compensated;
    const begunAt = actions.get(by)?.plannedAt ?? at;
    const undone = { at, begunAt, onFailed: onFailedCompensation };
    const later = steps.slice(place + 1).find((each) => isSkipped(each, undone));
    return later === undefined
      ? []
      : [`"${step.step}" was undone before "${later.step}", which came after it`];
  });
}

function isSkipped(
  step: WorkflowStep,
  {
    at,
    begunAt,
    onFailed,
  }: { readonly at: number; readonly begunAt: number; readonly onFailed: string },
): boolean {
  if (!isToBeUndone(step) || onFailed === 'go on') return false;
  // What turned out a success only later has its turn later.
  if ((step.settled?.at ?? Infinity) > begunAt) return false;
  return step.compensated === undefined ? step.failedUndos.length === 0 : step.compensated.at > at;
}

function halfTold(workflow: Workflow, links: Links): readonly string[] {
  return workflow.steps.flatMap((step) => {
    const detail =
      step.settled === undefined
        ? unsettled(workflow, step, links)
        : (contradicted(step, links) ?? halfUndone(workflow, step, links));
    return detail === undefined ? [] : [`step "${step.step}" ${detail}`];
  });
}

function isQuiet({ now, sweepMs = defaultTimes.sweepMs }: AuditContext, ...at: readonly number[]) {
  return at.every((each) => now - each > sweepMs);
}

function unsettled(
  workflow: Workflow,
  step: WorkflowStep,
  { ofSteps, context }: Links,
): string | undefined {
  const action = ofSteps.get(nameOf(workflow.id, step.step));
  if (action === undefined)
    return step.identity.kind === 'step' && isQuiet(context, workflow.updatedAt, step.plannedAt)
      ? 'is planned, and its action does not exist'
      : undefined;
  const isSettled = action.outcome !== undefined || (isEnded(action) && !leadsOn(action));
  return isSettled && isQuiet(context, action.updatedAt)
    ? `is not settled, but its action ${action.id} is ${action.status}`
    : undefined;
}

/** Another action stands for it, or a person has decided against a doubt. */
function leadsOn({ supersededBy }: AuditedAction): boolean {
  return supersededBy !== undefined;
}

function contradicted({ settled }: WorkflowStep, { actions, context }: Links): string | undefined {
  const action = actions.get(settled?.action ?? '');
  if (action === undefined) return `names ${String(settled?.action)}, which does not exist`;
  const succeeded = action.outcome !== undefined || action.status === 'superseded';
  return succeeded !== (settled?.as === 'succeeded') && isQuiet(context, action.updatedAt)
    ? `is recorded as ${String(settled?.as)}, but its action is ${action.status}`
    : undefined;
}

function halfUndone(
  workflow: Workflow,
  { settled, compensated }: WorkflowStep,
  { actions, context }: Links,
): string | undefined {
  const action = actions.get(settled?.action ?? '');
  if (action === undefined || !isQuiet(context, action.updatedAt, workflow.updatedAt))
    return undefined;
  if (compensated?.as === 'compensated')
    return isUndone(action)
      ? undefined
      : `is recorded as undone, but its action is ${action.status}`;
  const isTold = workflow.status === 'running' || settled?.owned !== true;
  return action.status === 'compensated' && !isTold
    ? 'is not recorded as undone, but its action is compensated'
    : undefined;
}

function isUndone({ status, undoneBy }: AuditedAction): boolean {
  return status === 'compensated' || undoneBy !== undefined;
}

/** It names a workflow that knows of no such step. */
function strayAction(
  { workflow, updatedAt }: AuditedAction,
  workflows: ReadonlyMap<string, Workflow>,
  context: WorkflowContext,
): string | undefined {
  if (workflow === undefined || !isQuiet(context, updatedAt)) return undefined;
  if (context.damaged?.has(workflow.id) === true) return undefined;
  const named = workflows.get(workflow.id);
  if (named === undefined) return `it belongs to workflow ${workflow.id}, which does not exist`;
  return named.steps.some(({ step }) => step === workflow.step)
    ? undefined
    : `its workflow ${workflow.id} has no step "${workflow.step}"`;
}
