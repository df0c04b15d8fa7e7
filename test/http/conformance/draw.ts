// What is drawn from one seed: the same seed draws the same, in the same order.
import { seededRandom } from '@action-ledger/testkit';

export interface Draw {
  /** In [0, 1). */
  readonly next: () => number;
  readonly chance: (probability: number) => boolean;
  /** @returns a whole number from 0, below `below` */
  readonly int: (below: number) => number;
  readonly one: <Value>(of: readonly Value[]) => Value;
}

export function drawFrom(seed: number): Draw {
  const next = seededRandom(seed);
  const int = (below: number): number => Math.floor(next() * below);
  return {
    next,
    chance: (probability) => next() < probability,
    int,
    one: (of) => {
      if (of.length === 0) throw new Error('there is nothing to draw from');
      return of[int(of.length)] as (typeof of)[number];
    },
  };
}
