// Fills an index from the streams: what a ledger does that keeps its index in memory alone.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  newAction,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { type ToolSet } from '@action-ledger/tools';
import { type ActionIndex } from './action-index.ts';
import { matchesOf } from './undo.ts';

const eventsPerRead = 5_000;

/** A stream that cannot be folded is passed over here; whoever loads it will find it broken. */
export async function rebuildIndex(
  store: EventStore,
  tools: ToolSet,
  index: ActionIndex,
): Promise<void> {
  const actions = new Map<string, Action>();
  let after = 0;
  for (;;) {
    const recorded = await store.readAll({ after, max: eventsPerRead });
    for (const each of recorded) {
      after = each.position;
      const actionId = actionOfStream(each.stream);
      if (actionId === undefined) continue;
      try {
        const { event, metadata, revision } = unsealActionEvent(each);
        const known = actions.get(actionId) ?? newAction(actionId);
        actions.set(actionId, evolve(known, event, { revision, at: metadata.at }));
      } catch (error) {
        if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
      }
    }
    if (recorded.length < eventsPerRead) break;
  }
  for (const action of actions.values()) {
    if (action.status !== 'reserved') index.note(action, matchesOf(action, tools.get(action.tool)));
  }
}
