// A projection is the fold of its streams: what was followed event by event, held against the streams as they
// are stored in the end, of which some begin with the state that was archived.
import { unsealActionEvent } from '@action-ledger/codec';
import { type Action, actionOfStream, evolve, newAction } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';

const pageMax = 1_000;

/** @param onArchived told of each stream that begins with what was archived */
export async function foldsAsFollowed(
  store: EventStore,
  followed: ReadonlyMap<string, Action>,
  onArchived: () => void,
): Promise<readonly string[]> {
  const folded = new Map<string, Action>();
  const impossible: string[] = [];
  const fold = (event: RecordedEvent): void => {
    try {
      foldInto(folded, event, onArchived);
    } catch (error) {
      impossible.push(`${event.stream} ${event.revision}: ${String(error)}`);
    }
  };
  for (let after = 0; ;) {
    const page = await store.readAll({ after, max: pageMax });
    page.forEach(fold);
    after = page.at(-1)?.position ?? after;
    if (page.length < pageMax) break;
  }
  const ids = new Set([...folded.keys(), ...followed.keys()]);
  const differing = [...ids].filter(
    (id) => JSON.stringify(folded.get(id)) !== JSON.stringify(followed.get(id)),
  );
  return [
    ...impossible,
    ...differing.map((id) => `${id}: its stream does not fold to what was followed`),
  ];
}

export function foldInto(
  actions: Map<string, Action>,
  recorded: RecordedEvent,
  onArchived?: () => void,
): void {
  const id = actionOfStream(recorded.stream);
  if (id === undefined) return;
  const { event, metadata, revision } = unsealActionEvent(recorded);
  const before = actions.get(id);
  if (before === undefined && event.type === 'ActionArchived') onArchived?.();
  actions.set(id, evolve(before ?? newAction(id), event, { revision, at: metadata.at }));
}
