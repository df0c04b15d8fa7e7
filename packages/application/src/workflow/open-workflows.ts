// The workflows of a ledger that opens: put together with its parts.
import { streamOfWorkflow, workflowOfStream } from '@action-ledger/domain';
import { type ProposeDeps } from '../propose/propose.ts';
import { type CompensatorDeps } from './compensator-deps.ts';
import { createWorkflowStore } from './workflow-store.ts';
import { createWorkflows } from './workflows.ts';

export function openWorkflows(deps: ProposeDeps): CompensatorDeps {
  const { parts } = deps;
  const index = parts.index.workflows;
  const store = createWorkflowStore({
    ...parts,
    onSeen: (workflow) => {
      index.note(workflow);
      parts.waiters.notify(streamOfWorkflow(workflow.id));
    },
  });
  return { ...deps, workflows: createWorkflows(store, index) };
}

/** What is due is an action, or a workflow by the name of its stream. */
export function lookAt(
  action: (actionId: string) => Promise<void>,
  workflow: (workflowId: string) => Promise<void>,
): (due: string) => Promise<void> {
  return (due) => {
    const workflowId = workflowOfStream(due);
    return workflowId === undefined ? action(due) : workflow(workflowId);
  };
}

/** A missed wake-up does no harm: every open one is looked at again. */
export function sweepWorkflows({ parts, workflows }: CompensatorDeps): void {
  const { index } = workflows;
  const scheduled = new Set(parts.due.all());
  const missed = index.open().filter((id) => !scheduled.has(streamOfWorkflow(id)));
  for (const id of new Set([...index.moving(), ...missed]))
    parts.due.set(streamOfWorkflow(id), parts.clock.nowMs());
}
