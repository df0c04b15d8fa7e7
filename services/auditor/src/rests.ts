// A share of the time at most: who watches must not be felt by those who work. Looks of several partitions
// come one after another, and none comes while another one's rest lasts.
import { type Runtime } from '@action-ledger/runtime';

export interface Rests {
  /** One piece of work after another, whoever asks. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Rests as long as all that was done since the last rest asks for; not at all where that was little. */
  readonly take: () => Promise<void>;
  /** What is left is done without a rest. */
  readonly end: () => void;
}

const workMsMin = 2;
/** A tenth of the time. */
const restPerWorkUsual = 9;

/** @param restPerWork so many times as long as it has worked; less where it is alone in its process */
export function createRests(
  { clock, timers }: Pick<Runtime, 'clock' | 'timers'>,
  restPerWork = restPerWorkUsual,
): Rests {
  let workedMs = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let isEnded = false;
  let endRest = (): void => undefined;
  const rest = (restMs: number): Promise<void> =>
    new Promise((resolve) => {
      if (isEnded) {
        resolve();
        return;
      }
      const timer = timers.after(restMs, resolve);
      endRest = () => {
        timer.cancel();
        resolve();
      };
    });
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
      const mine = turn.then(timed);
      turn = mine.catch(() => undefined);
      return mine;
    },
    take: async () => {
      if (workedMs < workMsMin) return;
      const restMs = workedMs * restPerWork;
      workedMs = 0;
      const mine = turn.then(() => rest(restMs));
      turn = mine;
      await mine;
    },
    end: () => {
      isEnded = true;
      endRest();
    },
  };
}
