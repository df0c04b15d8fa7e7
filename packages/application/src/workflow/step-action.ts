// The action of a step: found again whoever asks and whenever, by the link from workflow and step, or by
// the call that the step makes where its tool's own identity counts.
import {
  type Action,
  actionIdOf,
  type CallOrigin,
  compensationKeyOf,
  isEnded,
  isInDoubt,
  isSameCall,
  stepKeyOf,
  type StepSettled,
  type Workflow,
  type WorkflowStep,
} from '@action-ledger/domain';
import { chainOf } from '../propose/met-chain.ts';
import { standIn } from '../answer/follow.ts';
import { namesOf } from '../propose/names.ts';
import { type Parts, declaredTool } from '../core/parts.ts';
import { type ProposeDeps } from '../propose/propose.ts';
import { type ProposalLink } from '../propose/proposal.ts';
import { undoOf } from './undo-of.ts';

export type StepLike = Pick<WorkflowStep, 'step' | 'tool' | 'arguments' | 'identity'>;
type WorkflowLike = Pick<Workflow, 'id' | 'tenant' | 'run' | 'conversation'>;

/** By which a step's proposal is told from every other one. */
export function linkOf(
  parts: Pick<Parts, 'sha256'>,
  of: WorkflowLike,
  step: StepLike,
): ProposalLink {
  const workflow = { id: of.id, step: step.step };
  if (step.identity.kind === 'tool') return { workflow };
  return { workflow, keyHash: stepKeyOf(parts.sha256, of.tenant, of.id, step.step) };
}

/** The same for every try of the step, so that a later one is a redelivery. */
export function originOf(of: WorkflowLike, { step, identity }: StepLike): CallOrigin {
  const { run, conversation, id } = of;
  return {
    ...(run === undefined ? {} : { run }),
    ...(conversation === undefined ? {} : { conversation }),
    ...(identity.kind === 'tool' ? { call: callOf(id, step) } : {}),
  };
}

/** Bounded, whatever the step is called. */
function callOf(workflowId: string, step: string): string {
  return `workflow ${workflowId} ${step}`;
}

/** @returns undefined where there is none yet, or its record is damaged */
export async function findStepAction(
  deps: ProposeDeps,
  workflow: WorkflowLike,
  step: StepLike,
): Promise<Action | undefined> {
  const { parts } = deps;
  const found =
    step.identity.kind === 'step'
      ? await loadAction(
          parts,
          actionIdOf(stepKeyOf(parts.sha256, workflow.tenant, workflow.id, step.step), 0),
        )
      : await findByCall(deps, workflow, step);
  return found === undefined ? undefined : standsFor(parts, found);
}

async function findByCall(
  deps: ProposeDeps,
  workflow: WorkflowLike,
  step: StepLike,
): Promise<Action | undefined> {
  const { parts, chains } = deps;
  const tool = declaredTool(parts, workflow.tenant, step.tool);
  if (tool === undefined) return undefined;
  const origin = originOf(workflow, step);
  const names = namesOf(parts, tool, { tenant: workflow.tenant, origin }, step.arguments);
  if (names.kind === 'refusal') return undefined;
  const { epochs } = await chainOf(chains, names);
  if (epochs.kind === 'broken') return undefined;
  return epochs.actions.findLast(
    (action) =>
      isStepOf(action, workflow.id, step.step) ||
      action.calls.some((call) => isSameCall(call, origin)),
  );
}

export function isStepOf({ workflow, compensates }: Action, id: string, step: string): boolean {
  return workflow?.id === id && workflow.step === step && compensates === undefined;
}

/** Where a person edited it, the action that took its place. */
async function standsFor(parts: Parts, action: Action): Promise<Action> {
  let current = action;
  for (let hops = 0; hops < hopsMax && current.status === 'cancelled'; hops += 1) {
    const next = await standIn(parts, current);
    if (next === undefined) break;
    current = next;
  }
  return current;
}

const hopsMax = 16;

export async function loadAction(parts: Parts, actionId: string): Promise<Action | undefined> {
  const loaded = await parts.actions.load(actionId);
  return loaded.kind === 'broken' || loaded.action.status === 'new' ? undefined : loaded.action;
}

/** What is to be recorded of a step; undefined while the outcome of its action is not known. */
export function settlementOf(
  parts: Parts,
  workflow: Pick<Workflow, 'id'>,
  step: WorkflowStep,
  action: Action,
): StepSettled | undefined {
  const owned = isStepOf(action, workflow.id, step.step);
  const known = { step: step.step, action: action.id, owned };
  if (action.outcome !== undefined)
    return { ...known, as: 'succeeded', ...(owned ? undoOf(parts, step, action) : {}) };
  if (action.status === 'superseded') return { ...known, as: 'succeeded' };
  // Against a doubt that is kept: a person has said that nothing was done.
  if (isEnded(action) && (!isInDoubt(action) || action.status === 'failed'))
    return { ...known, as: 'without effect', reason: endingOf(action) };
  return undefined;
}

export function endingOf({ status, ending }: Action): string {
  return ending === undefined ? status : `${status}: ${ending.reason}`;
}

/** The key of what undoes an action. */
export function undoKeyOf(parts: Pick<Parts, 'sha256'>, { tenant, id }: Action): string {
  return compensationKeyOf(parts.sha256, tenant, id);
}
