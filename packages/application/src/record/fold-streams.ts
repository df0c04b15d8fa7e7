// The fold of every action, by one pass over all events that keeps none: of an action that succeeded it
// keeps a few hundred bytes. It trusts what it reads; whoever proves the chains tells which streams are
// sound only up to some event, and those are folded again.
import { createUnsealer } from '@action-ledger/codec';
import {
  actionOfStream,
  type ActionTrail,
  followTrail,
  shortenTrail,
  startTrail,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { readEvents } from './read-events.ts';
import { followWorkflow, type WorkflowFolds } from '../workflow/follow-workflow.ts';

export interface FoldedStream {
  /** Of the last event. */
  position: number;
  /** As far as the events can be read. */
  readonly trail: ActionTrail;
  /** One that is no JSON ends the trail. */
  unreadable: string | undefined;
  /** What else went wrong with an event: a bug, unless the stream is found to be broken. */
  error: Error | undefined;
}

export interface FoldedStreams {
  /** Of actions alone. */
  readonly streams: Map<string, FoldedStream>;
  readonly workflows: WorkflowFolds;
  /** Where there is one. */
  readonly newest: RecordedEvent | undefined;
}

/** @param through the last position to look at; undefined: as far as there is */
export async function foldStreams(
  store: Pick<EventStore, 'readAll'>,
  through: number | undefined,
): Promise<FoldedStreams> {
  const streams = new Map<string, FoldedStream>();
  const workflows: WorkflowFolds = new Map();
  const unseal = createUnsealer();
  let newest: RecordedEvent | undefined;
  for await (const batch of readEvents(store, rangeOf(through))) {
    for (const event of batch) {
      const folded = streams.get(event.stream) ?? startIn(streams, event.stream);
      if (folded !== undefined) follow(folded, unseal, event);
      else followWorkflow(workflows, event);
    }
    newest = batch.at(-1) ?? newest;
  }
  return { streams, workflows, newest };
}

/** Folds these streams again, up to and with a position each. */
export async function foldAgain(
  store: Pick<EventStore, 'readAll'>,
  { streams }: FoldedStreams,
  soundThrough: ReadonlyMap<string, number>,
): Promise<void> {
  if (soundThrough.size === 0) return;
  for (const stream of soundThrough.keys()) startIn(streams, stream);
  const unseal = createUnsealer();
  let last = 0;
  for (const position of soundThrough.values()) last = Math.max(last, position);
  for await (const batch of readEvents(store, rangeOf(last)))
    for (const event of batch) {
      if (event.position > (soundThrough.get(event.stream) ?? 0)) continue;
      const folded = streams.get(event.stream);
      if (folded !== undefined) follow(folded, unseal, event);
    }
}

function rangeOf(through: number | undefined) {
  return { after: 0, ...(through === undefined ? {} : { through }) };
}

function startIn(streams: Map<string, FoldedStream>, stream: string): FoldedStream | undefined {
  if (actionOfStream(stream) === undefined) return undefined;
  const trail = startTrail(stream);
  const folded = { position: 0, trail, unreadable: undefined, error: undefined };
  streams.set(stream, folded);
  return folded;
}

function follow(
  folded: FoldedStream,
  unseal: ReturnType<typeof createUnsealer>,
  recorded: RecordedEvent,
): void {
  if (folded.unreadable !== undefined || folded.error !== undefined) return;
  const { revision, type, position } = recorded;
  folded.position = position;
  try {
    const { event, at } = unseal(recorded);
    followTrail(folded.trail, event, { revision, at });
    shortenTrail(folded.trail);
  } catch (error) {
    if (error instanceof SyntaxError)
      folded.unreadable = `revision ${revision} (${type}) is no JSON: ${error.message}`;
    else folded.error = error instanceof Error ? error : new Error(String(error));
  }
}
