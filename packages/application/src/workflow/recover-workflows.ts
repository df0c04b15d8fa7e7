// At the start: a look at each workflow that is open, or of which an action has just moved. And which there
// are, for whoever has no index: from the names of streams where the store can list them, else by
// one pass over all events.
import {
  actionOfStream,
  streamOfWorkflow,
  workflowOfStream,
  workflowStreamPrefix,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { sideBySide } from '../core/side-by-side.ts';
import { readEvents } from '../record/read-events.ts';
import { type CompensatorDeps } from './compensator-deps.ts';
import { loadAction } from './step-action.ts';

/** More are not listed. */
const workflowsMax = 1_000_000;

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

/** @param recent streams with events that opening looks at itself: a damaged one is found now */
export async function recoverWorkflows(
  { parts, workflows }: CompensatorDeps,
  recent: Iterable<string>,
): Promise<void> {
  const wake = (id: string): void => {
    parts.due.set(streamOfWorkflow(id), parts.clock.nowMs());
  };
  await sideBySide(recent, async (stream) => {
    const id = workflowOfStream(stream);
    if (id !== undefined) await workflows.store.load(id);
    const actionId = actionOfStream(stream);
    const action = actionId === undefined ? undefined : await loadAction(parts, actionId);
    // Its workflow may have ended before, and may not know what became of it since.
    if (action?.workflow !== undefined) wake(action.workflow.id);
  });
  workflows.index.open().forEach(wake);
}
