// Waits for something, and no longer than is said.
import { type Runtime } from '@action-ledger/runtime';

/** @returns whether it ended in time. Rejects as it does, where that is in time. */
export function within(
  ms: number,
  timers: Runtime['timers'],
  work: Promise<unknown>,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = timers.after(
      ms,
      () => {
        resolve(false);
      },
      { keepsAlive: true },
    );
    work.then(
      () => {
        timer.cancel();
        resolve(true);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
