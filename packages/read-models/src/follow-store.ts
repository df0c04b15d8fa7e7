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
import { foldWorkflows } from './workflow-folds.ts';

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
  readonly pace: Pace;
}

/** Large transactions write a page once for many actions, small ones keep the thread free. */
export interface Pace {
  /** Of one read. */
  readonly eventsMax: number;
  /** A transaction ends with the read that reaches so many. */
  readonly transactionEventsMin: number;
}

/** Where nobody waits for an answer. More events of one read are slower to collect as garbage. */
export const steadyPace: Pace = { eventsMax: 1_000, transactionEventsMin: 10_000 };
/** Where this thread also serves calls: steps of about 1 ms. */
export const servingPace: Pace = { eventsMax: 100, transactionEventsMin: 1 };

/** The database is its owner's to close, and this one's alone to write. */
export function createFollower(parts: FollowerParts): ViewsFollower {
  const { db, store, pace } = parts;
  const facts = createFacts(db);
  const writer = createViewsWriter(db, parts.matchesOf);
  const folds = createActionFolds(store);
  /** Up to where the folds have followed; -1 where that is not sure. */
  let known = -1;

  const advance = async (sides: readonly NumberedSideEntry[]): Promise<number> => {
    let { position } = facts.reached();
    if (position !== known) folds.forget();
    known = -1;
    if (sides.length > 0) {
      begin(db);
      writer.writeSideEntries(sides);
    }
    let written = 0;
    let max = Math.min(firstEventsMax, pace.eventsMax);
    for (;;) {
      const { events, reached } = await readOn(store, position, max);
      if (reached.position === position) break;
      max = nextMax(max, events, pace);
      const actions = await folds.apply(events);
      const workflows = await foldWorkflows(store, events);
      begin(db);
      writer.write({ actions, workflows, reached });
      ({ position } = reached);
      written += events.length;
      if (written >= pace.transactionEventsMin) {
        db.exec('commit');
        written = 0;
      }
      await nextTurn();
    }
    if (db.isTransaction) db.exec('commit');
    known = position;
    return position;
  };

  return {
    advance: async (sides) => {
      try {
        return await advance(sides);
      } catch (error) {
        if (db.isTransaction) db.exec('rollback');
        throw error;
      }
    },
    close: async () => undefined,
  };
}

/** Events may be large: then fewer are read at a time. */
function nextMax(max: number, events: readonly RecordedEvent[], { eventsMax }: Pace): number {
  let characters = 0;
  for (const { data } of events) characters += data.length;
  return characters > charactersOfReadMax
    ? Math.max(1, Math.floor(max / 4))
    : Math.min(max * 2, eventsMax);
}

const firstEventsMax = 100;
const charactersOfReadMax = 4 * 1024 * 1024;

function begin(db: DatabaseSync): void {
  if (!db.isTransaction) db.exec('begin immediate');
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
