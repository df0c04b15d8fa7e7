// A command from a stale page is refused with what its author has not seen: the events since then, so
// that nobody has to look twice.
import { unsealEvent } from '@action-ledger/codec';
import { type JsonObject, type Refusal } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';

/** The newest of them; how many there were in between, the revisions tell. */
const toldMax = 20;

const staleCodes: ReadonlySet<string> = new Set([
  'action.stale-revision',
  'workflow.stale-revision',
]);

/** @returns the refusal, of a stale command with `since` in its detail: the events after the revision seen */
export async function withWhatHappened<Code extends string>(
  store: Pick<EventStore, 'readStream'>,
  stream: string,
  seen: number,
  refused: Refusal<Code>,
): Promise<Refusal<Code>> {
  if (!staleCodes.has(refused.code)) return refused;
  const events = await store.readStream(stream);
  const since = events
    .filter(({ revision }) => revision > seen)
    .slice(-toldMax)
    .map((stored): JsonObject => {
      const { metadata, event } = unsealEvent(stored);
      const { at, by } = metadata;
      return {
        revision: stored.revision,
        type: event.type,
        at,
        ...(by === undefined ? {} : { by }),
      };
    });
  return { ...refused, detail: { ...refused.detail, seen, since } };
}
