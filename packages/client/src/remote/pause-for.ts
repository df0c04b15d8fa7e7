// A pause that ends early where whoever waits has left, or the ledger is closed.
import { type Timers } from '@action-ledger/runtime';
import { isAborted, whenAborted } from './when-aborted.ts';

export function pauseFor(timers: Timers, ms: number, ends: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      letGo();
      resolve();
    };
    const timer = timers.after(ms, end, { keepsAlive: true });
    const letGo = whenAborted(ends, end);
    if (isAborted(ends)) end();
  });
}
