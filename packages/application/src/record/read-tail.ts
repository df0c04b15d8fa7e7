// The last events of a store, looked at when a core opens; the rest is verified in the background, or by
// `verify`.
import { type EventStore, type RecordedEvent } from '@action-ledger/event-store';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { readEvents } from './read-events.ts';

export interface StoreTail {
  /** The tail begins after this position. */
  readonly after: number;
  /** Everything up to here was looked at. */
  readonly through: number;
  /** The last revision seen of each stream; -1 where it cannot be read. */
  readonly ends: ReadonlyMap<string, number>;
  /** First events of streams, and those with which a stream may begin. */
  readonly firsts: readonly RecordedEvent[];
}

/** Looked at when the ledger opens. */
const tailEvents = 1_000;

export async function readTail(store: EventStore, clock: LedgerClock): Promise<StoreTail> {
  const after = Math.max(0, (await store.head()) - tailEvents);
  const ends = new Map<string, number>();
  const firsts: RecordedEvent[] = [];
  let through = after;
  for await (const batch of readEvents(store, {
    after,
    onDamaged: ({ stream }) => ends.set(stream, -1),
  })) {
    for (const event of batch) {
      ends.set(event.stream, Math.max(event.revision, ends.get(event.stream) ?? -1));
      if (event.revision === 0 || event.type === 'ActionArchived') firsts.push(event);
      clock.observe(timeOf(event.metadata));
      through = event.position;
    }
  }
  return { after, through, ends, firsts };
}

/** 0 where the metadata is damaged: then its stream is found broken when it is loaded. */
function timeOf(metadata: string): number {
  try {
    return (JSON.parse(metadata) as { readonly at: number }).at;
  } catch {
    return 0;
  }
}
