// Where publishing begins: at the place on record, where what was published last is in the store as it was
// published. Where it is not, the store went back in time: that is noted first, and then the topics are written
// anew, everything, as another generation, so that consumers take it for newer. So it is where they were not
// written to the end.
import { type ProjectedPlace, toldByLog } from '@action-ledger/application';
import { type EventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';

export interface BeginDeps {
  readonly store: Pick<EventStore, 'readStream' | 'head' | 'noteLoss'>;
  readonly log: Pick<EventLog, 'newest'>;
}

/**
 * To be asked once nobody else can publish any more.
 * @throws LogFault; StoreFault
 */
export async function whereToBegin(
  { store, log }: BeginDeps,
  known: ProjectedPlace,
): Promise<ProjectedPlace> {
  const { generation, lost } = await toldByLog({ store, log });
  // The topics are new: nobody has seen more than this store has.
  if (generation === undefined) return { ...known, position: 0 };
  // Once they are written anew, nothing tells of it any more.
  if (lost !== undefined) await store.noteLoss?.(lost);
  if (generation === known.generation && lost === undefined) return known;
  return { position: 0, generation: Math.max(generation, known.generation) + 1 };
}
