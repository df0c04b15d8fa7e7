// An event store as seen by a process that will be killed: once it is dead it writes and reads nothing
// more, and nothing that it has begun comes back. The store below lives on.
import { type EventStore } from '@action-ledger/event-store';

export interface MortalStore {
  readonly store: EventStore;
  readonly die: () => void;
}

export function createMortalStore(under: EventStore): MortalStore {
  const state = { isDead: false };
  const isDead = (): boolean => state.isDead;
  const alive = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (isDead()) return never();
    const result = await work();
    return isDead() ? never() : result;
  };
  return {
    store: {
      append: (stream, expected, events) => alive(() => under.append(stream, expected, events)),
      readStream: (stream, from) => alive(() => under.readStream(stream, from)),
      readAll: (options) => alive(() => under.readAll(options)),
      truncate: (cuts) => alive(() => under.truncate(cuts)),
      givenUp: (range) => alive(async () => (await under.givenUp?.(range)) ?? []),
      head: () => alive(() => under.head()),
      subscribe: (after, subscriber) => under.subscribe(after, subscriber),
      condition: () => under.condition(),
      close: async () => undefined,
    },
    die: () => {
      state.isDead = true;
    },
  };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
