// Fills an index from the streams: what a ledger does that keeps its index in memory alone. Of the actions
// themselves only those that moved lately are kept meanwhile: most move several times within seconds, and one
// that moves again later is read from its stream.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  newAction,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { foldWorkflows } from '@action-ledger/read-models';
import { type ToolSet } from '@action-ledger/tools';
import { type ActionIndex } from './action-index.ts';
import { readEvents } from './read-events.ts';
import { createRecentMap, type RecentMap } from './recent-map.ts';
import { matchesOf } from '../attempt/undo.ts';

const keptActionsMax = 20_000;
/** UTF-16 units of events. */
const keptSizeMax = 32 * 1024 * 1024;

/** A stream that cannot be read or folded is passed over here; whoever loads it will find it broken. */
export async function rebuildIndex(
  store: EventStore,
  tools: ToolSet,
  index: ActionIndex,
): Promise<void> {
  const kept = createRecentMap<Action>({ entriesMax: keptActionsMax, sizeMax: keptSizeMax });
  for await (const batch of readEvents(store, { after: 0 })) {
    for (const action of (await foldBatch(store, kept, batch)).values())
      if (action.status !== 'reserved')
        index.note(action, matchesOf(action, tools.get(action.tool)));
    for (const { workflow } of await foldWorkflows(store, batch)) index.workflows.note(workflow);
  }
}

/** @returns those that it has moved */
async function foldBatch(
  store: EventStore,
  kept: RecentMap<Action>,
  batch: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, Action>> {
  const moved = new Map<string, Action>();
  for (const recorded of batch) {
    const actionId = actionOfStream(recorded.stream);
    if (actionId === undefined) continue;
    const known =
      moved.get(actionId) ?? kept.get(actionId) ?? (await actionBefore(store, actionId, recorded));
    const action = after(known, recorded);
    moved.set(actionId, action);
    kept.set(actionId, action, recorded.data.length);
  }
  return moved;
}

/** As it was before an event, or further on. */
async function actionBefore(
  store: EventStore,
  actionId: string,
  { revision, type }: RecordedEvent,
): Promise<Action> {
  let action = newAction(actionId);
  if (revision === 0 || type === 'ActionArchived') return action;
  try {
    for (const earlier of await store.readStream(streamOfAction(actionId)))
      action = after(action, earlier);
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
  }
  return action;
}

function after(known: Action, recorded: RecordedEvent): Action {
  if (recorded.revision <= known.revision) return known;
  try {
    const { event, metadata, revision } = unsealActionEvent(recorded);
    return evolve(known, event, { revision, at: metadata.at });
  } catch (error) {
    if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
    return known;
  }
}
