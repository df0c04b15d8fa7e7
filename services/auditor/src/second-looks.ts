// Streams to be looked at again: what moved just now, and what looked broken once. Nothing is told that was
// seen once; what is suspected comes first; and nothing ticks
// where there is nothing to look at.
import { type BrokenRecord } from '@action-ledger/application';
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Findings } from './check-stream.ts';

/** Of what is suspected, and of what only moved. Beyond so many the next pass over everything has to do. */
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
  const suspected = new Map<string, Waiting>();
  const moved = new Map<string, Waiting>();
  const both = [suspected, moved] as const;
  /** What came due together is looked at together; what is late already is not kept waiting longer. */
  const togetherMs = graceMs / 4;
  let timer: Timer | undefined;
  let isStopped = false;
  const arm = (): void => {
    if (isStopped || timer !== undefined) return;
    let next = Infinity;
    for (const waiting of both)
      for (const { dueMono } of waiting.values()) next = Math.min(next, dueMono);
    if (next === Infinity) return;
    const inMs = next - clock.monoMs();
    timer = timers.after(inMs <= 0 ? 0 : Math.max(inMs, togetherMs), () => void wake());
  };
  const wake = async (): Promise<void> => {
    const now = clock.monoMs();
    const due: string[] = [];
    for (const waiting of both)
      due.push(...takeDue(waiting, looksAtOnce - due.length, now, now + togetherMs));
    await look(due);
    timer = undefined;
    arm();
  };
  return {
    note: (stream, { revision, suspected: found, againAfterMs }) => {
      const now = clock.monoMs();
      const before = suspected.get(stream)?.suspects;
      const { proven, suspects } = sort(found, before, { revision, now, graceMs });
      for (const waiting of both) waiting.delete(stream);
      const waiting = suspects.size > 0 ? suspected : moved;
      const afterMs = suspects.size > 0 ? graceMs : againAfterMs;
      if (afterMs !== undefined && waiting.size < streamsMax)
        waiting.set(stream, { dueMono: now + afterMs, suspects });
      arm();
      return proven;
    },
    size: () => suspected.size + moved.size,
    stop: () => {
      isStopped = true;
      timer?.cancel();
    },
  };
}

function sort(
  found: readonly BrokenRecord[],
  before: ReadonlyMap<string, Suspect> | undefined,
  { revision, now, graceMs }: Readonly<Record<'revision' | 'now' | 'graceMs', number>>,
) {
  const suspects = new Map<string, Suspect>();
  const proven: BrokenRecord[] = [];
  for (const breach of found) {
    const known = before?.get(breach.invariant);
    const isSame = known?.revision === revision;
    const sinceMono = isSame ? known.sinceMono : now;
    if (isSame && now - sinceMono >= graceMs) proven.push(breach);
    else suspects.set(breach.invariant, { revision, sinceMono });
  }
  return { proven, suspects };
}

/** They stay, behind the others, until they were looked at: a look may fail. */
function takeDue(
  waiting: Map<string, Waiting>,
  max: number,
  nowMono: number,
  againMono: number,
): readonly string[] {
  const due: (readonly [string, Waiting])[] = [];
  for (const [stream, each] of waiting) {
    if (due.length >= max) break;
    if (each.dueMono <= nowMono) due.push([stream, each]);
  }
  for (const [stream, each] of due) {
    waiting.delete(stream);
    waiting.set(stream, { ...each, dueMono: againMono });
  }
  return due.map(([stream]) => stream);
}
