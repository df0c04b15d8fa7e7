// One membership in a group, from joining until it is left, lost or cut off: the client's consumer, held
// so that none of its known failures reaches what is handled. It never restarts itself: whoever has it
// begins another. Records are handed over and nothing waits for them here, so that the client's loop
// goes round all the time, and says with every turn that the consumer lives.
import { type Batch, type Consumer, type EachBatchPayload } from 'kafkajs';
import { type TopicPartition } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { bounded } from './bounded.ts';
import { type Connection, retryUsual } from './connection.ts';
import { createFetchPace, type FetchPace } from './fetch-pace.ts';
import { createGatheredCommits, type GatheredCommits, type Standing } from './gathered-commits.ts';
import { type Arrival } from './inbox.ts';
import { type Line } from './lane.ts';
import { type Names } from './names.ts';
import { type Timing } from './options.ts';
import { recordsOf } from './record-of-message.ts';

export interface Membership {
  readonly line: Line;
  /** Resolves when it has joined first; rejects where it cannot. */
  readonly joined: Promise<void>;
  /** Leaves the group, so that others get its partitions at once. Bounded. */
  readonly leave: () => Promise<void>;
  /** As if the process had died. */
  readonly cut: () => void;
}

export interface MembershipParts {
  readonly connection: Connection;
  readonly group: string;
  readonly topics: readonly string[];
  readonly names: Names;
  readonly timing: Timing;
  readonly runtime: Pick<Runtime, 'timers'>;
  /** Each time that partitions are given out, the first included. */
  readonly onAssigned: (partitions: readonly TopicPartition[], line: Line) => void;
  /** They are about to be given out anew. */
  readonly onRebalancing: () => void;
  /** @returns false where the client must not go on behind it */
  readonly onArrival: (place: TopicPartition, arrival: Arrival, line: Line) => boolean;
  /** It has heard from the brokers. */
  readonly onSign: () => void;
  /** It is over, and does not come back by itself. */
  readonly onCrash: (error: unknown) => void;
}

type CommitNow = EachBatchPayload['commitOffsetsIfNecessary'];

interface State {
  /** What the client gives with each batch: commits once, under the generation of the moment. */
  commitNow: CommitNow | undefined;
  isOver: boolean;
}

export function joinGroup(parts: MembershipParts): Membership {
  const { connection, timing, runtime } = parts;
  const consumer = connection.kafka.consumer({
    groupId: parts.names.group(parts.group),
    sessionTimeout: timing.sessionMs,
    rebalanceTimeout: timing.sessionMs,
    heartbeatInterval: timing.heartbeatMs,
    maxWaitTimeInMs: timing.fetchWaitMs,
    maxBytesPerPartition: 256 * 1024,
    maxBytes: 2 * 1024 * 1024,
    allowAutoTopicCreation: false,
    retry: { ...retryUsual, restartOnFailure: async () => false },
  });
  const state: State = { commitNow: undefined, isOver: false };
  const commits = createGatheredCommits({
    gatherMs: timing.gatherMs,
    timers: runtime.timers,
    send: (standings) => commitAll(consumer, parts.names, state, standings),
  });
  const line = lineOf(consumer, parts, state, commits);
  const pace = createFetchPace(runtime, timing.gatherMs);
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload: { error } }) => {
      state.isOver = true;
      reject(error);
      parts.onCrash(error);
    });
  });
  crashed.catch(() => undefined);
  listen(consumer, parts, line, { commits, pace });
  return {
    line,
    joined: Promise.race([run(consumer, parts, line, { state, pace }), crashed]),
    leave: async () => {
      state.isOver = true;
      await bounded(consumer.disconnect(), timing.closeMs, runtime);
      connection.cut();
    },
    cut: () => {
      state.isOver = true;
      commits.drop();
      connection.cut();
      // Ends its timers; it leaves no group, since it has no connection any more.
      void consumer.disconnect().catch(() => undefined);
    },
  };
}

async function run(
  consumer: Consumer,
  parts: MembershipParts,
  line: Line,
  { state, pace }: { readonly state: State; readonly pace: FetchPace },
): Promise<void> {
  const { names, topics } = parts;
  await consumer.connect();
  // Where a group starts is decided before; the client's own rule is only for offsets that are gone.
  await consumer.subscribe({ topics: topics.map(names.topic), fromBeginning: true });
  await consumer.run({
    autoCommit: false,
    eachBatchAutoResolve: false,
    partitionsConsumedConcurrently: 1,
    eachBatch: async (payload) => {
      const { batch } = payload;
      if (!payload.isRunning() || payload.isStale() || state.isOver) return;
      state.commitNow = (offsets) => payload.commitOffsetsIfNecessary(offsets);
      const topic = names.plain(batch.topic);
      const place = { topic, partition: batch.partition };
      const isTaken = parts.onArrival(place, arrivalOf(batch, topic), line);
      if (isTaken) payload.resolveOffset(batch.lastOffset());
      await pace.brought(batch.messages.length);
    },
  });
}

function listen(
  consumer: Consumer,
  parts: MembershipParts,
  line: Line,
  { commits, pace }: { readonly commits: GatheredCommits; readonly pace: FetchPace },
): void {
  const { GROUP_JOIN, REBALANCING, FETCH, START_BATCH_PROCESS } = consumer.events;
  const { names } = parts;
  consumer.on(FETCH, () => {
    parts.onSign();
    pace.fetched();
  });
  consumer.on(REBALANCING, () => {
    parts.onSign();
    parts.onRebalancing();
    commits.drop();
  });
  consumer.on(GROUP_JOIN, ({ payload }) => {
    parts.onSign();
    commits.drop();
    const partitions = Object.entries(payload.memberAssignment).flatMap(([topic, given]) =>
      given.map((partition) => ({ topic: names.plain(topic), partition })),
    );
    parts.onAssigned(partitions.sort(byPlace), line);
  });
  // Where all that was fetched are marks of transactions or records of aborted ones, this is all that
  // the client tells.
  consumer.on(START_BATCH_PROCESS, ({ payload }) => {
    if (payload.batchSize > 0) return;
    const place = { topic: names.plain(payload.topic), partition: payload.partition };
    parts.onArrival(
      place,
      { from: undefined, next: Number(payload.lastOffset) + 1, records: [] },
      line,
    );
  });
}

function arrivalOf(batch: Batch, topic: string): Arrival {
  // The client has it, and does not list it in its types.
  const { fetchedOffset } = batch as unknown as { readonly fetchedOffset?: unknown };
  return {
    from: Number(fetchedOffset ?? batch.firstOffset()),
    next: Number(batch.lastOffset()) + 1,
    records: recordsOf(batch, topic),
  };
}

function lineOf(
  consumer: Consumer,
  { names }: MembershipParts,
  state: State,
  commits: GatheredCommits,
): Line {
  const unlessOver = (ask: () => void): void => {
    if (!state.isOver) ask();
  };
  return {
    seek: ({ topic, partition }, offset) => {
      unlessOver(() => {
        consumer.seek({ topic: names.topic(topic), partition, offset: String(offset) });
      });
    },
    hold: (places, isHeld) => {
      const named = places.map(({ topic, partition }) => ({
        topic: names.topic(topic),
        partitions: [partition],
      }));
      unlessOver(() => {
        if (isHeld) consumer.pause(named);
        else consumer.resume(named);
      });
    },
    commit: ({ topic, partition }, next) => commits.commit({ topic, partition, next }),
  };
}

async function commitAll(
  consumer: Consumer,
  names: Names,
  { commitNow, isOver }: State,
  standings: readonly Standing[],
): Promise<void> {
  if (isOver) throw new Error('The membership is over.');
  const places = standings.map(({ topic, partition, next }) => ({
    topic: names.topic(topic),
    partition,
    offset: String(next),
  }));
  // Without a batch so far there is only the way that tries again by itself; later than the join it
  // comes before any other commit of this membership, and so cannot undo one.
  if (commitNow === undefined) return consumer.commitOffsets(places);
  const topics = [...new Set(places.map(({ topic }) => topic))];
  return commitNow({
    topics: topics.map((topic) => ({
      topic,
      partitions: places.filter((place) => place.topic === topic),
    })),
  });
}

function byPlace(one: TopicPartition, other: TopicPartition): number {
  if (one.topic !== other.topic) return one.topic < other.topic ? -1 : 1;
  return one.partition - other.partition;
}
