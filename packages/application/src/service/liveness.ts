// Whether a consumer gets on: looks at the lag of its partitions now and then, and measures for each how
// long something has been waiting there without the offset having moved. One that hangs is not hidden
// by others that get on.
import { isOutage, type PartitionLag, type TopicPartition } from '@action-ledger/event-log';
import { type Runtime, type Timer } from '@action-ledger/runtime';

export interface Liveness {
  /** Of the partition that has stood still longest while something waits there, as last looked at. */
  readonly stalledMs: () => number;
  /** Of the whole group. */
  readonly lag: () => number | undefined;
  /** What waited so far is not held against it. */
  readonly beginAnew: () => void;
  readonly close: () => void;
}

export interface LivenessParts {
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
  readonly lag: () => Promise<readonly PartitionLag[]>;
  /** The partitions that the consumer answers for. */
  readonly assigned: () => readonly TopicPartition[];
  readonly everyMs: number;
  readonly onFault: (fault: unknown) => void;
  /** After each look. */
  readonly onLooked: () => void;
}

interface Standstill {
  readonly next: number | undefined;
  readonly since: number;
}

export function watchLiveness(parts: LivenessParts): Liveness {
  const { clock, timers } = parts.runtime;
  let lag: number | undefined;
  let standing = new Map<string, Standstill>();
  let timer: Timer | undefined;
  let isOpen = true;

  const note = (found: readonly PartitionLag[]): void => {
    const own = new Set(parts.assigned().map(keyOf));
    const now = clock.monoMs();
    lag = found.reduce((sum, each) => sum + each.lag, 0);
    standing = new Map(
      found
        .filter((each) => each.lag > 0 && own.has(keyOf(each)))
        .map((each) => {
          const before = standing.get(keyOf(each));
          const isStill = before !== undefined && before.next === each.next;
          return [keyOf(each), { next: each.next, since: isStill ? before.since : now }];
        }),
    );
  };
  const look = async (): Promise<void> => {
    try {
      const found = await parts.lag();
      if (isOpen) note(found);
    } catch (fault) {
      // Brokers that are away are no fault of who waits for them.
      if (isOutage(fault)) standing.clear();
      if (isOpen) parts.onFault(fault);
    }
    if (!isOpen) return;
    parts.onLooked();
    timer = timers.after(parts.everyMs, () => void look());
  };
  void look();

  return {
    stalledMs: () => {
      const since = [...standing.values()].map((each) => each.since);
      return since.length === 0 ? 0 : clock.monoMs() - Math.min(...since);
    },
    lag: () => lag,
    beginAnew: () => {
      standing.clear();
    },
    close: () => {
      isOpen = false;
      timer?.cancel();
    },
  };
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
