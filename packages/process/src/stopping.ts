// How long a process may take to stop. Whoever told it kills it when that takes too long, and then what runs has no
// time to be put on record: so the times of its parts add up to less, and it ends itself where they are not kept.
import { type Runtime } from '@action-ledger/runtime';

export const stopTimes = {
  /** For attempts and requests under way; 5 s more until those that were aborted are on record. */
  drainMs: 25_000,
  /** For each loop, of which there are two, one after the other. */
  stopWithinMs: 3_000,
  /** For all of it, from when it was told. */
  wholeMs: 40_000,
} as const;

/**
 * @param end of the process; not called where it has ended before
 */
export function endWithin(
  told: AbortSignal,
  { timers }: Pick<Runtime, 'timers'>,
  end: () => void,
): void {
  const count = (): void => void timers.after(stopTimes.wholeMs, end);
  if (told.aborted) count();
  else told.addEventListener('abort', count, { once: true });
}
