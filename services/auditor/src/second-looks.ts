// Streams to be looked at again: what moved just now, and what looked broken once. Nothing is told that was
// seen once; and nothing ticks where there is nothing to look at.
import { type BrokenRecord } from '@action-ledger/application';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Findings } from './check-stream.ts';

/** Beyond so many the next pass over everything has to do. */
const streamsMax = 20_000;
/** Of what came due together. */
const looksAtOnce = 100;

export interface SecondLooks {
  /** @returns what has been suspected long enough, and has not moved since */
  note(stream: string, findings: Findings): readonly BrokenRecord[];
  size(): number;
  stop(): void;
}

interface Waiting {
  readonly dueMono: number;
  /** By invariant. */
  readonly suspects: ReadonlyMap<string, Suspect>;
}

interface Suspect {
  readonly revision: number;
  readonly sinceMono: number;
}

export function createSecondLooks(
  { clock, timers }: Pick<Runtime, 'clock' | 'timers'>,
  graceMs: number,
  look: (streams: readonly string[]) => Promise<void>,
): SecondLooks {
  const waiting = new Map<string, Waiting>();
  let timer: Timer | undefined;
  let isStopped = false;
  const arm = (): void => {
    if (isStopped || timer !== undefined || waiting.size === 0) return;
    let next = Infinity;
    for (const { dueMono } of waiting.values()) next = Math.min(next, dueMono);
    const afterMs = Math.max(next - clock.monoMs(), graceMs / 4);
    timer = timers.after(afterMs, () => void wake());
  };
  const wake = async (): Promise<void> => {
    const now = clock.monoMs();
    const due = [...waiting].filter(([, { dueMono }]) => dueMono <= now);
    await look(due.slice(0, looksAtOnce).map(([stream]) => stream));
    timer = undefined;
    arm();
  };
  return {
    note: (stream, { revision, suspected, againAfterMs }) => {
      const now = clock.monoMs();
      const before = waiting.get(stream)?.suspects;
      const suspects = new Map<string, Suspect>();
      const proven: BrokenRecord[] = [];
      for (const breach of suspected) {
        const known = before?.get(breach.invariant);
        const isSame = known?.revision === revision;
        const sinceMono = isSame ? known.sinceMono : now;
        if (isSame && now - sinceMono >= graceMs) proven.push(breach);
        else suspects.set(breach.invariant, { revision, sinceMono });
      }
      waiting.delete(stream);
      const afterMs = suspects.size > 0 ? graceMs : againAfterMs;
      if (afterMs !== undefined && waiting.size < streamsMax)
        waiting.set(stream, { dueMono: now + afterMs, suspects });
      arm();
      return proven;
    },
    size: () => waiting.size,
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
}
