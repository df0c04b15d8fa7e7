// What the gateway reads of the events themselves: the history of an action, and what is appended from
// now on. Any event store fits.
import { type EventStore } from '@action-ledger/event-store';

export type Feed = Pick<EventStore, 'readStream' | 'readAll' | 'subscribe' | 'head' | 'condition'>;
