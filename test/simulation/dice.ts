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
  const start = mixed(newLanes(), `${seed}|`);
  const of: Dice['of'] = (...what) => {
    const lanes = { ...start };
    for (let nth = 0; nth < what.length; nth += 1) {
      if (nth > 0) mixed(lanes, '|');
      mixed(lanes, String(what[nth]));
    }
    return fractionOf(lanes);
  };
  return {
    of,
    between: (low, high, ...what) => low + Math.floor(of(...what) * (high - low + 1)),
    pick: (items, ...what) => items[Math.floor(of(...what) * items.length)] ?? items[0],
  };
}

/** Two 32-bit lanes over a text, mixed at the end: enough to spread, not to keep secrets. */
interface Lanes {
  high: number;
  low: number;
}

function newLanes(): Lanes {
  return { high: 0x9e3779b9, low: 0x85ebca6b };
}

function mixed(lanes: Lanes, text: string): Lanes {
  let { high, low } = lanes;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x27d4eb2f);
    low = Math.imul(low ^ code, 0x165667b1);
  }
  lanes.high = high;
  lanes.low = low;
  return lanes;
}

function fractionOf({ high: upper, low: lower }: Lanes): number {
  let [high, low] = [upper, lower];
  high = Math.imul(high ^ (high >>> 15), 0x85ebca77) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae3d);
  low = Math.imul(low ^ (low >>> 16), 0x2c1b3c6d) ^ Math.imul(high ^ (high >>> 15), 0x297a2d39);
  return ((high >>> 0) * 2 ** 21 + ((low >>> 0) >>> 11)) / 2 ** 53;
}
