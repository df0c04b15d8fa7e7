// What was set lately, within a budget. Two maps: a full one takes the place of the older one, whose
// entries go all at once. An entry that is only read does not become newer; that and dropping entries
// one by one is what a least-recently-used cache costs most for.

export interface RecentMap<Value> {
  get(key: string): Value | undefined;
  /** @param size of the entry, in the unit of the budget */
  set(key: string, value: Value, size?: number): void;
  delete(key: string): void;
}

/** Keeps at least the last half of the budget, at most the whole. */
export function createRecentMap<Value>(budget: {
  readonly entriesMax: number;
  readonly sizeMax?: number;
}): RecentMap<Value> {
  const entriesMax = budget.entriesMax / 2;
  const sizeMax = (budget.sizeMax ?? Infinity) / 2;
  let newer = new Map<string, Value>();
  let older = new Map<string, Value>();
  let size = 0;
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set: (key, value, entrySize = 0) => {
      newer.set(key, value);
      // A value that is set again counts again: the sum may be too high, never too low.
      size += entrySize;
      if (newer.size < entriesMax && size < sizeMax) return;
      older = newer;
      newer = new Map();
      size = 0;
    },
    delete: (key) => {
      newer.delete(key);
      older.delete(key);
    },
  };
}
