// Where a group stands in each partition, where the partition begins and ends, and moving a group while
// nobody is in it.
import { type Admin } from 'kafkajs';
import {
  type ConsumeOptions,
  LogFault,
  type PartitionLag,
  type ResetRequest,
  type TopicPartition,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Administration } from './admin.ts';
import { type Connect } from './connection.ts';
import { unavailable } from './faults.ts';
import { type Layout } from './layout.ts';
import { joinGroup } from './membership.ts';
import { type Names, placeKey } from './names.ts';
import { type Timing } from './options.ts';

export interface PlacesParts {
  readonly administration: Administration;
  readonly connect: Connect;
  readonly layout: Layout;
  readonly names: Names;
  readonly timing: Timing;
  readonly runtime: Pick<Runtime, 'timers'>;
}

/** One partition, as a group sees it. */
export interface Standing extends TopicPartition {
  /** The offset from which the group goes on; undefined where it has none. */
  readonly next: number | undefined;
  readonly low: number;
  /** The offset of the next record that a reader will see. */
  readonly end: number;
}

/** @throws LogFault `log.unavailable`, safe */
export function standings(
  { administration, names, layout }: PlacesParts,
  group: string,
  topics: readonly string[],
): Promise<readonly Standing[]> {
  return administration.ask(
    `The offsets of the group ${group} could not be read`,
    async (admin) => {
      const [committed, ...bounds] = await Promise.all([
        committedIn(admin, names, group, topics),
        ...topics.map((topic) => admin.fetchTopicOffsets(names.topic(topic))),
      ]);
      return topics.flatMap((topic, index) =>
        Array.from({ length: layout.get(topic) ?? 0 }, (_, partition) => {
          const found = bounds[index]?.find((each) => each.partition === partition);
          const next = committed.get(placeKey({ topic, partition }));
          const low = Number(found?.low ?? 0);
          return { topic, partition, next, low, end: Number(found?.high ?? low) };
        }),
      );
    },
  );
}

async function committedIn(
  admin: Admin,
  names: Names,
  group: string,
  topics: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const found = await admin.fetchOffsets({
    groupId: names.group(group),
    topics: topics.map(names.topic),
  });
  const committed = new Map<string, number>();
  for (const { topic, partitions } of found) {
    for (const { partition, offset } of partitions) {
      // Below 0 are the client's words for none.
      const isCommitted = Number(offset) >= 0;
      if (isCommitted)
        committed.set(placeKey({ topic: names.plain(topic), partition }), Number(offset));
    }
  }
  return committed;
}

/** From where a consumer that was given the partition goes on. */
export function startOf({ next, low, end }: Standing, from: ConsumeOptions['from']): number {
  if (next === undefined) return from === 'start' ? low : end;
  // Records were dropped by age, or the partition is not the one that the group knew.
  return next < low || next > end ? low : next;
}

export function lagOf({ topic, partition, next, low, end }: Standing): PartitionLag {
  return { topic, partition, next, lag: Math.max(0, end - Math.max(next ?? low, low)) };
}

/** @throws LogFault `log.group-in-use`, safe; `log.unavailable`, safe */
export async function moveGroup(
  parts: PlacesParts,
  { group, topics, to }: ResetRequest,
): Promise<void> {
  await checkUnused(parts, group);
  const found = await standings(parts, group, topics);
  let isAlone = true;
  const membership = joinGroup({
    ...parts,
    connection: parts.connect(),
    group,
    topics,
    onAssigned: (partitions, line) => {
      line.hold(partitions, true);
      isAlone = partitions.length === found.length;
    },
    onRebalancing: () => undefined,
    onArrival: () => false,
    onSign: () => undefined,
    onCrash: () => undefined,
  });
  try {
    await membership.joined;
    if (!(isAlone as boolean)) throw inUse(group);
    for (const place of found) {
      await membership.line.commit(place, to === 'start' ? place.low : place.end);
    }
  } catch (error) {
    throw unavailable(`The group ${group} could not be moved`, error, 'safe');
  } finally {
    await membership.leave();
  }
}

async function checkUnused({ administration, names }: PlacesParts, group: string): Promise<void> {
  const name = names.group(group);
  const what = `The group ${group} could not be looked at`;
  const { groups } = await administration.ask(what, (admin) => admin.describeGroups([name]));
  if (groups.some(({ members }) => members.length > 0)) throw inUse(group);
}

function inUse(group: string): LogFault {
  return new LogFault(
    'log.group-in-use',
    'safe',
    `The group ${group} has consumers. Close them, then move its offsets.`,
  );
}
