// Turns at what only so many may do at once. Those who wait are taken tenant by tenant, each tenant's in the
// order in which they came: many of one tenant do not hold up the first of another.

export interface FairTurns {
  /** Resolves when it is its turn. @returns to be called once, when the turn is over */
  take(tenant: string): Promise<() => void>;
}

export function createFairTurns(atOnceMax: number): FairTurns {
  /** Tenants in the order of their next turns; none without somebody who waits. */
  const waiting = new Map<string, (() => void)[]>();
  let taken = 0;
  const end = (): void => {
    const next = nextOf(waiting);
    // The place is handed on, so that nobody who comes meanwhile gets in between.
    if (next === undefined) taken -= 1;
    else next();
  };
  return {
    take: async (tenant) => {
      if (taken < atOnceMax) taken += 1;
      else
        await new Promise<void>((resolve) => {
          const own = waiting.get(tenant);
          if (own === undefined) waiting.set(tenant, [resolve]);
          else own.push(resolve);
        });
      return end;
    },
  };
}

function nextOf(waiting: Map<string, (() => void)[]>): (() => void) | undefined {
  const [first] = waiting;
  if (first === undefined) return undefined;
  const [tenant, own] = first;
  const next = own.shift();
  waiting.delete(tenant);
  if (own.length > 0) waiting.set(tenant, own);
  return next;
}
