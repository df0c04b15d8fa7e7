// A step that was planned, whose action was never created, and which must not happen any more: its place is
// taken by an action that is cancelled from its first append, so that whoever would still create it meets
// that one at `no stream`.
import {
  type Action,
  actionIdOf,
  stepKeyOf,
  type Workflow,
  type WorkflowStep,
} from '@action-ledger/domain';
import { manualRules } from '../attempt/manual-rules.ts';
import { declaredTool } from '../core/parts.ts';
import { openPolicyVersion } from '../propose/policy.ts';
import { presumptionFor } from '../attend/presumed.ts';
import { type ProposeDeps } from '../propose/propose.ts';
import { findStepAction } from './step-action.ts';

/** @returns undefined where nothing can be told for sure yet */
export async function fenceStep(
  deps: ProposeDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Action | undefined> {
  const { parts } = deps;
  const tool = declaredTool(parts, workflow.tenant, step.tool);
  const isLinked = step.identity.kind === 'step';
  const keyHash = stepKeyOf(parts.sha256, workflow.tenant, workflow.id, step.step);
  const reason =
    workflow.status === 'running'
      ? 'its secret arguments were lost with their process'
      : 'its workflow was undone before it was sent';
  const actionId = actionIdOf(keyHash, 0);
  const presumed =
    tool && presumptionFor(parts, tool, { actionId, previous: undefined, undoes: [] });
  // Where the tool's own identity counts, this name stands for the step alone, and keeps the reason.
  await parts.actions.create(actionId, {
    type: 'PlanAction',
    plan: {
      tenant: workflow.tenant,
      tool: step.tool,
      epoch: 0,
      identityVersion: tool?.declaration.identityVersion ?? 1,
      arguments: step.arguments,
      argumentsHash: step.argumentsHash,
      workflow: { id: workflow.id, step: step.step },
    },
    policy: { effect: 'allow', version: openPolicyVersion },
    rules: tool?.rules ?? manualRules(step.tool),
    cancelled: { reason },
    ...(presumed === undefined ? {} : { presumed }),
  });
  const fenced: WorkflowStep = isLinked ? step : { ...step, identity: { kind: 'step' } };
  return findStepAction(deps, workflow, fenced);
}
