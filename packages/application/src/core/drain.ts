// The end of a ledger's work, or of one duty of it: what runs may finish, within two bounds.
import { type Parts, type Run } from './parts.ts';
import { within } from './within.ts';

/** So long the outcomes of those that were aborted may take to be recorded: the store may be away. */
const recordWithinMs = 5_000;

/** A core that ends its duties and is closed then waits once. */
const givenUp = new WeakSet<Run>();

/**
 * Waits for the attempts under way; those that are late are aborted, and their outcomes recorded. What is not
 * on record by then is in doubt by the end of its lease.
 * @param isMeant default: all of them
 */
export async function drain(
  parts: Pick<Parts, 'runs' | 'runtime' | 'onFault'>,
  drainMs: number,
  isMeant: (run: Run) => boolean = () => true,
): Promise<void> {
  const running = [...parts.runs].filter(([, run]) => isMeant(run) && !givenUp.has(run));
  if (running.length === 0) return;
  const { timers } = parts.runtime;
  const all = Promise.all(running.map(([, { done }]) => done));
  if (await within(drainMs, timers, all)) return;
  for (const [, run] of running) run.abort('what runs it is stopping, and did not wait longer');
  if (await within(recordWithinMs, timers, all)) return;
  for (const [actionId, run] of running)
    if (parts.runs.get(actionId) === run) {
      givenUp.add(run);
      parts.onFault(
        `outcome of ${actionId}`,
        new Error('It is not on record, and not waited for.'),
      );
    }
}
