// The workflows that events move, as they stand after the last of them: each folded again from its stream,
// which is short and was just read. What does not continue a stream is passed over, and all after it:
// whoever loads that stream finds it broken.
import { unsealEvent } from '@action-ledger/codec';
import {
  evolveWorkflow,
  ImpossibleWorkflowEvent,
  newWorkflow,
  streamOfWorkflow,
  type Workflow,
  type WorkflowEvent,
  workflowOfStream,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { readStream } from './action-folds.ts';

export interface FoldedWorkflow {
  /** The position of its first event. */
  readonly position: number;
  readonly workflow: Workflow;
}

/** Each workflow once. */
export async function foldWorkflows(
  store: Pick<EventStore, 'readStream'>,
  events: readonly RecordedEvent[],
): Promise<readonly FoldedWorkflow[]> {
  const through = events.at(-1)?.position ?? 0;
  const moved = new Set<string>();
  for (const { stream } of events) {
    const id = workflowOfStream(stream);
    if (id !== undefined) moved.add(id);
  }
  const folded: FoldedWorkflow[] = [];
  for (const id of moved) {
    const [first, ...rest] = await readStream(store, streamOfWorkflow(id));
    if (first?.revision !== 0) continue;
    const workflow = foldThrough(id, [first, ...rest], through);
    if (workflow.revision >= 0) folded.push({ position: first.position, workflow });
  }
  return folded;
}

function foldThrough(id: string, events: readonly RecordedEvent[], through: number): Workflow {
  let workflow = newWorkflow(id);
  for (const recorded of events) {
    if (recorded.position > through || recorded.revision !== workflow.revision + 1) break;
    try {
      const { event, metadata, revision } = unsealEvent(recorded);
      const place = { revision, at: metadata.at };
      workflow = evolveWorkflow(workflow, event as unknown as WorkflowEvent, place);
    } catch (error) {
      if (!isDamage(error)) throw error;
      break;
    }
  }
  return workflow;
}

/** A text that is no JSON, an event that cannot follow, or one whose data lacks what it must hold. */
function isDamage(error: unknown): boolean {
  return (
    error instanceof ImpossibleWorkflowEvent ||
    error instanceof SyntaxError ||
    error instanceof TypeError
  );
}
