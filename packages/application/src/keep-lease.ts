// The claim of a running attempt: calls that outlast their lease extend it, and one that is found lost
// stops the attempt.
import { type Timer, type Timers } from '@action-ledger/runtime';

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
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = timers.after(leaseMs / 2, extend);
  };
  const next = (): void => {
    if (!stopped && clock.monoMs() + leaseMs / 2 < deadlineMono + leaseMarginMs) wait();
  };
  const extend = (): void => {
    if (stopped) return;
    lease.extend().then((came) => {
      if (came === 'lost') lease.onLost();
      else next();
    }, next);
  };
  if (startedMono + leaseMs < deadlineMono + leaseMarginMs) wait();
  return {
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** A lease that ends so long after the deadline needs no extension. */
const leaseMarginMs = 1_000;
