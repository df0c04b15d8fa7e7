// The compensating action: one of its own, with key, attempts and outcome, named by the action that it
// undoes. It is created after the original has been told of it, by whoever comes first.
import {
  type Action,
  actionIdOf,
  epochOf,
  isEnded,
  keyHashOf,
  type Presumption,
  type Workflow,
  type WorkflowStep,
} from '@action-ledger/domain';
import { needsApproval, type Tool } from '@action-ledger/tools';
import { standIn } from '../answer/follow.ts';
import { namesOf } from '../propose/names.ts';
import { presumptionFor } from '../attend/presumed.ts';
import { type Parts } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { loadAction, undoKeyOf } from './step-action.ts';

/**
 * The id of the compensating action that counts now. One that is on record as failed is followed by the
 * next epoch, once somebody has asked for another try.
 */
export async function nextUndoOf(
  parts: Parts,
  original: Action,
  { failedUndos }: WorkflowStep,
): Promise<string> {
  const { compensatedBy } = original;
  if (compensatedBy !== undefined && !failedUndos.includes(compensatedBy)) return compensatedBy;
  const keyHash = undoKeyOf(parts, original);
  if (compensatedBy === undefined) return actionIdOf(keyHash, 0);
  return actionIdOf(keyHash, epochOf(compensatedBy) + 1);
}

interface Undoing {
  readonly workflow: Workflow;
  readonly step: WorkflowStep;
  readonly original: Action;
  readonly undoId: string;
  readonly tool: Tool;
}

/** @returns the action, or what a person has put in its place; undefined where it cannot be created now */
export async function completeUndoingAction(
  parts: Parts,
  undoing: Undoing,
): Promise<Action | undefined> {
  const known = await loadAction(parts, undoing.undoId);
  if (known !== undefined) return standing(parts, known);
  await create(parts, undoing);
  await parts.passed('compensation created', undoing.undoId);
  void parts.attend(undoing.undoId);
  return loadAction(parts, undoing.undoId);
}

async function standing(parts: Parts, action: Action): Promise<Action> {
  if (!isEnded(action) || action.supersededBy === undefined) return action;
  return (await standIn(parts, action)) ?? action;
}

async function create(parts: Parts, undoing: Undoing): Promise<void> {
  const { workflow, step, original, undoId, tool } = undoing;
  const valid = tool.validate(step.settled?.undo?.arguments ?? {});
  if (valid.kind === 'refusal') return;
  const { tenant } = workflow;
  // The key is given by the link: only the hash of the arguments plays a part.
  const names = namesOf(parts, tool, { tenant, origin: {}, key: original.id }, valid.args);
  if (names.kind === 'refusal') return;
  const approval = needsApproval(tool, names.args) ? tool.approval?.rules : undefined;
  const presumed = await presumedOf(parts, tool, undoId);
  await parts.actions.create(
    undoId,
    {
      type: 'PlanAction',
      plan: {
        tenant,
        tool: tool.name,
        epoch: epochOf(undoId),
        identityVersion: tool.declaration.identityVersion,
        arguments: names.stored,
        argumentsHash: names.argumentsHash,
        compensates: original.id,
        workflow: { id: workflow.id, step: step.step },
        ...(workflow.run === undefined ? {} : { call: { run: workflow.run } }),
        ...(workflow.by === undefined ? {} : { by: workflow.by }),
      },
      policy: policyFor(tool, tenant, names.args),
      rules: tool.rules,
      ...(approval === undefined ? {} : { approval }),
      ...(presumed === undefined ? {} : { presumed }),
    },
    { argumentsText: names.argumentsText },
  );
}

/** It may have been sent in a time that the store has lost, as anything that is proposed for the first time. */
async function presumedOf(
  parts: Parts,
  tool: Tool,
  undoId: string,
): Promise<Presumption | undefined> {
  const epoch = epochOf(undoId);
  const previous =
    epoch === 0 ? undefined : await loadAction(parts, actionIdOf(keyHashOf(undoId), epoch - 1));
  return presumptionFor(parts, tool, { actionId: undoId, previous, undoes: [] });
}
