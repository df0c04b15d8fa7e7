// Compares the views beside a file with what its events lead to. They have seen every event too: where
// the last ones of a stream were deleted, the chain cannot tell, but they can.
import { type BrokenRecord, type ProvenStates, readEvents } from '@action-ledger/application';
import { viewsPathOf } from '@action-ledger/client';
import { streamOfAction } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { compareViews, type FoldedStream, foldThrough } from '@action-ledger/read-models';

export function compareWithViews(
  store: EventStore,
  path: string,
  { stateOf, through: proven }: ProvenStates,
): AsyncIterable<BrokenRecord> {
  let moved: Promise<ReadonlySet<string>> | undefined;
  /** A ledger that runs has gone on since, and its views with it. */
  const foldLater = async (actionId: string, state: FoldedStream, through: number) => {
    moved ??= streamsBetween(store, proven, through);
    const hasMoved = (await moved).has(streamOfAction(actionId));
    return hasMoved ? foldThrough(store, actionId, through) : state;
  };
  const fold = (actionId: string, through: number) => {
    const state = stateOf(actionId);
    if (state === undefined) return undefined;
    if (state.position > through) return foldThrough(store, actionId, through);
    return through > proven ? foldLater(actionId, state, through) : state;
  };
  return compareViews({ path: viewsPathOf(path), fold });
}

async function streamsBetween(
  store: EventStore,
  after: number,
  through: number,
): Promise<ReadonlySet<string>> {
  const streams = new Set<string>();
  for await (const batch of readEvents(store, { after, through }))
    for (const { stream } of batch) streams.add(stream);
  return streams;
}
