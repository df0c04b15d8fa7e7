// What waits for a person, or for a program that does not come back, is told again, day by day.
import { streamOfWorkflow, type Workflow, type WorkflowCommand } from '@action-ledger/domain';
import { type CompensatorDeps } from './compensator-deps.ts';

const dayMs = 24 * 3_600_000;

/** When it is looked at next, if nothing moves it before. Wall-clock ms. */
export function nextLookAt({ watch, updatedAt, abandonedAfterMs }: Workflow): number {
  return watch?.nextCheckAt ?? updatedAt + abandonedAfterMs;
}

/** @returns the workflow with its next check; undefined where it is not due, or has moved */
export async function remind(
  { parts, workflows }: CompensatorDeps,
  workflow: Workflow,
): Promise<Workflow | undefined> {
  const { id, status, revision } = workflow;
  const now = parts.clock.nowMs();
  if ((status !== 'running' && status !== 'compensation_failed') || now < nextLookAt(workflow))
    return undefined;
  if (parts.recovering() !== undefined || workflows.hasUnderWay(id)) return undefined;
  const performed = await workflows.store.perform(id, (current) =>
    current.revision === revision ? dueCommand(workflow, now) : undefined,
  );
  if (performed.kind !== 'done' || performed.events.length === 0) return undefined;
  const { workflow: next } = performed;
  if (next.status === 'compensating') void parts.attend(streamOfWorkflow(id));
  else parts.notice({ kind: 'workflow needs a person', workflow: next });
  return next;
}

function dueCommand({ status, whenAbandoned }: Workflow, now: number): WorkflowCommand {
  const nextCheck = { owner: 'operator', nextCheckAt: now + dayMs } as const;
  if (status !== 'running') {
    const reason = 'what could not be undone still stands';
    return { type: 'AssignWorkflowOwner', ...nextCheck, reason };
  }
  const reason = 'its program has not come back to go on with it';
  return whenAbandoned === 'compensate'
    ? { type: 'StartCompensation', by: 'ledger', reason, onlyRunning: true }
    : { type: 'AssignWorkflowOwner', ...nextCheck, reason };
}
