// The claim of a running attempt: calls that outlast their lease extend it, and one that is found lost
// stops the attempt.
import { type Timers } from './timers.ts';

export interface Lease {
  readonly timers: Timers;
  readonly clock: { monoMs(): number };
  readonly leaseMs: number;
  /** Monotonic ms. */
  readonly startedMono: number;
  readonly deadlineMono: number;
  /** Rejects where it could not be asked: then it is tried again. */
  readonly extend: () => Promise<'extended' | 'lost'>;
  readonly onLost: () => void;
}

/** Calls that outlast their lease extend it at half its life; a claim found lost stops the attempt. */
export function keepLease(lease: Lease): { readonly stop: () => void } {
  const { timers, clock, leaseMs, startedMono, deadlineMono } = lease;
  let stopped = false;
  let timer: ReturnType<Timers['after']> | undefined;
  const wait = (ms: number): void => {
    timer = timers.after(ms, extend);
  };
  const next = (): void => {
    if (!stopped && clock.monoMs() + leaseMs / 2 < deadlineMono + leaseMarginMs) wait(leaseMs / 2);
  };
  const extend = (): void => {
    if (stopped) return;
    lease.extend().then((came) => {
      if (came === 'lost') lease.onLost();
      else next();
    }, next);
  };
  // What came late over a line has begun all the same.
  if (startedMono + leaseMs < deadlineMono + leaseMarginMs)
    wait(Math.max(0, startedMono + leaseMs / 2 - clock.monoMs()));
  return {
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** A lease that ends so long after the deadline needs no extension. */
const leaseMarginMs = 1_000;
