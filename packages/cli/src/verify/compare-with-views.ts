// Compares the views beside a file with what its events lead to. They have seen every event too: where
// the last ones of a stream were deleted, the chain cannot tell, but they can.
import { type BrokenRecord, type ProvenStates, readEvents } from '@action-ledger/application';
import { markerIn } from '../archive/with-archive.ts';
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
    return hasMoved ? foldLeft(store, actionId, through) : state;
  };
  const fold = (actionId: string, through: number) => {
    const state = stateOf(actionId);
    if (state === undefined) return undefined;
    if (state.position > through) return foldLeft(store, actionId, through);
    return through > proven ? foldLater(actionId, state, through) : state;
  };
  return compareViews({ path: viewsPathOf(path), fold });
}

/** Undefined where all that the views have seen of it was archived since: what it was then is not here. */
async function foldLeft(
  store: EventStore,
  actionId: string,
  through: number,
): Promise<FoldedStream | undefined> {
  const folded = await foldThrough(store, actionId, through);
  if (folded.revision >= 0) return folded;
  const [first] = await store.readStream(streamOfAction(actionId));
  return first === undefined || markerIn(first) === undefined ? folded : undefined;
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
