// One consumer of a group: its lanes, which are ended and started anew with each generation, and the
// notices of it.
import { type Runtime } from '@action-ledger/runtime';
import { type Assignment, type ConsumeOptions, type TopicPartition } from './event-log.ts';
import { type Lane, startLane } from './lane.ts';
import { type LogSource, type OffsetStore } from './log-source.ts';
import { createNotices } from './notices.ts';

export interface Member {
  readonly topics: readonly string[];
  readonly assignment: () => Assignment;
  readonly assign: (assignment: Assignment) => void;
  /** Takes all partitions: what their handlers still do is not committed. */
  readonly revoke: () => void;
  readonly wake: (place: TopicPartition) => void;
  readonly setPaused: (paused: boolean) => void;
  /** Begins no further call, resolves when the running ones have ended and are committed. */
  readonly end: () => Promise<void>;
  /** Tells nothing from now on. */
  readonly mute: () => void;
}

export interface MemberParts {
  readonly options: ConsumeOptions;
  readonly source: LogSource;
  readonly offsets: OffsetStore;
  readonly runtime: Pick<Runtime, 'timers'>;
}

export function createMember(parts: MemberParts): Member {
  const { options } = parts;
  const closing = new AbortController();
  const ends = new Map<string, Promise<void>>();
  let assignment: Assignment = { generation: 0, partitions: [] };
  let lanes = new Map<string, Lane>();
  let isPaused = false;
  const notices = createNotices(options);
  const start = (place: TopicPartition, generation: number): void => {
    const key = keyOf(place);
    const lane = startLane({
      ...parts,
      place: { ...place, generation },
      closing: closing.signal,
      isPaused: () => isPaused,
      onFault: notices.fault,
      after: ends.get(key),
    });
    lanes.set(key, lane);
    ends.set(key, lane.ended);
  };
  const revoke = (): void => {
    const revoked = assignment;
    const taken = lanes;
    assignment = { generation: revoked.generation, partitions: [] };
    lanes = new Map();
    for (const lane of taken.values()) lane.lose();
    if (revoked.partitions.length > 0) notices.revoked(revoked);
  };

  return {
    topics: options.topics,
    assignment: () => assignment,
    revoke,
    assign: (given) => {
      if (closing.signal.aborted) return;
      assignment = given;
      for (const place of given.partitions) start(place, given.generation);
      notices.assigned(given);
    },
    wake: (place) => {
      lanes.get(keyOf(place))?.wake();
    },
    setPaused: (paused) => {
      isPaused = paused;
      for (const lane of lanes.values()) lane.wake();
    },
    end: async () => {
      closing.abort();
      await Promise.all(ends.values());
      revoke();
    },
    mute: notices.mute,
  };
}

function keyOf({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
