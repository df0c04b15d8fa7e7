// One send of a tool, wherever it runs: in the ledger's own process, or in that of a caller. `execute` is
// aborted at the deadline, and `beforeSend` lets nothing through after it, by the monotonic and by the
// wall clock, nor when the claim is known to be lost.
import { type JsonObject } from '@action-ledger/domain';
import { type AttemptOutcome } from '../attempt-outcome.ts';
import { NotSent } from '../attempt-result.ts';
import { type ExecuteContext } from '../definition.ts';
import { type LateOutcome, runExecute } from '../run-execute.ts';
import { type Tool } from '../tool.ts';
import { type Timers } from './timers.ts';

export interface SendFrame {
  readonly clock: { nowMs(): number; monoMs(): number };
  readonly timers: Timers;
  /** Monotonic ms. */
  readonly deadlineMono: number;
  /** Wall-clock ms, by the same clock. */
  readonly deadlineAt: number;
  readonly controller: AbortController;
  readonly isLost: () => boolean;
  /** In the tick of the send. */
  readonly onSending: () => void;
  /** What `execute` still returns after the end is a late report. */
  readonly onLate: LateOutcome;
}

/** Never rejects. Ends at the latest when the controller aborts. */
export async function runTool(
  tool: Tool,
  context: Omit<ExecuteContext<JsonObject>, 'signal' | 'beforeSend'>,
  frame: SendFrame,
): Promise<AttemptOutcome> {
  const { clock, timers, deadlineMono, deadlineAt, controller } = frame;
  const deadline = timers.after(
    Math.max(0, deadlineMono - clock.monoMs()),
    () => {
      controller.abort(new Error('the deadline has passed'));
    },
    { keepsAlive: true },
  );
  let isSent = false;
  const beforeSend = (): void => {
    if (isSent) throw new NotSent('an attempt sends once');
    if (frame.isLost()) throw new NotSent('the claim is lost');
    if (clock.monoMs() >= deadlineMono || clock.nowMs() >= deadlineAt)
      throw new NotSent('the deadline has passed');
    frame.onSending();
    isSent = true;
  };
  try {
    return await runExecute(
      tool,
      { ...context, signal: controller.signal, beforeSend },
      frame.onLate,
    );
  } finally {
    deadline.cancel();
  }
}
