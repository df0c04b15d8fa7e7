// What goes wrong in a run, and who is there to see it. Every fault that strikes has a name of its own, so
// that a run can be repeated without some of them, and counts towards its kind.
import { type Dice } from './dice.ts';

export const faultKinds = [
  'append: lost on the way',
  'append: stored, answer lost',
  'append: stored, conflict told',
  'append: answered late',
  'read: failed',
  'store: away',
  'store: restored',
  'store: archived',
  'log: dropped without a word',
  'log: dropped with notice',
  'log: gap of offsets',
  'log: delivered again',
  'log: read again from its start',
  'provider: answer lost',
  'provider: request lost',
  'provider: silent, done',
  'provider: silent, not done',
  'provider: arrives late',
  'provider: error after commit',
  'provider: error stored',
  'provider: too many requests',
  'provider: declines',
  'provider: slow',
  'provider: away',
  'provider: reports twice',
  'lookup: away',
  'lookup: slow',
  'lookup: the effect of another',
  'caller: request lost',
  'caller: answer lost',
  'caller: delivered twice',
  'beside: a remark',
  'beside: a cancel',
  'beside: done by hand',
  'beside: no effect',
  'beside: another effect',
  'beside: closed',
  'people: pause a tool',
  'people: force an end',
  'process: killed before a call',
  'process: killed after a call',
  'process: killed at a point',
  'process: stalled',
  'process: stalled before the socket',
  'process: wakes as another sends',
  'process: a new release',
  'program: request lost',
  'program: request late',
  'program: request twice',
  'program: answer lost',
  'program: killed',
  'program: stalled',
  'program: stalled with a dispatch',
  'program: stalled with a verdict',
  'clock: differs',
  'clock: jumps',
] as const;

export type FaultKind = (typeof faultKinds)[number];

export interface Strike {
  /** Its kind and what it befell: the same in every run of the seed. */
  readonly name: string;
  readonly kind: FaultKind;
}

export interface Chaos {
  /** Does it strike here? @param chance in [0, 1] */
  readonly strikes: (
    kind: FaultKind,
    chance: number,
    ...what: readonly (string | number)[]
  ) => boolean;
  /** From now on nothing goes wrong any more. */
  readonly end: () => void;
  readonly struck: readonly Strike[];
}

export interface ChaosOptions {
  readonly dice: Dice;
  /** All chances are multiplied by it. */
  readonly intensity: number;
  /** Where given, no other fault strikes: by name. */
  readonly only?: ReadonlySet<string> | undefined;
  readonly onStrike: (strike: Strike) => void;
}

export function createChaos({ dice, intensity, only, onStrike }: ChaosOptions): Chaos {
  const struck: Strike[] = [];
  /** How often each place was asked about, by its first draw. */
  const asked = new Map<number, number>();
  let isOver = false;
  return {
    strikes: (kind, chance, ...what) => {
      if (isOver) return false;
      const first = dice.of(kind, ...what);
      const nth = (asked.get(first) ?? 0) + 1;
      asked.set(first, nth);
      const drawn = nth === 1 ? first : dice.of(kind, ...what, nth);
      if (drawn >= chance * intensity) return false;
      const place = `${kind} (${what.join(' ')})`;
      const strike = { kind, name: nth === 1 ? place : `${place} #${nth}` };
      if (only?.has(strike.name) === false) return false;
      struck.push(strike);
      onStrike(strike);
      return true;
    },
    end: () => {
      isOver = true;
    },
    struck,
  };
}
