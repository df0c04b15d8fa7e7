// How many requests are being answered, and when none is left.
export interface UnderWay {
  /** @returns to be called when the request is over; again, it does nothing */
  enter(): () => void;
  count(): number;
  /** Resolves when nothing is under way. */
  none(): Promise<void>;
}

export function createUnderWay(): UnderWay {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    enter: () => {
      count += 1;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        count -= 1;
        if (count > 0) return;
        for (const resolve of waiting) resolve();
        waiting.clear();
      };
    },
    count: () => count,
    none: () =>
      count === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.add(resolve);
          }),
  };
}
