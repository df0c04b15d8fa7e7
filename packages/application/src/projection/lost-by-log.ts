// What the log has told of and the store does not hold: then the store went back in time behind its topics (a
// backup was put back, an end was lost), or is another one, and its revisions and positions are given again to
// other events. Only what was written under the highest generation counts: what lies below was replaced.
import {
  actionTopics,
  type EventLog,
  type EventPlace,
  eventPlaceOf,
} from '@action-ledger/event-log';
import { type EventStore, type Loss, stillHolds } from '@action-ledger/event-store';

export interface LogAndStore {
  readonly store: Pick<EventStore, 'readStream' | 'head'>;
  readonly log: Pick<EventLog, 'newest'>;
}

export interface ToldByLog {
  /** Undefined where the topics are new. */
  readonly generation: number | undefined;
  /** Undefined where everything that was told last is in the store. */
  readonly lost: Loss | undefined;
}

interface Told extends EventPlace {
  /** Of its event, wall-clock ms; 0 where it is not known. */
  readonly timestamp: number;
}

const topics = [actionTopics.events, actionTopics.state];

/** @throws LogFault; StoreFault */
export async function toldByLog({ store, log }: LogAndStore): Promise<ToldByLog> {
  const newest: readonly Told[] = (await log.newest(topics)).flatMap((record) => {
    const place = eventPlaceOf(record);
    return place === undefined ? [] : [{ ...place, timestamp: record.timestamp }];
  });
  if (newest.length === 0) return { generation: undefined, lost: undefined };
  const generation = Math.max(...newest.map(generationOf));
  const gone: Told[] = [];
  for (const place of newest)
    if (generationOf(place) === generation && !(await isThere(store, place))) gone.push(place);
  return { generation, lost: await lossOf(store, gone) };
}

/**
 * Before anything is done over them: where the log has told of more, the store is recovering from now on.
 * @throws LogFault; StoreFault
 */
export async function noteToldByLog(
  ports: LogAndStore & { readonly store: Pick<EventStore, 'noteLoss'> },
): Promise<void> {
  const { lost } = await toldByLog(ports);
  if (lost !== undefined) await ports.store.noteLoss?.(lost);
}

function generationOf({ generation = 0 }: EventPlace): number {
  return generation;
}

function isThere(
  store: LogAndStore['store'],
  { stream, revision, eventId }: EventPlace,
): Promise<boolean> {
  return stillHolds(store, { stream, revision, id: eventId });
}

async function lossOf(
  store: LogAndStore['store'],
  gone: readonly Told[],
): Promise<Loss | undefined> {
  if (gone.length === 0) return undefined;
  const head = await store.head();
  const last = Math.max(...gone.map(({ position }) => position));
  const recordedAt = Math.max(...gone.map(({ timestamp }) => timestamp));
  return {
    first: Math.min(head + 1, last),
    last,
    reason: `The log has told of position ${last}, which the store does not hold: it went back in time, or is another one.`,
    ...(recordedAt > 0 ? { recordedAt } : {}),
  };
}
