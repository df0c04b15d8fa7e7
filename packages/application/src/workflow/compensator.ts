// Drives workflows from their streams: settles steps, completes what is half told, undoes finished steps
// in reverse order. Records first, then acts; it can be stopped anywhere and begins again from what is
// recorded. It never guesses: a step whose outcome is not known is waited for.
import {
  type Action,
  isOpenWorkflow,
  nextOfCompensation,
  streamOfWorkflow,
  type Workflow,
  type WorkflowStep,
} from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { declaredTool } from '../core/parts.ts';
import { propose } from '../propose/propose.ts';
import { type CompensatorDeps } from './compensator-deps.ts';
import { fenceStep } from './fence-step.ts';
import { findStepAction, linkOf, loadAction, originOf, settlementOf } from './step-action.ts';
import { nextLookAt, remind } from './remind.ts';
import { recordUndoer, undoStep } from './undo-step.ts';

/** More than any workflow needs in one look. */
const roundsMax = 10_000;

/** So soon a look that broke is made again. */
const againMs = 5_000;

/** @throws StoreFault; then it stays due: of a workflow that has ended nobody knows that something is left */
export async function attendWorkflow(deps: CompensatorDeps, workflowId: string): Promise<void> {
  try {
    await lookAt(deps, workflowId);
  } catch (fault) {
    const { due, clock } = deps.parts;
    if (fault instanceof StoreFault) due.set(streamOfWorkflow(workflowId), clock.nowMs() + againMs);
    throw fault;
  }
}

async function lookAt(deps: CompensatorDeps, workflowId: string): Promise<void> {
  const { parts, workflows } = deps;
  const loaded = await workflows.store.load(workflowId);
  if (loaded.kind === 'broken' || loaded.workflow.status === 'new') return;
  let { workflow } = loaded;
  for (const { step } of workflow.steps) {
    const next = await settleStep(deps, workflow, step);
    if (next === undefined) return;
    workflow = next;
  }
  for (let round = 0; round < roundsMax && workflow.status === 'compensating'; round += 1) {
    if (parts.isClosing() || parts.recovering() !== undefined) break;
    const next = await compensateOnce(deps, workflow);
    if (next === undefined) break;
    workflow = next;
  }
  workflow = await recheckFailed(deps, workflow);
  workflow = (await remind(deps, workflow)) ?? workflow;
  setDue(deps, workflow);
}

/** An action that has moved wakes its workflow; this is for what moves by the passing of time alone. */
function setDue({ parts }: CompensatorDeps, workflow: Workflow): void {
  const stream = streamOfWorkflow(workflow.id);
  if (!isOpenWorkflow(workflow) || workflow.status === 'compensating') {
    parts.due.set(stream, undefined);
    return;
  }
  parts.due.set(stream, nextLookAt(workflow));
}

/** @returns the workflow with what is known of the step by now; undefined where it is broken */
async function settleStep(
  deps: CompensatorDeps,
  workflow: Workflow,
  name: string,
): Promise<Workflow | undefined> {
  const { parts, workflows } = deps;
  const step = workflow.steps.find((each) => each.step === name);
  if (step === undefined || step.settled?.as === 'succeeded') return workflow;
  // Whoever takes the step here records its end as well, or says that it waits for it no longer.
  if (workflows.isUnderWay(workflow.id, name)) return workflow;
  const action = await actionOf(deps, workflow, step);
  const settled = action && settlementOf(parts, workflow, step, action);
  if (settled === undefined || settled.as === step.settled?.as) return workflow;
  const performed = await workflows.store.perform(workflow.id, () => ({
    type: 'SettleStep',
    settled,
  }));
  if (performed.kind !== 'done') return undefined;
  if (performed.events.length > 0) await parts.passed('step settled', workflow.id);
  return performed.workflow;
}

/** Of one that ended without effect too: that may turn out otherwise. */
async function actionOf(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Action | undefined> {
  if (step.settled !== undefined) return loadAction(deps.parts, step.settled.action);
  const found = await findStepAction(deps, workflow, step);
  return found ?? (await completeHalf(deps, workflow, step));
}

/** A step that was recorded, and whose action was not: it is created, or its place is taken. */
async function completeHalf(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Action | undefined> {
  const { parts } = deps;
  if (parts.isClosing() || parts.recovering() !== undefined) return undefined;
  if (isLeftToProgram(deps, workflow) || isSecretOfCaller(deps, workflow, step)) return undefined;
  if (workflow.status !== 'running' || step.secret === true) return fenceStep(deps, workflow, step);
  await propose(deps, {
    tool: step.tool,
    arguments: step.arguments,
    tenant: workflow.tenant,
    origin: originOf(workflow, step),
    link: linkOf(parts, workflow, step),
    waitMs: 0,
    ...(workflow.by === undefined ? {} : { by: workflow.by }),
  });
  return findStepAction(deps, workflow, step);
}

/** Its program, in another process, may be about to create it. The next sweep looks again. */
function isLeftToProgram({ parts }: CompensatorDeps, { status, updatedAt }: Workflow): boolean {
  const isFresh = parts.clock.nowMs() < updatedAt + programHasMs;
  return status === 'running' && parts.crew.isShared() && isFresh;
}

const programHasMs = 1_000;

/** The process of its program has what is hidden here, and takes the step again with it. */
function isSecretOfCaller(
  { parts }: CompensatorDeps,
  { status, tenant }: Workflow,
  { secret, tool }: WorkflowStep,
): boolean {
  return (
    status === 'running' && secret === true && declaredTool(parts, tenant, tool)?.byCaller === true
  );
}

/** @returns the workflow one step further; undefined where it waits for an action, or is broken */
async function compensateOnce(
  deps: CompensatorDeps,
  workflow: Workflow,
): Promise<Workflow | undefined> {
  const { workflows } = deps;
  const next = nextOfCompensation(workflow);
  switch (next.kind) {
    case 'wait':
      return undefined;
    case 'undo':
      return undoStep(deps, workflow, next.step);
    case 'end': {
      const ended = await workflows.store.perform(workflow.id, ({ status }) =>
        status === 'compensating' ? { type: 'EndCompensation' } : undefined,
      );
      if (ended.kind === 'refusal') return undefined;
      if (ended.kind === 'done' && ended.workflow.status === 'compensation_failed')
        deps.parts.notice({ kind: 'workflow needs a person', workflow: ended.workflow });
      return ended.kind === 'done' ? ended.workflow : undefined;
    }
  }
}

/** A compensation that had failed may turn out to have been done after all. */
async function recheckFailed(deps: CompensatorDeps, workflow: Workflow): Promise<Workflow> {
  if (workflow.status !== 'compensation_failed') return workflow;
  for (const step of workflow.steps) {
    const next = await recheckStep(deps, workflow, step);
    if (next !== undefined) return next;
  }
  return workflow;
}

async function recheckStep(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Workflow | undefined> {
  const { parts } = deps;
  const { compensated, settled } = step;
  if (settled === undefined) return undefined;
  if (compensated === undefined) return finishUndoUnderWay(deps, workflow, step);
  if (compensated.as !== 'failed') return undefined;
  const undoer = await loadAction(parts, compensated.by ?? '');
  if (undoer?.outcome === undefined) return undefined;
  const original = await loadAction(parts, settled.action);
  if (original === undefined) return undefined;
  const next = await recordUndoer(deps, workflow, step, original, undoer);
  // The steps before it have their turn now.
  void parts.attend(streamOfWorkflow(workflow.id));
  return next;
}

/**
 * Another step's undo has failed while this one's was under way: the workflow has ended, and what became of
 * this one is told to its action all the same, which would wait for it for ever.
 */
async function finishUndoUnderWay(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Workflow | undefined> {
  const original = await loadAction(deps.parts, step.settled?.action ?? '');
  // Whoever had told the action may not have come to tell the workflow.
  if (original?.status !== 'compensating' && original?.status !== 'compensated') return undefined;
  const undoer = await loadAction(deps.parts, original.compensatedBy ?? '');
  if (undoer === undefined) return undefined;
  const next = await recordUndoer(deps, workflow, step, original, undoer);
  if (next !== undefined) void deps.parts.attend(streamOfWorkflow(workflow.id));
  return next;
}
