// Between two fetches of a membership, where one brings little: a broker answers with the first record there
// is, and a call for each of them costs more than the records do. What has come is handed on before.
import { type Runtime } from '@action-ledger/runtime';

export interface FetchPace {
  /** A fetch has come back. */
  readonly fetched: () => void;
  /** With what it has brought of one partition: resolves when the next one may begin. */
  readonly brought: (records: number) => Promise<void>;
}

/** So many are worth a call. */
const worthIt = 100;

export function createFetchPace({ timers }: Pick<Runtime, 'timers'>, gatherMs: number): FetchPace {
  let isFirst = false;
  return {
    fetched: () => {
      isFirst = true;
    },
    brought: async (records) => {
      if (!isFirst || records >= worthIt) return;
      isFirst = false;
      await new Promise<void>((resolve) => {
        timers.after(gatherMs, resolve);
      });
    },
  };
}
