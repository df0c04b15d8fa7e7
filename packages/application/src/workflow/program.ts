// What a program does with its workflow: start it (or go on with it), take its steps one after another,
// and say how it ended. Each step is recorded, with how it is undone, before its action exists; a step that
// is on record is answered from there.
import {
  type Difference,
  refusal,
  type Refusal,
  stepOf,
  type StepPlanned,
  streamOfWorkflow,
  whatDiffers,
  type Workflow,
  workflowIdOf,
  type WorkflowStep,
} from '@action-ledger/domain';
import { recordable, type Tool } from '@action-ledger/tools';
import { type Answer, answerFor } from '../answer/answer.ts';
import { argumentsRefused, checkedArguments } from './step-arguments.ts';
import { namesOf, type Names } from '../propose/names.ts';
import { notRecordable } from '../answer/not-recordable.ts';
import { declaredTool } from '../core/parts.ts';
import { type Proposal } from '../propose/proposal.ts';
import { propose } from '../propose/propose.ts';
import { type CompensatorDeps } from './compensator-deps.ts';
import { linkOf, loadAction, originOf, settlementOf } from './step-action.ts';
import {
  abandonedAfterMsUsual,
  checkStart,
  checkStep,
  compensationOf,
  identityOf,
  type StepRequest,
  type WorkflowRequest,
} from './workflow-request.ts';

export type StartedWorkflow =
  | {
      readonly kind: 'started';
      readonly workflow: Workflow;
      /** It was there before. */
      readonly repeat: boolean;
    }
  | Refusal;

export async function startWorkflow(
  deps: CompensatorDeps,
  request: WorkflowRequest,
): Promise<StartedWorkflow> {
  const { parts, workflows } = deps;
  const checked = checkStart(request);
  if (checked.kind === 'refusal') return checked;
  const { tenant, id, run, conversation, by } = request;
  const workflowId = workflowIdOf(parts.sha256, tenant, checked.name);
  const known = await workflows.store.load(workflowId);
  if (known.kind === 'broken') return brokenRecord(known.reason);
  if (known.workflow.status === 'new') {
    const closed = notRecordable(parts, everything(tenant));
    if (closed?.code !== undefined) return refusal(closed.code, closed.reason ?? '');
  }
  const performed = await workflows.store.perform(workflowId, () => ({
    type: 'StartWorkflow',
    start: {
      tenant,
      ...(id === undefined ? {} : { name: id }),
      ...(run === undefined ? {} : { run }),
      ...(conversation === undefined ? {} : { conversation }),
      ...(by === undefined ? {} : { by }),
      ...(checked.input === undefined ? {} : { input: checked.input }),
      onFailedCompensation: request.onFailedCompensation ?? 'stop',
      abandonedAfterMs: request.abandonedAfterMs ?? abandonedAfterMsUsual,
      whenAbandoned: request.whenAbandoned ?? 'operator',
    },
  }));
  if (performed.kind === 'broken') return brokenRecord(performed.reason);
  if (performed.kind === 'refusal') return performed;
  const { workflow, events } = performed;
  if (events.length > 0) await parts.passed('workflow started', workflow.id);
  return { kind: 'started', workflow, repeat: events.length === 0 };
}

/** A pause of everything, or of the tenant, is one of every tool. */
function everything(tenant: string): Proposal {
  return { tool: '', arguments: {}, tenant, origin: {} };
}

export function brokenRecord(reason: string): Refusal {
  return refusal('stream.broken', `The record of this workflow is damaged: ${reason}.`);
}

export type StepAnswer =
  /** Its outcome is on record; `answer.state` tells which. */
  | { readonly kind: 'settled'; readonly answer: Answer }
  /** Nothing more can be said now: the program must stop here, and come back. */
  | { readonly kind: 'waiting'; readonly answer: Answer }
  /** The workflow does not go on: it is being undone, or has ended. */
  | { readonly kind: 'stopped'; readonly workflow: Workflow }
  /** Nothing of it was recorded. */
  | {
      readonly kind: 'refused';
      readonly refusal: Refusal;
      readonly differs?: readonly Difference[];
    };

export async function takeStep(
  deps: CompensatorDeps,
  workflowId: string,
  request: StepRequest,
): Promise<StepAnswer> {
  const misfit = checkStep(request);
  if (misfit !== undefined) return { kind: 'refused', refusal: misfit };
  return deps.workflows.during(workflowId, request.step, async () => {
    const answer = await takeNow(deps, workflowId, request);
    // What settled meanwhile was left to this call.
    if (answer.kind !== 'settled') wake(deps, workflowId);
    return answer;
  });
}

function wake({ parts }: CompensatorDeps, workflowId: string): void {
  parts.due.set(streamOfWorkflow(workflowId), parts.clock.nowMs() + wakeMs);
}

const wakeMs = 1_000;

async function takeNow(
  deps: CompensatorDeps,
  workflowId: string,
  request: StepRequest,
): Promise<StepAnswer> {
  const { parts, workflows } = deps;
  const loaded = await workflows.store.load(workflowId);
  if (loaded.kind === 'broken') return no(brokenRecord(loaded.reason));
  const { workflow } = loaded;
  const tool = declaredTool(parts, workflow.tenant, request.tool);
  if (tool === undefined) return no(refusal('tool.unknown', `There is no tool "${request.tool}".`));
  const args = checkedArguments(tool, request.arguments);
  if (args.kind === 'refusal')
    return { kind: 'settled', answer: argumentsRefused(workflow, tool, args) };
  if (tool.kind === 'read') return passThrough(deps, workflow, request);
  const planned = plannedStep(deps, workflow, tool, request, args.args);
  return 'kind' in planned ? planned : planAndCarryOut(deps, workflow, tool, request, planned);
}

async function planAndCarryOut(
  deps: CompensatorDeps,
  workflow: Workflow,
  tool: Tool,
  request: StepRequest,
  { plan, names }: PlannedStep,
): Promise<StepAnswer> {
  const { parts, workflows } = deps;
  const known = stepOf(workflow, request.step);
  if (known === undefined) {
    if (workflow.status !== 'running') return { kind: 'stopped', workflow };
    const closed = notRecordable(parts, { ...everything(workflow.tenant), tool: tool.name });
    if (closed !== undefined) return { kind: 'waiting', answer: closed };
  }
  const performed = await workflows.store.perform(workflow.id, () => ({ type: 'PlanStep', plan }));
  if (performed.kind === 'broken') return no(brokenRecord(performed.reason));
  if (performed.kind === 'refusal') return refusedPlan(workflow, performed, tool, known, names);
  if (performed.events.length > 0) await parts.passed('step planned', workflow.id);
  const step = stepOf(performed.workflow, request.step);
  if (step?.settled !== undefined) return recordedStep(deps, step);
  return step === undefined || performed.workflow.status !== 'running'
    ? { kind: 'stopped', workflow: performed.workflow }
    : carryOut(deps, performed.workflow, step, request);
}

function no(why: Refusal): StepAnswer {
  return { kind: 'refused', refusal: why };
}

interface PlannedStep {
  readonly plan: StepPlanned;
  readonly names: Names;
}

function plannedStep(
  { parts }: CompensatorDeps,
  workflow: Workflow,
  tool: Tool,
  request: StepRequest,
  args: Names['args'],
): PlannedStep | StepAnswer {
  const { step, mayFail } = request;
  const compensation = compensationOf(parts, workflow.tenant, tool, request);
  if (compensation.kind === 'refusal') return no(compensation);
  const identity = identityOf(tool, request.identity);
  const like = { step, tool: tool.name, arguments: {}, identity };
  const link = linkOf(parts, workflow, like);
  const named = { tenant: workflow.tenant, origin: originOf(workflow, like), link };
  const names = namesOf(parts, tool, named, args);
  if (names.kind === 'refusal')
    return { kind: 'settled', answer: argumentsRefused(workflow, tool, names) };
  const plan: StepPlanned = {
    step,
    tool: tool.name,
    arguments: names.stored,
    argumentsHash: names.argumentsHash,
    compensation,
    identity,
    ...(mayFail === true ? { mayFail } : {}),
    ...(tool.declaration.secret.length === 0 ? {} : { secret: true as const }),
  };
  return { plan, names };
}

function refusedPlan(
  workflow: Workflow,
  refused: Refusal,
  tool: Tool,
  known: WorkflowStep | undefined,
  names: Names,
): StepAnswer {
  if (refused.code === 'workflow.status') return { kind: 'stopped', workflow };
  const parts = refused.detail?.['differs'];
  if (known === undefined || !Array.isArray(parts)) return no(refused);
  const differs = (parts as readonly string[]).flatMap((part): readonly Difference[] =>
    part === 'arguments' && known.tool === tool.name
      ? whatDiffers(tool.declaration, known.arguments, names.stored).map(({ path, ...more }) => ({
          path: `arguments.${path}`,
          ...more,
        }))
      : [
          part === 'tool'
            ? { path: part, note: `${known.tool} before, ${tool.name} now` }
            : { path: part },
        ],
  );
  return { kind: 'refused', refusal: refused, differs };
}

async function passThrough(
  deps: CompensatorDeps,
  workflow: Workflow,
  request: StepRequest,
): Promise<StepAnswer> {
  const { tenant } = workflow;
  const { tool, arguments: args } = request;
  const answer = await propose(deps, { tool, arguments: args, tenant, origin: {} });
  return { kind: answer.state === 'passed-through' ? 'settled' : 'waiting', answer };
}

/** What is on record, whatever has become of the action since. */
async function recordedStep(
  { parts }: CompensatorDeps,
  { settled }: WorkflowStep,
): Promise<StepAnswer> {
  const action = await loadAction(parts, settled?.action ?? '');
  if (action === undefined)
    return no(refusal('stream.broken', 'The record of the action of this step is damaged.'));
  return { kind: 'settled', answer: answerFor(action, { repeat: true }) };
}

async function carryOut(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
  request: StepRequest,
): Promise<StepAnswer> {
  const { parts, workflows } = deps;
  const { waitMs, by = workflow.by } = request;
  const answer = await propose(deps, {
    tool: step.tool,
    arguments: request.arguments,
    tenant: workflow.tenant,
    origin: originOf(workflow, step),
    link: linkOf(parts, workflow, step),
    ...(by === undefined ? {} : { by }),
    ...(waitMs === undefined ? {} : { waitMs }),
  });
  const action = await loadAction(parts, answer.actionId ?? '');
  const settled = action && settlementOf(parts, workflow, step, action);
  if (action === undefined || settled === undefined) return { kind: 'waiting', answer };
  await parts.passed('step done', workflow.id);
  const performed = await workflows.store.perform(workflow.id, () => ({
    type: 'SettleStep',
    settled,
  }));
  if (performed.kind === 'broken') return no(brokenRecord(performed.reason));
  if (performed.kind === 'refusal') return no(performed);
  if (performed.workflow.status === 'compensating') wakeNow(deps, workflow.id);
  if (performed.events.length > 0) await parts.passed('step settled', workflow.id);
  return { kind: 'settled', answer };
}

function wakeNow({ parts }: CompensatorDeps, workflowId: string): void {
  parts.due.set(streamOfWorkflow(workflowId), parts.clock.nowMs());
}

/** The program has returned. */
export async function completeWorkflow(
  deps: CompensatorDeps,
  workflowId: string,
  result: unknown,
): Promise<Workflow | Refusal> {
  const { parts, workflows } = deps;
  const { externalId: _none, ...recorded } = recordable(parts.sha256, result ?? null, []);
  const performed = await workflows.store.perform(workflowId, ({ status }) =>
    status === 'running' || status === 'completed'
      ? { type: 'CompleteWorkflow', result: recorded }
      : undefined,
  );
  if (performed.kind === 'broken') return brokenRecord(performed.reason);
  if (performed.kind === 'refusal') return performed;
  if (performed.events.length > 0) await parts.passed('workflow ended', workflowId);
  return performed.workflow;
}

/** The program has thrown: what it has done is undone. */
export async function failWorkflow(
  deps: CompensatorDeps,
  workflowId: string,
  reason: string,
): Promise<Workflow | Refusal> {
  const performed = await deps.workflows.store.perform(workflowId, () => ({
    type: 'StartCompensation',
    by: 'program',
    reason: reason.slice(0, reasonMax),
    onlyRunning: true,
  }));
  if (performed.kind === 'broken') return brokenRecord(performed.reason);
  if (performed.kind === 'refusal') return performed;
  if (performed.events.length > 0) {
    await deps.parts.passed('compensation started', workflowId);
    wakeNow(deps, workflowId);
  }
  return performed.workflow;
}

const reasonMax = 1_000;
