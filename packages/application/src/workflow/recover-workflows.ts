// At the start: which workflows there are, and a look at each that is open. From the names of streams where
// the store can list them, else by one pass over all events.
import { streamOfWorkflow, workflowOfStream, workflowStreamPrefix } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { readEvents } from '../read-events.ts';
import { type CompensatorDeps } from './compensator-deps.ts';

/** More are not listed at the start; what is open among them is found when it is asked for. */
export const workflowsMax = 1_000_000;

export async function workflowIdsOf(store: EventStore): Promise<readonly string[]> {
  if (store.streamNames !== undefined) {
    const names = await store.streamNames(workflowStreamPrefix, workflowsMax);
    return names.flatMap((name) => workflowOfStream(name) ?? []);
  }
  const found = new Set<string>();
  for await (const batch of readEvents(store, { after: 0 }))
    for (const { stream, revision } of batch) {
      const id = revision === 0 ? workflowOfStream(stream) : undefined;
      if (id !== undefined) found.add(id);
    }
  return [...found];
}

export async function recoverWorkflows({ parts, workflows }: CompensatorDeps): Promise<void> {
  for (const id of await workflowIdsOf(parts.store)) {
    if (parts.isClosing()) return;
    // Loading notes it in the index.
    await workflows.store.load(id);
  }
  for (const id of workflows.index.open()) parts.due.set(streamOfWorkflow(id), parts.clock.nowMs());
}
