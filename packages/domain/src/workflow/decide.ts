// decide(state, command, now) → events or a refusal: the only place where the rules of workflows live.
// Pure: no clock, no randomness, no I/O. Saying again what is so already gives no event.
import { type Instant } from '../action/decision.ts';
import { defaultChecks } from '../action/tool-rules.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonValue } from '../json/json-value.ts';
import { refusal, type Refusal } from '../refusal.ts';
import { type WorkflowCommand, type WorkflowCommandOf } from './command.ts';
import { type StepPlanned, type WorkflowEvent, type WorkflowEventData } from './event.ts';
import {
  isToBeUndone,
  nextOfCompensation,
  standingSteps,
  stepOf,
  type Workflow,
  type WorkflowStep,
} from './state.ts';

export const workflowRefusalCodes = [
  'workflow.compensation-invalid',
  'workflow.compensation-missing',
  'workflow.differs',
  'workflow.stale-revision',
  'workflow.status',
  'workflow.step-twice',
  'workflow.step-unknown',
  'workflow.step-unsettled',
  'workflow.steps-too-many',
  'workflow.unknown',
] as const;

export type WorkflowRefusalCode = (typeof workflowRefusalCodes)[number];

export type WorkflowDecision =
  | { readonly kind: 'accepted'; readonly events: readonly WorkflowEvent[] }
  | Refusal<WorkflowRefusalCode>;

export const workflowStepsMax = 1_000;

export function decideWorkflow(
  workflow: Workflow,
  command: WorkflowCommand,
  now: Instant,
): WorkflowDecision {
  if (command.type === 'StartWorkflow') return start(workflow, command);
  if (workflow.status === 'new')
    return refuse('workflow.unknown', `There is no workflow ${workflow.id}.`, workflow);
  switch (command.type) {
    case 'PlanStep':
      return planStep(workflow, command);
    case 'SettleStep':
      return settleStep(workflow, command);
    case 'StartCompensation':
      return startCompensation(workflow, command);
    case 'RecordStepCompensation':
      return recordStepCompensation(workflow, command);
    case 'CompleteWorkflow':
      return complete(workflow, command);
    case 'EndCompensation':
      return endCompensation(workflow, now);
    case 'AssignWorkflowOwner':
      return assignOwner(workflow, command);
  }
}

function start(workflow: Workflow, { start: wanted }: WorkflowCommandOf<'StartWorkflow'>) {
  if (workflow.status === 'new') return accept({ type: 'WorkflowStarted', data: wanted });
  const { input } = wanted;
  // The run may be another one after a restart; the rest of the options was settled at the start.
  if (isSame(input, workflow.input)) return accept();
  const message = 'A workflow of this id was started with another input.';
  return refuse('workflow.differs', message, workflow, { differs: ['input'] });
}

function planStep(workflow: Workflow, { plan }: WorkflowCommandOf<'PlanStep'>): WorkflowDecision {
  const known = stepOf(workflow, plan.step);
  if (known !== undefined) {
    const differs = differencesOf(known, plan);
    if (differs.length === 0) return accept();
    const message = `Step "${plan.step}" was recorded with another ${differs.join(', another ')}.`;
    return refuse('workflow.differs', message, workflow, { step: plan.step, differs });
  }
  if (workflow.status !== 'running') return wrongStatus(workflow, 'plan a step');
  if (workflow.steps.length >= workflowStepsMax)
    return refuse('workflow.steps-too-many', 'A workflow has 1,000 steps at most.', workflow);
  return accept({ type: 'StepPlanned', data: plan });
}

/** Which parts of a step a replay asks for otherwise than recorded. */
function differencesOf(known: WorkflowStep, plan: StepPlanned): readonly string[] {
  return [
    ...(known.tool === plan.tool ? [] : ['tool']),
    ...(known.tool !== plan.tool || known.argumentsHash === plan.argumentsHash
      ? []
      : ['arguments']),
    ...(isSame(known.compensation, plan.compensation) ? [] : ['compensation']),
    ...(known.mayFail === plan.mayFail ? [] : ['mayFail']),
    ...(isSame(known.identity, plan.identity) ? [] : ['identity']),
  ];
}

function settleStep(
  workflow: Workflow,
  { settled }: WorkflowCommandOf<'SettleStep'>,
): WorkflowDecision {
  const step = stepOf(workflow, settled.step);
  if (step === undefined) return unknownStep(workflow, settled.step);
  const isLate = step.settled?.as === 'without effect' && settled.as === 'succeeded';
  if (step.settled !== undefined && !isLate) return accept();
  const event: WorkflowEvent = { type: 'StepSettled', data: settled };
  const fails = settled.as === 'without effect' && step.mayFail !== true;
  if (workflow.status !== 'running' || !fails) return accept(event);
  // In the same append: the program may be gone, and nobody else would know that it has failed.
  const reason = `step "${step.step}" ended without effect: ${settled.reason ?? 'no reason given'}`;
  return accept(event, {
    type: 'CompensationStarted',
    data: { by: 'ledger', reason, failedStep: step.step },
  });
}

function startCompensation(
  workflow: Workflow,
  command: WorkflowCommandOf<'StartCompensation'>,
): WorkflowDecision {
  const { by, reason, from, revisionSeen, onFailedCompensation, onlyRunning } = command;
  if (revisionSeen !== undefined && revisionSeen !== workflow.revision) {
    const message = `The workflow is ${workflow.status} at revision ${workflow.revision} by now: look again.`;
    return refuse('workflow.stale-revision', message, workflow);
  }
  if (from !== undefined && stepOf(workflow, from) === undefined)
    return unknownStep(workflow, from);
  if (onlyRunning === true && workflow.status !== 'running') return givenUp(workflow);
  if (isUnderWay(workflow, command)) return accept();
  if (workflow.status === 'compensated' && !reachesFurther(workflow, from)) return accept();
  const more = onFailedCompensation === undefined ? {} : { onFailedCompensation };
  const data = { by, reason, ...(from === undefined ? {} : { from }), ...more };
  return accept({ type: 'CompensationStarted', data });
}

/** What is complete stays done: whoever gives up must hear that it was too late. */
function givenUp(workflow: Workflow): WorkflowDecision {
  return workflow.status === 'completed' ? wrongStatus(workflow, 'give it up') : accept();
}

/** All that is asked for is being done already. */
function isUnderWay(
  { status, steps, compensation, onFailedCompensation: rule }: Workflow,
  { from, onFailedCompensation = rule }: WorkflowCommandOf<'StartCompensation'>,
): boolean {
  const place = from === undefined ? 0 : steps.findIndex(({ step }) => step === from);
  return (
    status === 'compensating' &&
    place >= (compensation?.from ?? 0) &&
    onFailedCompensation === rule &&
    // What has failed is tried again.
    steps.every(({ compensated }) => compensated?.as !== 'failed')
  );
}

/** Steps that were kept when a part was undone. */
function reachesFurther({ steps, compensation }: Workflow, from: string | undefined): boolean {
  const place = from === undefined ? 0 : steps.findIndex(({ step }) => step === from);
  const kept = steps.slice(place, compensation?.from ?? 0);
  return kept.some((step) => isToBeUndone(step) && step.compensated === undefined);
}

function recordStepCompensation(
  workflow: Workflow,
  command: WorkflowCommandOf<'RecordStepCompensation'>,
): WorkflowDecision {
  const { type: _type, ...data } = command;
  const step = stepOf(workflow, data.step);
  if (step === undefined) return unknownStep(workflow, data.step);
  if (step.compensated?.as === 'compensated' || step.compensated?.as === data.as) return accept();
  // What was under way when the undo of another step had failed is told all the same.
  if (workflow.status === 'compensation_failed' && isToBeUndone(step))
    return accept({ type: 'StepCompensated', data });
  if (workflow.status !== 'compensating') return wrongStatus(workflow, 'record a compensation');
  // What failed and was done after all counts, out of turn as well.
  if (step.compensated === undefined && !isItsTurn(workflow, step))
    return wrongStatus(workflow, `undo "${step.step}" before the steps after it`);
  return accept({ type: 'StepCompensated', data });
}

function isItsTurn(workflow: Workflow, step: WorkflowStep): boolean {
  const next = nextOfCompensation(workflow);
  return next.kind === 'undo' && next.step.step === step.step;
}

function complete(
  workflow: Workflow,
  { result }: WorkflowCommandOf<'CompleteWorkflow'>,
): WorkflowDecision {
  if (workflow.status === 'completed') {
    if (isSame(resultOf(result), resultOf(workflow))) return accept();
    const message = 'The workflow was completed with another result.';
    return refuse('workflow.differs', message, workflow, { differs: ['result'] });
  }
  if (workflow.status !== 'running') return wrongStatus(workflow, 'complete it');
  const unsettled = workflow.steps.find(({ settled }) => settled === undefined);
  if (unsettled !== undefined) {
    const message = `The outcome of step "${unsettled.step}" is not known yet.`;
    return refuse('workflow.step-unsettled', message, workflow, { step: unsettled.step });
  }
  return accept({ type: 'WorkflowEnded', data: { as: 'completed', ...result } });
}

/** What is cut is known by its digest. */
function resultOf({ result, digest }: Pick<Workflow, 'result' | 'digest'>): unknown {
  return { result: result ?? null, digest: digest ?? null };
}

function endCompensation(workflow: Workflow, now: Instant): WorkflowDecision {
  if (workflow.status === 'compensated' || workflow.status === 'compensation_failed')
    return accept();
  if (workflow.status !== 'compensating') return wrongStatus(workflow, 'end its compensation');
  const next = nextOfCompensation(workflow);
  if (next.kind !== 'end')
    return refuse('workflow.step-unsettled', `"${next.step.step}" is not undone yet.`, workflow);
  const standing = standingSteps(workflow);
  const data: WorkflowEventData['WorkflowEnded'] = {
    as: next.as,
    ...(standing.length === 0 ? {} : { standing }),
  };
  if (next.as === 'compensated') return accept({ type: 'WorkflowEnded', data });
  const nextCheckAt = now.wallMs + defaultChecks.escalateAfterMs;
  return accept({ type: 'WorkflowEnded', data: { ...data, owner: 'operator', nextCheckAt } });
}

function assignOwner(
  workflow: Workflow,
  { owner, nextCheckAt, reason }: WorkflowCommandOf<'AssignWorkflowOwner'>,
): WorkflowDecision {
  if (workflow.status === 'completed' || workflow.status === 'compensated')
    return wrongStatus(workflow, 'give it an owner');
  return accept({ type: 'OwnerAssigned', data: { owner, nextCheckAt, reason } });
}

function accept(...events: readonly WorkflowEvent[]): WorkflowDecision {
  return { kind: 'accepted', events };
}

function unknownStep(workflow: Workflow, step: string): Refusal<WorkflowRefusalCode> {
  return refuse('workflow.step-unknown', `The workflow has no step "${step}".`, workflow, { step });
}

function wrongStatus(workflow: Workflow, wish: string): Refusal<WorkflowRefusalCode> {
  const message = `Cannot ${wish}: the workflow is ${workflow.status}.`;
  return refuse('workflow.status', message, workflow);
}

function refuse(
  code: WorkflowRefusalCode,
  message: string,
  { id, status, revision }: Workflow,
  more: Readonly<Record<string, JsonValue>> = {},
): Refusal<WorkflowRefusalCode> {
  return refusal(code, message, { workflow: id, status, revision, ...more });
}

function isSame(a: unknown, b: unknown): boolean {
  return textOf(a) === textOf(b);
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : canonicalJson(value as JsonValue);
}
