// Fills an index from the streams: what a ledger does that keeps its index in memory alone.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  newAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { foldWorkflows } from '@action-ledger/read-models';
import { type ToolSet } from '@action-ledger/tools';
import { type ActionIndex } from './action-index.ts';
import { readEvents } from './read-events.ts';
import { matchesOf } from '../attempt/undo.ts';

/** A stream that cannot be read or folded is passed over here; whoever loads it will find it broken. */
export async function rebuildIndex(
  store: EventStore,
  tools: ToolSet,
  index: ActionIndex,
): Promise<void> {
  const actions = new Map<string, Action>();
  for await (const batch of readEvents(store, { after: 0 })) {
    for (const recorded of batch) fold(actions, recorded);
    for (const { workflow } of await foldWorkflows(store, batch)) index.workflows.note(workflow);
  }
  for (const action of actions.values()) {
    if (action.status !== 'reserved') index.note(action, matchesOf(action, tools.get(action.tool)));
  }
}

function fold(actions: Map<string, Action>, recorded: RecordedEvent): void {
  const actionId = actionOfStream(recorded.stream);
  if (actionId === undefined) return;
  try {
    const { event, metadata, revision } = unsealActionEvent(recorded);
    const known = actions.get(actionId) ?? newAction(actionId);
    actions.set(actionId, evolve(known, event, { revision, at: metadata.at }));
  } catch (error) {
    if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
  }
}
