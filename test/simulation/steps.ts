// Time of which every timer that fires is counted: a message that arrives, a wait that is over.
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';

export interface Steps {
  count: number;
}

/** Each timer that fires is a step. */
export function counted(time: VirtualRuntime, steps: Steps): VirtualRuntime {
  return {
    ...time,
    timers: {
      after: (delayMs, fire, options) =>
        time.timers.after(
          delayMs,
          () => {
            steps.count += 1;
            fire();
          },
          options,
        ),
    },
    fork: (options) => counted(time.fork(options), steps),
  };
}
