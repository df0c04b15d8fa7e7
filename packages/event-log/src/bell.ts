// Lets one waiter sleep until something has happened, without missing what happened just before.

export interface Bell {
  readonly ring: () => void;
  readonly rings: () => number;
  /** Resolves once the bell has rung more often than `heard`; at once where it already has. */
  readonly after: (heard: number) => Promise<void>;
}

export function createBell(): Bell {
  let rings = 0;
  let waiting: (() => void)[] = [];
  return {
    ring: () => {
      rings += 1;
      const woken = waiting;
      waiting = [];
      for (const resume of woken) resume();
    },
    rings: () => rings,
    after: (heard) =>
      rings > heard
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
