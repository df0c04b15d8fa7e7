// Positions that are not there because their events were given up on purpose: the store keeps their
// places. What is missing beside them is a loss, but in a store whose positions have gaps of their own.
import { type EventStore, type GivenUp } from '@action-ledger/event-store';

/** The first and the last position. */
export type Gap = readonly [first: number, last: number];

export interface ExplainedGaps {
  /** What is left of them. */
  readonly missing: readonly Gap[];
  readonly givenUp: readonly GivenUp[];
}

/** So many positions are asked for at a time. */
const windowPositions = 8_192;

/**
 * @param gaps in order, none within another
 * @param isToGoOn asked after each part that was looked at; nothing is said of those that are left
 */
export async function explainGaps(
  store: Pick<EventStore, 'givenUp'>,
  gaps: readonly Gap[],
  isToGoOn: () => Promise<boolean> = () => Promise.resolve(true),
): Promise<ExplainedGaps> {
  if (store.givenUp === undefined) return { missing: [], givenUp: [] };
  const missing: Gap[] = [];
  const givenUp: GivenUp[] = [];
  for (const window of windowsOf(gaps)) {
    const [first, last] = [window[0]?.[0] ?? 1, window.at(-1)?.[1] ?? 0];
    const found = await store.givenUp({ after: first - 1, through: last });
    const inGaps = found.filter(({ position }) => isWithin(window, position));
    givenUp.push(...inGaps);
    missing.push(...without(window, inGaps));
    if (!(await isToGoOn())) break;
  }
  return { missing: joined(missing), givenUp };
}

/** Neighbours together, long ones in parts. */
function* windowsOf(gaps: readonly Gap[]): Generator<readonly Gap[]> {
  let window: Gap[] = [];
  for (const [start, end] of gaps) {
    for (let first = start; first <= end; first += windowPositions) {
      const last = Math.min(end, first + windowPositions - 1);
      if (last - (window[0]?.[0] ?? first) >= windowPositions) {
        yield window;
        window = [];
      }
      window.push([first, last]);
    }
  }
  if (window.length > 0) yield window;
}

function isWithin(gaps: readonly Gap[], position: number): boolean {
  let low = 0;
  let high = gaps.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = gaps[middle] ?? [0, 0];
    if (position < first) high = middle - 1;
    else if (position > last) low = middle + 1;
    else return true;
  }
  return false;
}

function without(gaps: readonly Gap[], givenUp: readonly GivenUp[]): readonly Gap[] {
  const left: Gap[] = [];
  let at = 0;
  for (const [start, last] of gaps) {
    let next = start;
    for (; at < givenUp.length; at += 1) {
      const { position = 0, count = 0 } = givenUp[at] ?? {};
      if (position > last) break;
      if (position > next) left.push([next, position - 1]);
      next = Math.max(next, position + count);
    }
    if (next <= last) left.push([next, last]);
  }
  return left;
}

/** A gap that was asked for in parts is one. */
function joined(gaps: readonly Gap[]): readonly Gap[] {
  const all: Gap[] = [];
  for (const [first, last] of gaps) {
    const before = all.at(-1);
    if (before !== undefined && before[1] === first - 1) all[all.length - 1] = [before[0], last];
    else all.push([first, last]);
  }
  return all;
}
