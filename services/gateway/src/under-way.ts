// How many requests are being answered, of all and of each tenant, and when none is left.
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

export interface UnderWayOfTenants {
  enter(tenant: string): () => void;
  count(tenant: string): number;
}

export function createUnderWayOfTenants(): UnderWayOfTenants {
  const counts = new Map<string, number>();
  const count = (tenant: string): number => counts.get(tenant) ?? 0;
  return {
    enter: (tenant) => {
      counts.set(tenant, count(tenant) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = count(tenant) - 1;
        if (left > 0) counts.set(tenant, left);
        else counts.delete(tenant);
      };
    },
    count,
  };
}
