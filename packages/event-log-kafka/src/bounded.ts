// Waits for what may never come, but not for longer than a bound; what fails counts as ended.
import { type Runtime } from '@action-ledger/runtime';

export async function bounded(
  work: Promise<unknown>,
  ms: number,
  runtime: Pick<Runtime, 'timers'>,
): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = runtime.timers.after(ms, resolve, { keepsAlive: true });
    const end = (): void => {
      timer.cancel();
      resolve();
    };
    work.then(end, end);
  });
}
