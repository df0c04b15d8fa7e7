// A store that counts the appends through it, and how long they take: for stores that do not count themselves.
import { type AppendLatency, createLatencyCounter } from './append-latency.ts';
import { type EventStore } from './event-store.ts';

export interface CountedStore {
  readonly store: EventStore;
  /** Those that resolved, conflicts among them: each was a write that was asked for. */
  readonly appends: () => number;
  readonly latency: () => AppendLatency;
}

export function countAppends(store: EventStore, monoMs: () => number): CountedStore {
  const latency = createLatencyCounter();
  let appends = 0;
  return {
    appends: () => appends,
    latency: latency.read,
    store: {
      ...store,
      append: async (stream, expected, events) => {
        const beganMs = monoMs();
        const result = await store.append(stream, expected, events);
        appends += 1;
        latency.observe(monoMs() - beganMs);
        return result;
      },
    },
  };
}
