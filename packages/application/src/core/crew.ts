// The workers that act on one store: whose claims are left behind, and whether others append beside this
// one. Alone on its store (one process at a time has a file) whoever is not of the crew is gone; where
// several processes share a store nobody can tell, and the lease decides.

export interface Crew {
  join(worker: string): void;
  leave(worker: string): void;
  /** It will never come back to what it has claimed. */
  isGone(worker: string): boolean;
  /** Others append to the same streams: what is kept in memory may be behind. */
  readonly isShared: () => boolean;
}

/** Of the one process that has the store: every core in it joins the same crew. */
export function createCrew(): Crew {
  const members = new Set<string>();
  return {
    join: (worker) => {
      members.add(worker);
    },
    leave: (worker) => {
      members.delete(worker);
    },
    isGone: (worker) => !members.has(worker),
    isShared: () => members.size > 1,
  };
}

/** Where other processes act on the store too. */
export const amongProcesses: Crew = {
  join: () => undefined,
  leave: () => undefined,
  isGone: () => false,
  isShared: () => true,
};
