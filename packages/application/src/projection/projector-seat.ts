// What the projector says of itself in a stream of the store: who has the seat, and up to where everything
// is published. Whoever compares the topics with the streams goes by it: what lies beyond may be on its way.
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';

export const projectorSeatStream = 'projector-seat';

export interface ProjectedPlace {
  /** Up to this position of the store everything is published. */
  readonly position: number;
  /** Under which the topics are written; rises when they are written anew. */
  readonly generation: number;
}

export interface SeatRecord extends ProjectedPlace {
  readonly holder: string;
  /** Wall-clock ms; 0 where it was left. */
  readonly until: number;
}

/** Undefined where it cannot be read. */
export function seatRecordOf({ data }: Pick<RecordedEvent, 'data'>): SeatRecord | undefined {
  try {
    const { holder, until, position, generation = 0 } = JSON.parse(data) as Partial<SeatRecord>;
    if (typeof holder !== 'string' || typeof until !== 'number') return undefined;
    if (!Number.isSafeInteger(position) || !Number.isSafeInteger(generation)) return undefined;
    return { holder, until, position: position as number, generation };
  } catch {
    return undefined;
  }
}

/** Undefined where nothing was ever published. @throws StoreFault */
export async function projectedPlace(
  store: Pick<EventStore, 'readStream'>,
): Promise<ProjectedPlace | undefined> {
  const last = (await store.readStream(projectorSeatStream)).at(-1);
  return last && seatRecordOf(last);
}
