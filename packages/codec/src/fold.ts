// An action from its stream: the chain is checked, then the events are folded. A stream that does not
// hold together is never acted on. What was folded before is not folded again where the chain says that it
// is the same.
import {
  type Action,
  actionOfStream,
  chainStart,
  evolve,
  findChainBreak,
  ImpossibleEvent,
  newAction,
  type Sha256,
  unsealMetadata,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { unsealActionEvent } from './unseal.ts';

export type Folded =
  | { readonly kind: 'folded'; readonly action: Action; readonly hash: string }
  | { readonly kind: 'broken'; readonly revision: number; readonly reason: string };

/** As it was folded before, and the hash of its last event then. */
export interface KnownFold {
  readonly action: Action;
  readonly hash: string;
}

/** @param known all events are checked all the same */
export function foldAction(
  sha256: Sha256,
  stream: string,
  recorded: readonly RecordedEvent[],
  known?: KnownFold,
): Folded {
  const chainBreak = findChainBreak(sha256, stream, recorded);
  if (chainBreak !== undefined) {
    return { kind: 'broken', revision: chainBreak.revision, reason: chainBreak.what };
  }
  const before = known !== undefined && isFoldOf(recorded, known) ? known : undefined;
  let { action, hash } = before ?? {
    action: newAction(actionOfStream(stream) ?? stream),
    hash: chainStart(stream),
  };
  for (const each of before === undefined ? recorded : recorded.slice(action.revision + 1)) {
    try {
      const { event, metadata, revision } = unsealActionEvent(each);
      action = evolve(action, event, { revision, at: metadata.at });
      hash = metadata.hash;
    } catch (error) {
      if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
      return { kind: 'broken', revision: each.revision, reason: error.message };
    }
  }
  return { kind: 'folded', action, hash };
}

/** The hash of an event is over all that came before it. Where a stream was archived it begins anew. */
function isFoldOf(recorded: readonly RecordedEvent[], { action, hash }: KnownFold): boolean {
  const last = recorded[action.revision];
  return last?.revision === action.revision && unsealMetadata(last.metadata)?.hash === hash;
}
