// The hours of the day, in ms since its midnight: when what goes wrong, and when people come to work.

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export interface Period {
  readonly from: number;
  readonly until: number;
}

const between = (from: number, until: number): Period => ({ from, until });

export function isWithin(now: number, { from, until }: Period): boolean {
  return now >= from && now < until;
}

/** The agents propose between these. */
export const load = between(hour, 21 * hour);
/** The provider takes no connection, for lookups neither. */
export const providerDown = between(5.5 * hour, 6 * hour);
/** It answers no lookup. */
export const lookupsDown = between(9 * hour, 10 * hour);
/** Its answers are 502 after what was asked for has been done. */
export const errorsAfterCommit = between(13 * hour, 13 * hour + 20 * minute);
/** The pager takes nothing in the first half, and in the second half takes it and does not say so. */
export const pagerDown = between(10.5 * hour, 11.5 * hour);
/** Stopped as it should be, and started again. */
export const stopped = between(12 * hour, 12 * hour + 10 * minute);
/** Killed, and started again by whoever watches it. */
export const killed = between(15 * hour, 15 * hour + 2 * minute);
/** Operators settle what they were told of. */
export const eveningRound = 20 * hour;

/** Nothing is expected of the ledger while no process has it. */
export const away: readonly Period[] = [stopped, killed];

/** How much of a span of time some process was there. */
export function awayWithin(from: number, until: number): number {
  return away.reduce(
    (sum, each) =>
      sum + Math.max(0, Math.min(until, each.until + second) - Math.max(from, each.from)),
    0,
  );
}
