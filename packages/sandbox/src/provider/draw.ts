// Chance that can be repeated: a number drawn from a hash of the seed and of what it is drawn for, so
// that the same seed meets the same faults whatever runs first.
import { createHash } from 'node:crypto';
import {
  ackLost,
  errorAfterCommit,
  errorBody,
  lateArrival,
  storedError,
  timeout,
  type Fault,
} from './fault.ts';

/** In [0, 1); equal for equal arguments. */
export function draw(seed: number, ...what: readonly (string | number)[]): number {
  const digest = createHash('sha256')
    .update(JSON.stringify([seed, ...what]))
    .digest();
  return digest.readUIntBE(0, 6) / 2 ** 48;
}

/** Shares of all requests, each from 0 to 1, together at most 1. */
export interface FaultRates {
  readonly lostResponses?: number;
  /** Half of them commit. */
  readonly timeouts?: number;
  readonly lateArrivals?: number;
  readonly errorsAfterCommit?: number;
  readonly storedErrors?: number;
  readonly errorBodies?: number;
}

export interface DrawnFor {
  readonly run: string;
  readonly seq: number;
  readonly attempt: number;
}

/** @param lateByMs how long a late request is under way; keep it below the in-flight bound. */
export function drawFault(
  seed: number,
  rates: FaultRates,
  { run, seq, attempt }: DrawnFor,
  lateByMs = 50,
): Fault | undefined {
  const table: readonly (readonly [rate: number | undefined, fault: () => Fault])[] = [
    [rates.lostResponses, () => ackLost],
    [
      rates.timeouts,
      () => timeout({ commits: draw(seed, 'timeout commits', run, seq, attempt) < 0.5 }),
    ],
    [rates.lateArrivals, () => lateArrival(lateByMs)],
    [rates.errorsAfterCommit, () => errorAfterCommit(502)],
    [rates.storedErrors, () => storedError],
    [rates.errorBodies, () => errorBody('not done')],
  ];
  let drawn = draw(seed, 'fault', run, seq, attempt);
  for (const [rate = 0, fault] of table) {
    if (drawn < rate) return fault();
    drawn -= rate;
  }
  return undefined;
}
