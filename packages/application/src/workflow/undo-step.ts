// One finished step is undone: the original is told first, then the compensating action is created, then
// what became of it is told to the original and to the workflow. Each of it can be said again.
import { type Action, type Workflow, type WorkflowStep } from '@action-ledger/domain';
import { type CompensatorDeps } from './compensator-deps.ts';
import { declaredTool } from '../core/parts.ts';
import { endingOf, loadAction, settlementOf } from './step-action.ts';
import { completeUndoingAction, nextUndoOf } from './undo-action.ts';

/** @returns the workflow one step further; undefined where it waits for an action, or is broken */
export async function undoStep(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
): Promise<Workflow | undefined> {
  const { parts } = deps;
  const original = await loadAction(parts, step.settled?.action ?? '');
  if (original === undefined) return undefined;
  const known = isUndone(original);
  if (known !== undefined) return record(deps, workflow, step, known);
  const { undo: undoing, undoFault = 'what would undo it is not known' } = step.settled ?? {};
  if (undoing === undefined)
    return record(deps, workflow, step, { as: 'failed', reason: undoFault });
  const tool = declaredTool(parts, workflow.tenant, undoing.tool);
  if (tool === undefined)
    return record(deps, workflow, step, {
      as: 'failed',
      reason: `there is no tool "${undoing.tool}" here`,
    });
  const undoId = await nextUndoOf(parts, original, step);
  const told = await parts.actions.perform(original.id, (current) =>
    current.compensatedBy === undoId && current.status !== 'succeeded'
      ? undefined
      : { type: 'PlanCompensation', by: undoId },
  );
  if (told.kind !== 'done') return undefined;
  await parts.passed('compensation planned', original.id);
  const undoer = await completeUndoingAction(parts, { workflow, step, original, undoId, tool });
  return undoer === undefined ? undefined : recordUndoer(deps, workflow, step, original, undoer);
}

/** By whomever, it must not be undone a second time. */
function isUndone({ undoneBy, compensatedBy, status }: Action): Undone | undefined {
  if (undoneBy !== undefined) return { as: 'compensated', by: undoneBy };
  if (status !== 'compensated') return undefined;
  return { as: 'compensated', ...(compensatedBy === undefined ? {} : { by: compensatedBy }) };
}

interface Undone {
  readonly as: 'compensated' | 'failed';
  readonly by?: string;
  readonly reason?: string;
}

/** What became of a compensating action: told to the original first, then to the workflow. */
export async function recordUndoer(
  deps: CompensatorDeps,
  workflow: Workflow,
  step: WorkflowStep,
  original: Action,
  undoer: Action,
): Promise<Workflow | undefined> {
  const { parts } = deps;
  const settled = settlementOf(parts, workflow, step, undoer);
  if (settled === undefined) return undefined;
  const succeeded = settled.as === 'succeeded';
  const by = original.compensatedBy ?? undoer.id;
  const told = await parts.actions.perform(original.id, (current) => ({
    type: 'RecordCompensation',
    by: current.compensatedBy ?? by,
    succeeded,
    reason: endingOf(undoer),
  }));
  if (told.kind !== 'done') return undefined;
  await parts.passed('compensation recorded', original.id);
  return record(
    deps,
    workflow,
    step,
    succeeded
      ? { as: 'compensated', by: undoer.id }
      : { as: 'failed', by: told.action.compensatedBy ?? by, reason: endingOf(undoer) },
  );
}

async function record(
  { workflows }: CompensatorDeps,
  workflow: Workflow,
  { step }: WorkflowStep,
  what: Undone,
): Promise<Workflow | undefined> {
  const performed = await workflows.store.perform(workflow.id, () => ({
    type: 'RecordStepCompensation',
    step,
    ...what,
  }));
  return performed.kind === 'done' ? performed.workflow : undefined;
}
