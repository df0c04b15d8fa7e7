// What each group of consumers has still to handle, known from what was published and what its members
// have handled, without asking the brokers. A group is behind only where a member could go on: not where
// none is left, where the one that has the partition is paused, or where it is busy with what came before.
import {
  eventPlaceOf,
  type LogRecord,
  type NewRecord,
  type TopicPartition,
} from '@action-ledger/event-log';
import { Partitioners } from 'kafkajs';

export interface Groups {
  readonly of: (name: string) => Group;
  /** They are stored. */
  readonly published: (records: readonly NewRecord[]) => void;
  readonly areBehind: () => boolean;
}

export interface Group {
  readonly join: () => Member;
  /** It stands somewhere: what is published from now on, it is to handle. */
  readonly begun: () => void;
  readonly hasBegun: () => boolean;
}

export interface Member {
  readonly assigned: (partitions: readonly TopicPartition[]) => void;
  readonly setPaused: (isPaused: boolean) => void;
  /** A handler runs. @returns what ends it */
  readonly begin: (partition: number) => () => void;
  readonly handled: (records: readonly Pick<LogRecord, 'headers'>[]) => void;
  readonly leave: () => void;
}

interface MemberState {
  partitions: ReadonlySet<number>;
  isPaused: boolean;
  /** Handlers that run, by partition. */
  readonly running: Map<number, number>;
}

interface GroupState {
  hasBegun: boolean;
  readonly members: Set<MemberState>;
  /** Event ids by partition. */
  readonly waiting: Map<number, Set<string>>;
  /** Also by handlers that ran before the publisher knew that the records are stored. */
  readonly handled: Set<string>;
}

export function createGroups(partitions: number): Groups {
  const groups = new Map<string, GroupState>();
  const partitionOf = createPartitionOf(partitions);
  return {
    of: (name) => {
      const known = groups.get(name);
      const group: GroupState = known ?? {
        hasBegun: false,
        members: new Set(),
        waiting: new Map(Array.from({ length: partitions }, (_, index) => [index, new Set()])),
        handled: new Set(),
      };
      groups.set(name, group);
      return groupOf(group);
    },
    published: (records) => {
      for (const record of records) {
        const partition = partitionOf(record.key);
        const id = eventPlaceOf({ headers: record.headers ?? {} })?.eventId ?? '';
        for (const group of groups.values())
          if (group.hasBegun && !group.handled.has(id)) group.waiting.get(partition)?.add(id);
      }
    },
    areBehind: () => [...groups.values()].some(isBehind),
  };
}

function groupOf(group: GroupState): Group {
  return {
    join: () => memberOf(group),
    begun: () => {
      group.hasBegun = true;
    },
    hasBegun: () => group.hasBegun,
  };
}

function memberOf(group: GroupState): Member {
  const member: MemberState = { partitions: new Set(), isPaused: false, running: new Map() };
  group.members.add(member);
  const count = (partition: number, by: number): void => {
    member.running.set(partition, (member.running.get(partition) ?? 0) + by);
  };
  return {
    assigned: (partitions) => {
      member.partitions = new Set(partitions.map(({ partition }) => partition));
    },
    setPaused: (isPaused) => {
      member.isPaused = isPaused;
    },
    begin: (partition) => {
      count(partition, 1);
      return () => {
        count(partition, -1);
      };
    },
    handled: (records) => {
      for (const record of records) {
        const id = eventPlaceOf(record)?.eventId ?? '';
        group.handled.add(id);
        for (const ids of group.waiting.values()) ids.delete(id);
      }
    },
    leave: () => {
      group.members.delete(member);
    },
  };
}

function isBehind({ members, waiting }: GroupState): boolean {
  if (members.size === 0) return false;
  return [...waiting].some(([partition, ids]) => ids.size > 0 && canGoOn(members, partition));
}

/** Where nobody has the partition it is being given out. */
function canGoOn(members: ReadonlySet<MemberState>, partition: number): boolean {
  const owner = [...members].find((member) => member.partitions.has(partition));
  if (owner === undefined) return true;
  return !owner.isPaused && (owner.running.get(partition) ?? 0) === 0;
}

/** Where the client puts the records of a key. */
function createPartitionOf(partitions: number): (key: string) => number {
  const partitioner = Partitioners.DefaultPartitioner();
  const partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({
    ...{ partitionErrorCode: 0, partitionId, leader: 0, replicas: [], isr: [] },
  }));
  return (key) =>
    partitioner({ topic: '', partitionMetadata, message: { key: Buffer.from(key), value: null } });
}
