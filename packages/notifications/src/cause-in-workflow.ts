// What of a workflow waits for people: that it was left half done, or could not be undone. Said again
// with each day on which it still waits.
import { foldWorkflow, timeOfEvent } from '@action-ledger/codec';
import { type Sha256 } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { plainText, type Told } from './notification.ts';

export const workflowCauses: ReadonlySet<string> = new Set(['OwnerAssigned', 'WorkflowEnded']);

/** @returns undefined where nobody is needed, or a later event says it again */
export function causeInWorkflow(
  sha256: Sha256,
  workflowId: string,
  events: readonly RecordedEvent[],
  cause: RecordedEvent,
): Told | undefined {
  const folded = foldWorkflow(sha256, workflowId, events);
  if (folded.kind === 'broken') return undefined;
  const { workflow } = folded;
  // A later one says it again, or says how it ended.
  const last = events.findLast(({ type }) => workflowCauses.has(type));
  if (workflow.watch?.owner !== 'operator' || last?.id !== cause.id) return undefined;
  const { tenant, name, run, status } = workflow;
  const called = plainText(name ?? run ?? workflowId);
  const what =
    status === 'compensation_failed' ? 'could not be undone as a whole' : 'was left half done';
  return {
    kind: 'workflow needs a person',
    at: timeOfEvent(cause),
    tenant,
    workflow: workflowId,
    text: plainText(`The workflow ${called} ${what}.`),
    detail: { status, name: called },
  };
}
