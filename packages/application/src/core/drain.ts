// The end of a ledger's work: what runs may finish, within a bound.
import { type Timer } from '@action-ledger/runtime';
import { type Parts } from './parts.ts';

/** Waits for the attempts under way; those that are late are aborted, and their outcomes recorded. */
export async function drain(parts: Parts, drainMs: number): Promise<void> {
  const running = [...parts.runs.values()];
  if (running.length === 0) return;
  const all = Promise.all(running.map(({ done }) => done));
  let timer: Timer | undefined;
  const late = new Promise<void>((resolve) => {
    timer = parts.runtime.timers.after(drainMs, () => {
      for (const run of running) run.abort('the ledger is closing');
      resolve();
    });
  });
  await Promise.race([all, late]);
  timer?.cancel();
  await all;
}
