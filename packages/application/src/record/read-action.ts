// An action from the store. Where it is known here already only what is new is read and folded: whether it
// goes on from what is known, the hash of the last known event shows.
import { foldAction, type Folded, type FoldedSoFar } from '@action-ledger/codec';
import { type Sha256, streamOfAction, unsealMetadata } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface KnownSoFar extends FoldedSoFar {
  /** Of the texts of its events: UTF-16 units. */
  readonly size: number;
}

/** @throws StoreFault where the store is away */
export async function readAction(
  { store, sha256 }: { readonly store: EventStore; readonly sha256: Sha256 },
  actionId: string,
  known: KnownSoFar | undefined,
): Promise<Folded & { readonly size: number }> {
  const stream = streamOfAction(actionId);
  try {
    if (known !== undefined) {
      const [last, ...newer] = await store.readStream(stream, known.action.revision);
      if (last !== undefined && isLastOf(known, last))
        return { ...foldAction(sha256, stream, newer, known), size: known.size + sizeOf(newer) };
    }
    const events = await store.readStream(stream);
    return { ...foldAction(sha256, stream, events), size: sizeOf(events) };
  } catch (fault) {
    if (!(fault instanceof StoreFault) || fault.code !== 'store.corrupt') throw fault;
    const revision = typeof fault.detail['revision'] === 'number' ? fault.detail['revision'] : 0;
    return { kind: 'broken', revision, reason: fault.message, size: 0 };
  }
}

function isLastOf({ action, hash }: FoldedSoFar, { revision, metadata }: RecordedEvent): boolean {
  return revision === action.revision && unsealMetadata(metadata)?.hash === hash;
}

/** Enough to keep large actions from filling the memory. */
export function sizeOf(events: readonly { readonly data: string }[]): number {
  let size = 0;
  for (const { data } of events) size += data.length;
  return size;
}
