// A runtime in which pauses between tries take no time, though its clock says that they did: tests see how
// long was waited, and do not wait. The time that one try may take stays real.
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';

export interface HastyRuntime extends Runtime {
  /** In ms, in order. */
  readonly pauses: readonly number[];
}

/** Of what a test lets one try take at the least. */
export const tryMsMin = 20_000;

/** @param random what randomness gives, each time */
export function createHastyRuntime(random = 1): HastyRuntime {
  const system = createSystemRuntime();
  const pauses: number[] = [];
  let skippedMs = 0;
  return {
    ...system,
    pauses,
    clock: {
      wallMs: () => system.clock.wallMs() + skippedMs,
      monoMs: () => system.clock.monoMs() + skippedMs,
    },
    randomness: { next: () => random },
    timers: {
      after: (delayMs, run, options) => {
        if (delayMs >= tryMsMin) return system.timers.after(delayMs, run, options);
        pauses.push(delayMs);
        return system.timers.after(
          0,
          () => {
            skippedMs += delayMs;
            run();
          },
          { keepsAlive: true },
        );
      },
    },
  };
}
