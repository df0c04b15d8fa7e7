// Every action of a ledger, folded from its stream in one pass over all events. Reads only; what a
// person may see of a damaged stream is the state before the damage.
import { readEvents } from '@action-ledger/application';
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  actionOfStream,
  chainBefore,
  evolve,
  findChainBreak,
  ImpossibleEvent,
  newAction,
  type Sha256,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';

export interface FoldedLedger {
  /** In the order they were planned; names that were only reserved are left out. */
  readonly actions: readonly Action[];
  /** Events of actions that were folded. */
  readonly events: number;
  /** Planned by then and archived later: what they were at that time is in their archive. */
  readonly archivedSince: number;
  /** Streams that cannot be read to their end, and why. */
  readonly broken: ReadonlyMap<string, string>;
}

export interface FoldOptions {
  /** Only events that were recorded at this time or before. */
  readonly untilMs?: number;
  /** Follows the hash chain of every stream too. */
  readonly sha256?: Sha256;
}

export async function foldLedger(
  store: EventStore,
  { untilMs = Infinity, sha256 }: FoldOptions = {},
): Promise<FoldedLedger> {
  const actions = new Map<string, Action>();
  const broken = new Map<string, string>();
  const over = new Set<string>();
  const hashes = new Map<string, string>();
  let events = 0;
  let archivedSince = 0;
  const fold = (recorded: RecordedEvent): void => {
    const { stream } = recorded;
    const actionId = actionOfStream(stream);
    if (actionId === undefined || over.has(stream)) return;
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      if (sha256 !== undefined) {
        const hash = hashes.get(stream);
        const from =
          hash === undefined ? chainBefore(stream, recorded) : { revision: revision - 1, hash };
        const found = findChainBreak(sha256, stream, [recorded], from);
        if (found !== undefined) throw new SyntaxError(found.what);
        hashes.set(stream, metadata.hash);
      }
      if (metadata.at > untilMs) {
        over.add(stream);
        if (isArchivedSince(event, actions.has(actionId), untilMs)) archivedSince += 1;
        return;
      }
      const before = actions.get(actionId) ?? newAction(actionId);
      actions.set(actionId, evolve(before, event, { revision, at: metadata.at }));
      events += 1;
    } catch (error) {
      if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
      over.add(stream);
      broken.set(stream, `revision ${recorded.revision}: ${error.message}`);
    }
  };
  const batches = readEvents(store, {
    after: 0,
    onDamaged: ({ stream, reason }) => {
      over.add(stream);
      broken.set(stream, reason);
    },
  });
  for await (const batch of batches) batch.forEach(fold);
  const shown = [...actions.values()].filter(({ status }) => status !== 'reserved');
  return { actions: shown, events, archivedSince, broken };
}

function isArchivedSince({ type, data }: ActionEvent, isKnown: boolean, untilMs: number): boolean {
  return type === 'ActionArchived' && !isKnown && (data.state.plannedAt ?? 0) <= untilMs;
}
