// An action as its stream has it. All of it is read and checked, also where the action is known here: what was
// damaged since is found when somebody looks, and not used.
import { foldAction, type Folded, type KnownFold } from '@action-ledger/codec';
import { type Sha256, streamOfAction } from '@action-ledger/domain';
import { type EventStore, StoreFault } from '@action-ledger/event-store';

/**
 * @param known as it is known here
 * @throws StoreFault where the store is away
 */
export async function readAction(
  { store, sha256 }: { readonly store: EventStore; readonly sha256: Sha256 },
  actionId: string,
  known?: KnownFold,
): Promise<Folded & { readonly size: number }> {
  const stream = streamOfAction(actionId);
  try {
    const events = await store.readStream(stream);
    return { ...foldAction(sha256, stream, events, known), size: sizeOf(events) };
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    const revision = typeof fault.detail['revision'] === 'number' ? fault.detail['revision'] : 0;
    return { kind: 'broken', revision, reason: fault.message, size: 0 };
  }
}

/** Enough to keep large actions from filling the memory. */
export function sizeOf(events: readonly { readonly data: string }[]): number {
  let size = 0;
  for (const { data } of events) size += data.length;
  return size;
}
