// A share of the time at most: who watches must not be felt by those who work. Looks of several partitions
// come one after another.
import { type Runtime } from '@action-ledger/runtime';

export interface Rests {
  /** One piece of work after another, whoever asks. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Rests as long as what was done since the last rest asks for; not at all where that was little. */
  readonly take: () => Promise<void>;
}

const workMsMin = 2;
/** A tenth of the time. */
const restPerWork = 9;

export function createRests({ clock, timers }: Pick<Runtime, 'clock' | 'timers'>): Rests {
  let workedMs = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    inTurn: (work) => {
      const timed = async (): Promise<Awaited<ReturnType<typeof work>>> => {
        const since = clock.monoMs();
        try {
          return await work();
        } finally {
          workedMs += clock.monoMs() - since;
        }
      };
      const mine = turn.then(timed, timed);
      turn = mine.catch(() => undefined);
      return mine;
    },
    take: async () => {
      if (workedMs < workMsMin) return;
      const restMs = workedMs * restPerWork;
      workedMs = 0;
      await new Promise<void>((resolve) => void timers.after(restMs, resolve));
    },
  };
}
