// Brings a views file up to what the store holds: reads what lies after its position, folds it and
// writes it, batch by batch. At the start from the beginning, later from where it stands.
import { type Action } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type DatabaseSync } from 'node:sqlite';
import { createActionFolds, type FoldedAction } from './action-folds.ts';
import { type MatchKey } from './action-index.ts';
import { type NumberedSideEntry } from './side-entry.ts';
import { createFacts, type Reached } from './views-facts.ts';
import { createViewsWriter } from './views-writer.ts';
import { type FoldedWorkflow, foldWorkflows } from './workflow-folds.ts';

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

/** Large transactions write an action and a page once for many events, small ones keep the thread free. */
export interface Pace {
  /** Of one read. */
  readonly eventsMax: number;
  /** What was read is written with the read that reaches so many. */
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
      db.exec('begin immediate');
      writer.writeSideEntries(sides);
    }
    let unwritten = nothingRead();
    const write = (reached: Reached): void => {
      if (!db.isTransaction) db.exec('begin immediate');
      const { actions, workflows } = unwritten;
      writer.write({ actions: actions.values(), workflows: workflows.values(), reached });
      db.exec('commit');
      unwritten = nothingRead();
    };
    let max = Math.min(firstEventsMax, pace.eventsMax);
    for (let last: Reached = { position }; ;) {
      const { events, reached } = await readOn(store, position, max);
      if (reached.position === position) {
        if (unwritten.events > 0) write(last);
        break;
      }
      const characters = charactersOf(events);
      max = nextMax(max, characters, pace);
      // An action that moves again before it is written is written once.
      for (const each of await folds.apply(events)) unwritten.actions.set(each.position, each);
      for (const each of await foldWorkflows(store, events))
        unwritten.workflows.set(each.position, each);
      unwritten.events += Math.max(1, events.length);
      unwritten.characters += characters;
      ({ position } = reached);
      last = reached.seen === undefined ? { ...last, position } : reached;
      if (isToBeWritten(unwritten, pace)) write(last);
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

/** Read and folded, and not in the file yet. */
interface Unwritten {
  /** By the position of their first event. */
  readonly actions: Map<number, FoldedAction>;
  readonly workflows: Map<number, FoldedWorkflow>;
  events: number;
  characters: number;
}

function nothingRead(): Unwritten {
  return { actions: new Map(), workflows: new Map(), events: 0, characters: 0 };
}

function isToBeWritten({ events, characters }: Unwritten, pace: Pace): boolean {
  return events >= pace.transactionEventsMin || characters > charactersUnwrittenMax;
}

function charactersOf(events: readonly RecordedEvent[]): number {
  let characters = 0;
  for (const { data } of events) characters += data.length;
  return characters;
}

/** Events may be large: then fewer are read at a time. */
function nextMax(max: number, characters: number, { eventsMax }: Pace): number {
  return characters > charactersOfReadMax
    ? Math.max(1, Math.floor(max / 4))
    : Math.min(max * 2, eventsMax);
}

const firstEventsMax = 100;
const charactersOfReadMax = 4 * 1024 * 1024;
const charactersUnwrittenMax = 16 * 1024 * 1024;

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
