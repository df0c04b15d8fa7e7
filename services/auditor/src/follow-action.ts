// One action as its stream has it now, without its contents. What cannot be read is said, and never thrown:
// a damaged record must not hold up the checks of the others.
import { type BrokenRecord } from '@action-ledger/application';
import { createUnsealer } from '@action-ledger/codec';
import {
  type ActionTrail,
  findChainBreak,
  followTrail,
  type Sha256,
  startTrail,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface FollowDeps {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly sha256: Sha256;
}

export interface FollowedAction {
  readonly trail: ActionTrail;
  /** -1: there is no such stream. */
  readonly revision: number;
  /** Nothing that its events say can be relied on. */
  readonly damaged?: BrokenRecord;
}

/** @throws StoreFault where the store is away */
export async function followAction(
  { store, sha256 }: FollowDeps,
  actionId: string,
): Promise<FollowedAction> {
  const stream = streamOfAction(actionId);
  const { events, damaged } = await readOrTell(store, stream);
  if (damaged !== undefined) return { trail: startTrail(stream), revision: -1, damaged };
  const trail = startTrail(stream);
  const revision = events.at(-1)?.revision ?? -1;
  const found = findChainBreak(sha256, stream, events);
  if (found !== undefined) {
    const detail = `revision ${found.revision}: ${found.what}`;
    return { trail, revision, damaged: { stream, invariant: 'chain-holds', detail } };
  }
  const detail = follow(trail, events);
  return detail === undefined
    ? { trail, revision }
    : { trail, revision, damaged: { stream, invariant: 'stream-folds', detail } };
}

export async function readOrTell(
  store: FollowDeps['store'],
  stream: string,
): Promise<{ readonly events: readonly RecordedEvent[]; readonly damaged?: BrokenRecord }> {
  try {
    return { events: await store.readStream(stream) };
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    const damaged = { stream, invariant: 'row-readable', detail: fault.message } as const;
    return { events: [], damaged };
  }
}

/** @returns what is wrong with the first event that cannot be followed */
function follow(trail: ActionTrail, events: readonly RecordedEvent[]): string | undefined {
  const unseal = createUnsealer();
  for (const recorded of events) {
    const { revision, type } = recorded;
    try {
      const { event, at } = unseal(recorded);
      followTrail(trail, event, { revision, at });
    } catch (error) {
      const said = error instanceof Error ? error.message : String(error);
      return `revision ${revision} (${type}) cannot be read: ${said}`;
    }
  }
  return undefined;
}
