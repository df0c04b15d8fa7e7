// `action.state` over the store: the latest state of each action, at the offset of its last event.
// It is folded when it is read, because a stored copy would be a second truth that can go stale; a
// stream's earlier events give no record, which is what dropping older states looks like.
import { timeOfEvent } from '@action-ledger/codec';
import { actionTopics, type LogRecord } from '@action-ledger/event-log';
import { type EventStore, type RecordedEvent, StoreFault } from '@action-ledger/event-store';
import { type TopicView } from './topic-view.ts';
import { type EventView, pageOf } from './event-view.ts';
import { headersOf } from './record-of-event.ts';

/** Undefined where the stream has no state to be told: it is none of an action, or is broken. */
export type StateOf = (stream: string, events: readonly RecordedEvent[]) => Uint8Array | undefined;

export interface StateViewParts {
  readonly store: EventStore;
  readonly events: EventView;
  readonly stateOf: StateOf;
  readonly keyOf: (stream: string) => string;
}

/** One call must not fold without end: what is left comes with the next page. */
const foldsPerPage = 100;

export function createStateView({ store, events, stateOf, keyOf }: StateViewParts): TopicView {
  const stateAt = async (
    event: RecordedEvent,
    partition: number,
  ): Promise<LogRecord | undefined> => {
    const stream = await readStream(store, event.stream);
    // A later event will come by, and bring the state.
    if (stream.at(-1)?.position !== event.position) return undefined;
    const value = stateOf(event.stream, stream);
    if (value === undefined) return undefined;
    return {
      topic: actionTopics.state,
      partition,
      offset: event.position,
      key: keyOf(event.stream),
      value,
      headers: headersOf(event),
      timestamp: timeOfEvent(event),
    };
  };
  return {
    read: async ({ partition, from, max }) => {
      const page = await events.events(partition, Math.max(from, 1));
      const folds = Math.min(max, foldsPerPage);
      const last = lastOfEachStream(page.events).slice(0, folds);
      const states = await Promise.all(last.map((event) => stateAt(event, partition)));
      const records = states.filter((record) => record !== undefined);
      const through = last.length < folds ? page.through : (last.at(-1)?.position ?? page.through);
      return pageOf(records, { from, max: Infinity }, through);
    },
    end: (place) => events.end(place),
    waiting: (place, from) => events.waiting(place, from),
  };
}

/** In the order of positions. */
function lastOfEachStream(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const last = new Map(events.map((event) => [event.stream, event.position]));
  return events.filter(({ stream, position }) => last.get(stream) === position);
}

async function readStream(store: EventStore, stream: string): Promise<readonly RecordedEvent[]> {
  try {
    return await store.readStream(stream);
  } catch (error) {
    // It is quarantined where streams are checked; the others go on.
    if (error instanceof StoreFault && error.code === 'store.corrupt') return [];
    throw error;
  }
}
