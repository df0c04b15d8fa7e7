// What falls due, the first one at hand: a binary heap. Whoever is no longer wanted stays in it until it
// would be next.

export interface Due<Item> {
  readonly add: (item: Item) => void;
  readonly first: () => Item | undefined;
  readonly takeFirst: () => void;
  /** Of those in it. */
  readonly count: (isCounted: (item: Item) => boolean) => number;
}

/** @param isEarlier a strict order: no two items are alike in it */
export function createDue<Item>(isEarlier: (one: Item, other: Item) => boolean): Due<Item> {
  const heap: Item[] = [];
  return {
    first: () => heap[0],
    count: (isCounted) => heap.filter(isCounted).length,
    add: (item) => {
      let at = heap.length;
      while (at > 0) {
        const above = (at - 1) >> 1;
        const parent = heap[above] as Item;
        if (!isEarlier(item, parent)) break;
        heap[at] = parent;
        at = above;
      }
      heap[at] = item;
    },
    takeFirst: () => {
      const last = heap.pop();
      if (last === undefined || heap.length === 0) return;
      let at = 0;
      for (let below = 1; below < heap.length; below = 2 * at + 1) {
        const right = below + 1;
        const isRight = right < heap.length && isEarlier(heap[right] as Item, heap[below] as Item);
        const next = isRight ? right : below;
        const child = heap[next] as Item;
        if (!isEarlier(child, last)) break;
        heap[at] = child;
        at = next;
      }
      heap[at] = last;
    },
  };
}
