// Chance from one seed: a number is a hash of the seed and of what it is drawn for. So whatever runs first,
// and whichever faults are left out, the same thing meets the same chance.

export interface Dice {
  /** In [0, 1); equal for equal arguments. */
  readonly of: (...what: readonly (string | number)[]) => number;
  /** Integers, both bounds within. */
  readonly between: (low: number, high: number, ...what: readonly (string | number)[]) => number;
  readonly pick: <Item>(
    items: readonly [Item, ...Item[]],
    ...what: readonly (string | number)[]
  ) => Item;
}

export function createDice(seed: number): Dice {
  const of: Dice['of'] = (...what) => hashOf(`${seed}|${what.join('|')}`);
  return {
    of,
    between: (low, high, ...what) => low + Math.floor(of(...what) * (high - low + 1)),
    pick: (items, ...what) => items[Math.floor(of(...what) * items.length)] ?? items[0],
  };
}

/** Two 32-bit lanes over the text, mixed at the end: enough to spread, not to keep secrets. */
function hashOf(text: string): number {
  let high = 0x9e3779b9;
  let low = 0x85ebca6b;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x27d4eb2f);
    low = Math.imul(low ^ code, 0x165667b1);
  }
  high = Math.imul(high ^ (high >>> 15), 0x85ebca77) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae3d);
  low = Math.imul(low ^ (low >>> 16), 0x2c1b3c6d) ^ Math.imul(high ^ (high >>> 15), 0x297a2d39);
  return ((high >>> 0) * 2 ** 21 + ((low >>> 0) >>> 11)) / 2 ** 53;
}
