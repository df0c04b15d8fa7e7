// One slice of one contender, and whose turn it is when.
import { type SliceResult } from './messages.ts';
import { type ContenderName } from './options.ts';

export interface Sample extends SliceResult {
  readonly contender: ContenderName;
  readonly work: 'W1' | 'W2';
  readonly callers: number;
  readonly round: number;
}

export const yardstick: ContenderName = 'sqlite-grouped';

/** The yardstick at both ends; the order turns round from round to round. */
export function turns(
  contenders: readonly ContenderName[],
  round: number,
): readonly ContenderName[] {
  const others = contenders.filter((contender) => contender !== yardstick);
  const middle = round % 2 === 0 ? others : others.reverse();
  return contenders.includes(yardstick) ? [yardstick, ...middle, yardstick] : middle;
}
