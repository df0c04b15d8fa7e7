// The claim of a running attempt: calls that outlast their lease extend it, and one that is found lost
// stops the attempt.
import { type Action } from '@action-ledger/domain';
import { type Timer } from '@action-ledger/runtime';
import { type Tool } from '@action-ledger/tools';
import { type Parts } from './parts.ts';

export interface Running {
  readonly claim: number;
  readonly attempt: number;
  readonly controller: AbortController;
  readonly state: { lost: boolean };
  readonly startedMono: number;
}

/** Calls that outlast their lease extend it at half its life; a claim found lost stops the attempt. */
export function keepLease(
  parts: Parts,
  tool: Tool,
  action: Action,
  running: Running,
  deadlineMono: number,
): { readonly stop: () => void } {
  const { leaseMs } = tool.rules;
  let stopped = false;
  let timer: Timer | undefined;
  const wait = (): void => {
    timer = parts.runtime.timers.after(leaseMs / 2, extend);
  };
  const next = (): void => {
    if (!stopped && parts.clock.monoMs() + leaseMs / 2 < deadlineMono + leaseMarginMs) wait();
  };
  const extend = (): void => {
    if (stopped) return;
    const command = { type: 'ExtendClaim', claim: running.claim, leaseMs } as const;
    parts.actions
      .perform(action.id, () => command)
      .then((result) => {
        if (result.kind === 'refusal') {
          running.state.lost = true;
          running.controller.abort(new Error('the claim is lost'));
          return;
        }
        next();
      }, next);
  };
  if (running.startedMono + leaseMs < deadlineMono + leaseMarginMs) wait();
  return {
    stop: () => {
      stopped = true;
      timer?.cancel();
    },
  };
}

/** A lease that ends so long after the deadline needs no extension. */
const leaseMarginMs = 1_000;
