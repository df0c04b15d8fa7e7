// Tells a consumer that is alive and gets nothing from one that has read everything: by where it is and
// where the partition ends, never by silence.
import { type TopicPartition } from '@action-ledger/event-log';
import { type Clock } from '@action-ledger/runtime';
import { type Progress } from './lane.ts';
import { placeKey } from './names.ts';

export interface StallWatch {
  /** Another membership begins: what waited under the one before says nothing about it. */
  readonly begin: () => void;
  /** The brokers were heard. */
  readonly sign: () => void;
  /** Since the last sign, where that is too long. */
  readonly silentMs: () => number | undefined;
  /** The partitions that want records which have been there for too long. Called again and again. */
  readonly stalled: (progress: readonly Progress[], ends: readonly End[]) => readonly Stalled[];
}

export interface End extends TopicPartition {
  readonly end: number;
}

export interface Stalled extends TopicPartition {
  readonly lag: number;
  readonly silentMs: number;
}

export interface StallWatchParts {
  readonly stallMs: number;
  readonly clock: Pick<Clock, 'monoMs'>;
}

export function createStallWatch({ stallMs, clock }: StallWatchParts): StallWatch {
  let heardAt = clock.monoMs();
  /** Since when a partition wants the record of this offset, though it is there. */
  let waiting = new Map<string, { readonly wanted: number; readonly since: number }>();
  const sign = (): void => {
    heardAt = clock.monoMs();
  };
  return {
    begin: () => {
      sign();
      waiting = new Map();
    },
    sign,
    silentMs: () => {
      const silentMs = clock.monoMs() - heardAt;
      return silentMs > stallMs ? silentMs : undefined;
    },
    stalled: (progress, ends) => {
      const now = clock.monoMs();
      const before = waiting;
      waiting = new Map();
      const found: Stalled[] = [];
      for (const { wanted, topic, partition } of progress) {
        const key = placeKey({ topic, partition });
        const end = ends.find((each) => placeKey(each) === key)?.end ?? 0;
        if (wanted === undefined || wanted >= end) continue;
        const known = before.get(key);
        const since = known?.wanted === wanted ? known.since : now;
        waiting.set(key, { wanted, since });
        const silentMs = now - since;
        if (silentMs >= stallMs) found.push({ topic, partition, lag: end - wanted, silentMs });
      }
      return found;
    },
  };
}
