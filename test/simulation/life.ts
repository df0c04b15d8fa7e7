// The life of one simulated process: it runs, stands still for a while, or is dead. While it stands still
// nothing comes in and no timer fires; what has left it goes on. A dead one never hears of anything again.
import { type Runtime, type Timer } from '@action-ledger/runtime';

export interface Life {
  readonly name: string;
  readonly is: () => 'up' | 'stalled' | 'dead';
  /** At once while it runs, when it wakes where it stands still, never where it is dead. */
  readonly pass: () => Promise<void>;
  readonly die: () => void;
  readonly stall: () => void;
  readonly wake: () => void;
}

export function createLife(name: string): Life {
  let is: 'up' | 'stalled' | 'dead' = 'up';
  let waiting: (() => void)[] = [];
  return {
    name,
    is: () => is,
    pass: () => {
      if (is === 'up') return Promise.resolve();
      return new Promise((resolve) => {
        if (is === 'stalled') waiting.push(resolve);
      });
    },
    die: () => {
      is = 'dead';
      waiting = [];
    },
    stall: () => {
      if (is === 'up') is = 'stalled';
    },
    wake: () => {
      if (is !== 'stalled') return;
      is = 'up';
      const woken = waiting;
      waiting = [];
      for (const resolve of woken) resolve();
    },
  };
}

/** Its timers fire when it runs: late where it stood still, never where it is dead. */
export function livingRuntime(life: Life, under: Runtime): Runtime {
  return {
    ...under,
    timers: {
      after: (delayMs, run, options): Timer => {
        let isCancelled = false;
        const timer = under.timers.after(
          delayMs,
          () => {
            if (life.is() === 'up') run();
            else
              void life.pass().then(() => {
                if (!isCancelled) run();
              });
          },
          options,
        );
        return {
          cancel: () => {
            isCancelled = true;
            timer.cancel();
          },
        };
      },
    },
  };
}

export function never(): Promise<never> {
  return new Promise(() => undefined);
}
