// Every action of a ledger, folded from its stream in one pass over all events. Reads only; what a
// person may see of a damaged stream is the state before the damage.
import { unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  actionOfStream,
  evolve,
  ImpossibleEvent,
  newAction,
} from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

export interface FoldedLedger {
  /** In the order they were planned; names that were only reserved are left out. */
  readonly actions: readonly Action[];
  /** Of events that were read. */
  readonly events: number;
  /** Streams that cannot be read to their end, and why. */
  readonly broken: ReadonlyMap<string, string>;
}

const eventsPerRead = 5_000;

/** @param untilMs only events that were recorded at this time or before */
export async function foldLedger(store: EventStore, untilMs = Infinity): Promise<FoldedLedger> {
  const actions = new Map<string, Action>();
  const broken = new Map<string, string>();
  const later = new Set<string>();
  let events = 0;
  await readEverything(store, broken, (recorded) => {
    const { stream } = recorded;
    const actionId = actionOfStream(stream);
    if (actionId === undefined || broken.has(stream) || later.has(stream)) return;
    try {
      const { event, metadata, revision } = unsealActionEvent(recorded);
      if (metadata.at > untilMs) {
        later.add(stream);
        return;
      }
      events += 1;
      const before = actions.get(actionId) ?? newAction(actionId);
      actions.set(actionId, evolve(before, event, { revision, at: metadata.at }));
    } catch (error) {
      if (!(error instanceof ImpossibleEvent || error instanceof SyntaxError)) throw error;
      broken.set(stream, `revision ${recorded.revision}: ${error.message}`);
    }
  });
  const shown = [...actions.values()].filter(({ status }) => status !== 'reserved');
  return { actions: shown, events, broken };
}

/** Passes over rows that cannot be read, and says which streams they belong to. */
async function readEverything(
  store: EventStore,
  broken: Map<string, string>,
  onEvent: (event: RecordedEvent) => void,
): Promise<void> {
  for (let after = 0; ;) {
    try {
      const recorded = await store.readAll({ after, max: eventsPerRead });
      recorded.forEach(onEvent);
      const last = recorded.at(-1);
      if (last === undefined) return;
      after = last.position;
    } catch (error) {
      const damage = damageOf(error);
      if (damage === undefined || damage.through <= after) throw error;
      broken.set(damage.stream, `the row at position ${damage.position} cannot be read`);
      after = damage.through;
    }
  }
}

export interface Damage {
  readonly stream: string;
  readonly position: number;
  readonly through: number;
}

/** What a store says of a row that it cannot read. */
export function damageOf(error: unknown): Damage | undefined {
  if (!(error instanceof StoreFault) || error.code !== 'store.corrupt') return undefined;
  const { stream, position, through } = error.detail;
  return typeof stream === 'string' && typeof position === 'number' && typeof through === 'number'
    ? { stream, position, through }
    : undefined;
}
