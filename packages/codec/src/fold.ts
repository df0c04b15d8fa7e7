// An action from its stream: the chain is checked, then the events are folded. A stream that does not
// hold together is never acted on.
import {
  type Action,
  actionOfStream,
  chainStart,
  evolve,
  findChainBreak,
  ImpossibleEvent,
  newAction,
  type Sha256,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { unsealActionEvent } from './unseal.ts';

export type Folded =
  | { readonly kind: 'folded'; readonly action: Action; readonly hash: string }
  | { readonly kind: 'broken'; readonly revision: number; readonly reason: string };

export function foldAction(
  sha256: Sha256,
  stream: string,
  recorded: readonly RecordedEvent[],
): Folded {
  const chainBreak = findChainBreak(sha256, stream, recorded);
  if (chainBreak !== undefined) {
    return { kind: 'broken', revision: chainBreak.revision, reason: chainBreak.what };
  }
  let action = newAction(actionOfStream(stream) ?? stream);
  let hash = chainStart(stream);
  for (const each of recorded) {
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
