// Tries something again by a timer while another connection holds the lock, up to a bound.
import { type Runtime } from '@action-ledger/runtime';
import { isBusy, storeFaultOf } from './sqlite-faults.ts';

const retryMs = 5;
const retryMsMax = 50;

/** @throws StoreFault `store.busy` where the lock is still held after `waitMs`. */
export async function waitForLock<Done>(
  runtime: Runtime,
  waitMs: number,
  path: string,
  attempt: () => Done,
): Promise<Done> {
  const deadline = runtime.clock.monoMs() + waitMs;
  for (let delayMs = retryMs; ; delayMs = Math.min(delayMs * 2, retryMsMax)) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || runtime.clock.monoMs() >= deadline) throw storeFaultOf(error, path);
    }
    await new Promise<void>((resolve) => {
      runtime.timers.after(delayMs, resolve, { keepsAlive: true });
    });
  }
}
