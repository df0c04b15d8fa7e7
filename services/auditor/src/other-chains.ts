// The chains of streams that are neither actions nor workflows (pauses, keys, tools, breaches …), followed
// from event to event as a pass reads them: they are never read whole, however long.
import { type BrokenRecord } from '@action-ledger/application';
import {
  actionOfStream,
  type ChainPlace,
  findChainBreak,
  type Sha256,
  unsealMetadata,
  workflowOfStream,
} from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';

/** @returns what is broken in these, of each stream only the first */
export type OtherChains = (events: readonly RecordedEvent[]) => readonly BrokenRecord[];

/** To be given events in their order, from anywhere; some may come again. */
export function createOtherChains(sha256: Sha256): OtherChains {
  const ends = new Map<string, ChainPlace | 'broken'>();
  const follow = (event: RecordedEvent): readonly BrokenRecord[] => {
    const { stream, revision, metadata } = event;
    const before = ends.get(stream);
    if (before === 'broken' || isCheckedByItself(stream)) return [];
    if (before !== undefined && revision <= before.revision) return [];
    // What came before it was followed by a pass that was ended.
    const isLater = before === undefined && revision > 0;
    const found = isLater ? undefined : findChainBreak(sha256, stream, [event], before);
    if (found === undefined) {
      ends.set(stream, { revision, hash: unsealMetadata(metadata)?.hash ?? '' });
      return [];
    }
    ends.set(stream, 'broken');
    const detail = `revision ${found.revision}: ${found.what}`;
    return [{ stream, invariant: 'chain-holds', detail }];
  };
  return (events) => events.flatMap(follow);
}

function isCheckedByItself(stream: string): boolean {
  return actionOfStream(stream) !== undefined || workflowOfStream(stream) !== undefined;
}
