// What has one key is done in its order, what has different keys side by side, within a bound. What has no
// key has no order.

/**
 * Begins nothing more once `mayGoOn` says no.
 * @param act it must not throw; false: what follows under its key is left
 */
export async function inLanes<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { lanesMax, mayGoOn }: { readonly lanesMax: number; readonly mayGoOn: () => boolean },
  act: (item: Item) => Promise<boolean>,
): Promise<void> {
  const waiting = lanesOf(items, keyOf).values();
  const run = async (): Promise<void> => {
    for (const lane of waiting)
      for (const item of lane) if (!mayGoOn() || !(await act(item))) break;
  };
  await Promise.all(Array.from({ length: lanesMax }, run));
}

/** In the order of their first items. */
function lanesOf<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  const lanes: Item[][] = [];
  const byKey = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const known = key === '' ? undefined : byKey.get(key);
    if (known !== undefined) {
      known.push(item);
      continue;
    }
    const lane = [item];
    lanes.push(lane);
    byKey.set(key, lane);
  }
  return lanes;
}
