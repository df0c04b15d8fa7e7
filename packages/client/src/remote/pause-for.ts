// A pause that ends early where whoever waits has left, or the ledger is closed.
import { type Timers } from '@action-ledger/runtime';

export function pauseFor(timers: Timers, ms: number, ends: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      timer.cancel();
      ends.removeEventListener('abort', end);
      resolve();
    };
    const timer = timers.after(ms, end, { keepsAlive: true });
    ends.addEventListener('abort', end, { once: true });
    if (ends.aborted) end();
  });
}
