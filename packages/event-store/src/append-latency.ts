// How long appends take, from being asked to being durable: plain numbers, for whoever looks at them.

export interface AppendLatency {
  /** By the upper bounds of `appendSeconds`, each alone; the last is of what took longer. */
  readonly counts: readonly number[];
  readonly sumSeconds: number;
}

/** Upper bounds in seconds. */
export const appendSeconds: readonly number[] = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5,
];

export interface LatencyCounter {
  readonly observe: (ms: number) => void;
  readonly read: () => AppendLatency;
}

export function createLatencyCounter(): LatencyCounter {
  const counts = appendSeconds.map(() => 0);
  counts.push(0);
  let sumSeconds = 0;
  return {
    observe: (ms) => {
      const seconds = ms / 1_000;
      let at = 0;
      while (seconds > (appendSeconds[at] ?? Infinity)) at += 1;
      counts[at] = (counts[at] ?? 0) + 1;
      sumSeconds += seconds;
    },
    read: () => ({ counts: [...counts], sumSeconds }),
  };
}
