// Commits of all partitions of one membership, gathered for a moment: each call of the broker costs about as
// much as what is committed by it, and a lane whose records wait meanwhile has more of them at once.
import { type TopicPartition } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { placeKey } from './names.ts';

export interface Standing extends TopicPartition {
  readonly next: number;
}

export interface GatheredCommits {
  /** Resolves when it is stored. @throws whatever `send` throws; where it is dropped */
  readonly commit: (standing: Standing) => Promise<void>;
  /** What waits is not stored any more: it is of another generation. */
  readonly drop: () => void;
}

export interface GatheredCommitsParts {
  readonly send: (standings: readonly Standing[]) => Promise<void>;
  readonly gatherMs: number;
  readonly timers: Runtime['timers'];
}

interface Gathering {
  readonly standings: Map<string, Standing>;
  readonly stored: Promise<void>;
  readonly drop: () => void;
}

export function createGatheredCommits(parts: GatheredCommitsParts): GatheredCommits {
  let gathering: Gathering | undefined;
  const begin = (): Gathering => {
    const standings = new Map<string, Standing>();
    let drop = (): void => undefined;
    const stored = new Promise<void>((resolve, reject) => {
      const timer = parts.timers.after(parts.gatherMs, () => {
        gathering = undefined;
        parts.send([...standings.values()]).then(resolve, reject);
      });
      drop = () => {
        timer.cancel();
        reject(new Error('The partitions are given out anew.'));
      };
    });
    return { standings, stored, drop };
  };
  return {
    commit: (standing) => {
      gathering ??= begin();
      gathering.standings.set(placeKey(standing), standing);
      return gathering.stored;
    },
    drop: () => {
      gathering?.drop();
      gathering = undefined;
    },
  };
}
