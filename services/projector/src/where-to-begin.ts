// Where publishing begins: at the place on record, where what was published last is in the store as it was
// published. Where it is not, the store went back in time (a backup was put back, an end was lost), and its
// revisions and positions are given again to other events: then the topics are written anew, everything, as
// another generation, so that consumers take it for newer. So it is where they were not written to the end.
import { type ProjectedPlace } from '@action-ledger/application';
import {
  actionTopics,
  type EventLog,
  type EventPlace,
  eventPlaceOf,
} from '@action-ledger/event-log';
import { type EventStore, StoreFault } from '@action-ledger/event-store';

export interface BeginDeps {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly log: Pick<EventLog, 'newest'>;
}

const topics = [actionTopics.events, actionTopics.state];

/**
 * To be asked once nobody else can publish any more.
 * @throws LogFault; StoreFault
 */
export async function whereToBegin(
  { store, log }: BeginDeps,
  known: ProjectedPlace,
): Promise<ProjectedPlace> {
  const newest = (await log.newest(topics)).flatMap((record) => eventPlaceOf(record) ?? []);
  // The topics are new: nobody has seen more than this store has.
  if (newest.length === 0) return { ...known, position: 0 };
  const generation = Math.max(...newest.map(generationOf));
  const ofThisStore = newest.filter((place) => generationOf(place) === generation);
  if (generation === known.generation && (await areStored(store, ofThisStore))) return known;
  return { position: 0, generation: Math.max(generation, known.generation) + 1 };
}

function generationOf({ generation = 0 }: EventPlace): number {
  return generation;
}

async function areStored(
  store: BeginDeps['store'],
  places: readonly EventPlace[],
): Promise<boolean> {
  for (const place of places) if (!(await isStored(store, place))) return false;
  return true;
}

async function isStored(
  store: BeginDeps['store'],
  { stream, revision, eventId }: EventPlace,
): Promise<boolean> {
  try {
    const [event] = await store.readStream(stream, revision);
    // What comes before the first event that is left was given up.
    return event !== undefined && (event.id === eventId || event.revision > revision);
  } catch (fault) {
    // Damaged, and so there.
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return true;
    throw fault;
  }
}
