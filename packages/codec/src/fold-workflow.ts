// A workflow from its stream: the chain is checked, then the events are folded. A stream that does not
// hold together is never acted on.
import {
  chainStart,
  evolveWorkflow,
  findChainBreak,
  ImpossibleWorkflowEvent,
  newWorkflow,
  type Sha256,
  streamOfWorkflow,
  type Workflow,
  type WorkflowEvent,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { unsealEvent } from './unseal.ts';

export type FoldedWorkflow =
  | { readonly kind: 'folded'; readonly workflow: Workflow; readonly hash: string }
  | { readonly kind: 'broken'; readonly revision: number; readonly reason: string };

export function foldWorkflow(
  sha256: Sha256,
  workflowId: string,
  recorded: readonly RecordedEvent[],
): FoldedWorkflow {
  const stream = streamOfWorkflow(workflowId);
  const chainBreak = findChainBreak(sha256, stream, recorded);
  if (chainBreak !== undefined)
    return { kind: 'broken', revision: chainBreak.revision, reason: chainBreak.what };
  let workflow = newWorkflow(workflowId);
  let hash = chainStart(stream);
  for (const each of recorded) {
    try {
      const { event, metadata, revision } = unsealEvent(each);
      const place = { revision, at: metadata.at };
      workflow = evolveWorkflow(workflow, event as unknown as WorkflowEvent, place);
      hash = metadata.hash;
    } catch (error) {
      if (!(error instanceof ImpossibleWorkflowEvent || error instanceof SyntaxError)) throw error;
      return { kind: 'broken', revision: each.revision, reason: error.message };
    }
  }
  return { kind: 'folded', workflow, hash };
}
