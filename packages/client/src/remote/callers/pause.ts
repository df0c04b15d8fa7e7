// A pause between tries that nobody waits for: it grows, differs from process to process, and ends when the
// ledger is closed.
import { type Runtime } from '@action-ledger/runtime';
import { pauseFor } from '../pause-for.ts';

export type Pause = (tries: number) => Promise<void>;

const pauseMsMin = 500;
const pauseMsMax = 5_000;

export function createPause({ timers, randomness }: Runtime, closed: AbortSignal): Pause {
  return (tries) => {
    const mostMs = Math.min(pauseMsMax, pauseMsMin * 2 ** Math.min(tries, 10));
    return pauseFor(timers, Math.ceil(mostMs * (0.5 + randomness.next() / 2)), [closed]);
  };
}
