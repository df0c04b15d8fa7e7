// Groups of consumers that all run in this process: who has which partition, in which generation.
// Whenever a consumer joins, leaves or dies, all partitions of its group are taken and given out anew
// under the next generation, as brokers do in the worst case: what was in the hands of a handler
// then is not committed and comes again.
import { type Runtime } from '@action-ledger/runtime';
import { checkConsumeOptions, checkGroup, unknownTopic } from './check-options.ts';
import {
  type Consumer,
  type ConsumeOptions,
  type LogRecord,
  type PartitionLag,
  type ResetRequest,
  type TopicPartition,
} from './event-log.ts';
import { LogFault, logClosed } from './log-fault.ts';
import { type LogSource, type OffsetStore } from './log-source.ts';
import { createMember, type Member } from './member.ts';
import { newestOf } from './newest-of.ts';

/** A consumer of an adapter whose consumers run in its own process. */
export interface LocalConsumer extends Consumer {
  /** As if its process had died: nothing is committed or told any more. For tests and simulations. */
  kill(): void;
}

export interface Groups {
  readonly consume: (options: ConsumeOptions) => Promise<LocalConsumer>;
  readonly lag: (group: string, topics: readonly string[]) => Promise<readonly PartitionLag[]>;
  readonly newest: (topics: readonly string[]) => Promise<readonly LogRecord[]>;
  readonly reset: (request: ResetRequest) => Promise<void>;
  /** Records may have been added there. */
  readonly added: (place: TopicPartition) => void;
  /** Resolves when all running handlers have ended and their offsets are kept. */
  readonly close: () => Promise<void>;
}

export interface GroupsParts {
  readonly source: LogSource;
  readonly offsets: OffsetStore;
  readonly runtime: Pick<Runtime, 'timers'>;
}

interface Group {
  generation: number;
  members: Member[];
}

export function createGroups(parts: GroupsParts): Groups {
  const groups = new Map<string, Group>();
  let isClosed = false;
  const checkOpen = (): void => {
    if (isClosed) throw logClosed();
  };
  const placesOf = (topics: readonly string[]): readonly TopicPartition[] =>
    placesIn(parts.source, topics);
  const join = (options: ConsumeOptions): LocalConsumer => {
    const group = groups.get(options.group) ?? { generation: 0, members: [] };
    groups.set(options.group, group);
    const member = createMember({ ...parts, options });
    group.members.push(member);
    rebalance(group, placesOf);
    const leave = (): void => {
      if (!group.members.includes(member)) return;
      group.members = group.members.filter((other) => other !== member);
      if (!isClosed) rebalance(group, placesOf);
    };
    return consumerOf(member, leave, parts.offsets);
  };

  return {
    consume: async (options) => {
      checkOpen();
      checkConsumeOptions(options);
      const places = placesOf(options.topics);
      if (options.from === 'now') await keepNow(parts, options.group, places);
      checkOpen();
      return join(options);
    },
    lag: async (group, topics) => {
      checkOpen();
      checkGroup(group);
      return Promise.all(placesOf(topics).map((place) => lagAt(parts, group, place)));
    },
    newest: async (topics) => {
      checkOpen();
      return newestOf(parts.source, placesOf(topics));
    },
    reset: async (request) => {
      checkOpen();
      checkGroup(request.group);
      await moveOffsets(parts, request, placesOf(request.topics), () => {
        checkUnused(groups.get(request.group), request.group);
      });
    },
    added: (place) => {
      for (const { members } of groups.values()) for (const member of members) member.wake(place);
    },
    close: async () => {
      isClosed = true;
      const members = [...groups.values()].flatMap((group) => group.members);
      await Promise.all(members.map((member) => member.end()));
      await parts.offsets.flush();
    },
  };
}

function placesIn(source: LogSource, topics: readonly string[]): readonly TopicPartition[] {
  return topics.flatMap((topic) => {
    const partitions = source.partitions(topic);
    if (partitions === undefined) throw unknownTopic(topic);
    return Array.from({ length: partitions }, (_, partition) => ({ topic, partition }));
  });
}

async function lagAt(
  { source, offsets }: GroupsParts,
  group: string,
  place: TopicPartition,
): Promise<PartitionLag> {
  const next = offsets.get(group, place);
  return { ...place, next, lag: await source.waiting(place, next ?? 0) };
}

async function moveOffsets(
  { source, offsets }: GroupsParts,
  { group, to }: ResetRequest,
  places: readonly TopicPartition[],
  checkMayMove: () => void,
): Promise<void> {
  const ends = await Promise.all(places.map((place) => source.end(place)));
  checkMayMove();
  places.forEach((place, index) => {
    offsets.set(group, place, to === 'start' ? 0 : (ends[index] ?? 0));
  });
  await offsets.flush();
}

function consumerOf(member: Member, leave: () => void, offsets: OffsetStore): LocalConsumer {
  return {
    assignment: member.assignment,
    pause: () => {
      member.setPaused(true);
    },
    resume: () => {
      member.setPaused(false);
    },
    close: async () => {
      await member.end();
      leave();
      await offsets.flush();
    },
    kill: () => {
      member.mute();
      member.revoke();
      leave();
    },
  };
}

async function keepNow(
  { source, offsets }: GroupsParts,
  group: string,
  places: readonly TopicPartition[],
): Promise<void> {
  const unknown = places.filter((place) => offsets.get(group, place) === undefined);
  if (unknown.length === 0) return;
  const ends = await Promise.all(unknown.map((place) => source.end(place)));
  unknown.forEach((place, index) => {
    offsets.set(group, place, ends[index] ?? 0);
  });
  await offsets.flush();
}

function checkUnused(group: Group | undefined, name: string): void {
  if (group === undefined || group.members.length === 0) return;
  throw new LogFault(
    'log.group-in-use',
    'safe',
    `The group ${name} has consumers. Close them, then move its offsets.`,
  );
}

/** Each partition goes to one of the members that take its topic, in turns. */
function rebalance(
  group: Group,
  placesOf: (topics: readonly string[]) => readonly TopicPartition[],
): void {
  for (const member of group.members) member.revoke();
  group.generation += 1;
  const given = new Map<Member, TopicPartition[]>(group.members.map((member) => [member, []]));
  const topics = new Set(group.members.flatMap((member) => member.topics));
  for (const topic of topics) {
    const takers = group.members.filter((member) => member.topics.includes(topic));
    placesOf([topic]).forEach((place, index) => {
      const taker = takers[index % takers.length];
      if (taker !== undefined) given.get(taker)?.push(place);
    });
  }
  for (const [member, partitions] of given) {
    member.assign({ generation: group.generation, partitions });
  }
}
