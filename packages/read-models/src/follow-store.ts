// Brings a views file up to what the store holds: reads what lies after its position, folds it and
// writes it, batch by batch. At the start from the beginning, later from where it stands.
import { type Action } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type DatabaseSync } from 'node:sqlite';
import { createActionFolds } from './action-folds.ts';
import { type MatchKey } from './action-index.ts';
import { type NumberedSideEntry } from './side-entry.ts';
import { createFacts, type Reached } from './views-facts.ts';
import { createViewsWriter } from './views-writer.ts';

export interface ViewsFollower {
  /**
   * Writes the side entries and everything that the store holds by now.
   * @returns the position reached: nothing stored before the call lies after it
   */
  advance(sides: readonly NumberedSideEntry[]): Promise<number>;
  close(): Promise<void>;
}

export interface FollowerParts {
  readonly db: DatabaseSync;
  readonly store: Pick<EventStore, 'readAll' | 'readStream'>;
  readonly matchesOf: (action: Action) => readonly MatchKey[];
  /** Events of one read and one transaction. */
  readonly eventsMax: number;
}

/** The database is its owner's to close. */
export function createFollower(parts: FollowerParts): ViewsFollower {
  const { db, store, eventsMax } = parts;
  const facts = createFacts(db);
  const writer = createViewsWriter(db, parts.matchesOf);
  const folds = createActionFolds(store);
  /** Up to where the folds have followed; -1 where that is not sure. */
  let known = -1;

  return {
    advance: async (sides) => {
      writer.writeSideEntries(sides);
      let { position } = facts.reached();
      if (position !== known) folds.forget();
      for (;;) {
        const read = await readOn(store, position, eventsMax);
        if (read.reached.position === position) return position;
        known = -1;
        writer.write({ actions: await folds.apply(read.events), reached: read.reached });
        ({ position } = read.reached);
        known = position;
        await nextTurn();
      }
    },
    close: async () => undefined,
  };
}

/** What cannot be read is passed over: the fault says where it ends. */
async function readOn(
  store: Pick<EventStore, 'readAll'>,
  after: number,
  max: number,
): Promise<{ readonly events: readonly RecordedEvent[]; readonly reached: Reached }> {
  try {
    const events = await store.readAll({ after, max });
    const last = events.at(-1);
    if (last === undefined) return { events, reached: { position: after } };
    const { position, id } = last;
    return { events, reached: { position, seen: { position, id } } };
  } catch (error) {
    const through = error instanceof StoreFault ? error.detail['through'] : undefined;
    if (typeof through !== 'number' || through <= after) throw error;
    return { events: [], reached: { position: through } };
  }
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
