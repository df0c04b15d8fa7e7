// Streams of actions that began before a time, each once, in the order of their first events.
import { unsealEvent } from '@action-ledger/codec';
import { actionOfStream } from '@action-ledger/domain';
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { readEvents } from '../record/read-events.ts';

/** @param onTime told the time of every event looked at */
export async function* oldStreams(
  store: EventStore,
  before: number,
  onTime: (at: number) => void,
): AsyncGenerator<string> {
  const through = await store.head();
  const seen = new Set<string>();
  for await (const batch of readEvents(store, { after: 0, through })) {
    for (const event of batch) {
      const at = timeOf(event);
      if (at !== undefined) onTime(at);
      // What follows has begun later, and so has every event after it.
      if (at !== undefined && at >= before) return;
      const begins = event.revision === 0 || event.type === 'ActionArchived';
      if (!begins || actionOfStream(event.stream) === undefined || seen.has(event.stream)) continue;
      seen.add(event.stream);
      yield event.stream;
    }
  }
}

function timeOf(event: RecordedEvent): number | undefined {
  try {
    const { at } = unsealEvent(event).metadata;
    return typeof at === 'number' ? at : undefined;
  } catch {
    return undefined;
  }
}
