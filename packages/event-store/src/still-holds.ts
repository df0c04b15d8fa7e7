// Whether a store still holds an event that it was seen to hold. Where it does not, it went back in time, or
// is another one.
import { type EventStore, type RecordedEvent } from './event-store.ts';
import { StoreFault } from './store-fault.ts';

export type SeenEvent = Pick<RecordedEvent, 'stream' | 'revision' | 'id'>;

/** @throws StoreFault where it does not answer */
export async function stillHolds(
  store: Pick<EventStore, 'readStream'>,
  { stream, revision, id }: SeenEvent,
): Promise<boolean> {
  try {
    const [event] = await store.readStream(stream, revision);
    // What comes before the first event that is left was given up.
    return event !== undefined && (event.id === id || event.revision > revision);
  } catch (fault) {
    // Damaged, and so there.
    if (fault instanceof StoreFault && fault.code === 'store.corrupt') return true;
    throw fault;
  }
}
