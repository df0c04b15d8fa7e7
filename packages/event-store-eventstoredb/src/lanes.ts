// Appends to one stream go one after the other, in the order in which they were given; those to others
// do not wait for them.

export interface Lanes {
  run<Result>(stream: string, work: () => Promise<Result>): Promise<Result>;
  /** Resolves once everything that was given is done. */
  idle(): Promise<void>;
}

export function createLanes(): Lanes {
  const ends = new Map<string, Promise<unknown>>();
  return {
    run: (stream, work) => {
      const before = ends.get(stream);
      const result = before === undefined ? work() : before.then(work);
      const end = result
        .catch(() => undefined)
        .finally(() => {
          if (ends.get(stream) === end) ends.delete(stream);
        });
      ends.set(stream, end);
      return result;
    },
    idle: async () => {
      await Promise.all(ends.values());
    },
  };
}
