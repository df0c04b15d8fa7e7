// The event log of a world over real Kafka brokers: the real projector publishes the store, and each
// process has consumers of its own, which are gone without a word when it dies. Brokers know nothing of
// virtual time; so a world waits until each group has handled what was published, as far as its members can.
import { randomUUID } from 'node:crypto';
import {
  actionTopics,
  type ConsumeOptions,
  type Consumer,
  type EventLog,
  isOutage,
  pauseAfter,
  pauseFor,
  type Publisher,
} from '@action-ledger/event-log';
import { type KafkaEventLog, openKafkaEventLog } from '@action-ledger/event-log-kafka';
import { type EventStore } from '@action-ledger/event-store';
import { createProjector, type Projector } from '@action-ledger/projector';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import { type VirtualRuntime } from '@action-ledger/testkit';
import { Kafka, logLevel } from 'kafkajs';
import { createGroups, type Groups, type Member } from './broker-groups.ts';
import { type Life } from './mortal.ts';
import { sha256 } from './sha256.ts';
import { type Traffic } from './traffic.ts';

export interface BrokerLog {
  /** As a process has it, until it dies. */
  readonly of: (life: Life, runtime: Pick<Runtime, 'timers'>) => EventLog;
  /** Nothing is published until it goes on. */
  readonly rest: () => Promise<void>;
  /** It goes on with a store that has lost what it held last. */
  readonly goBack: (store: EventStore) => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface BrokerLogOptions {
  readonly brokers: readonly string[];
  readonly store: EventStore;
  readonly time: VirtualRuntime;
  readonly traffic: Traffic;
}

const partitions = 2;
/** A member that has died keeps the others of its group waiting for a session. */
const timing = { sessionMs: 2_000, heartbeatMs: 300, fetchWaitMs: 200, stallMs: 60_000 };
/** Of the seat of the projector, in virtual time: each third of it costs an append. */
const leaseMs = 60 * 24 * 3_600_000;
/** Publishing takes no virtual time, as in every other setting. */
const gatherMs = 0;

export async function openBrokerLog(options: BrokerLogOptions): Promise<BrokerLog> {
  const { brokers, time, traffic } = options;
  const prefix = `w-${randomUUID()}.`;
  const real = createSystemRuntime();
  const log = await openKafkaEventLog({
    ...{ brokers, prefix, timing, runtime: real },
    topics: { partitions },
  });
  const groups = createGroups(partitions);
  traffic.also(groups.areBehind);
  const parts = { log, groups, traffic, real, turn: inTurn() };
  const faults: unknown[] = [];
  let hasGoneBack = false;
  const newest: EventLog['newest'] = (topics) => traffic.during(log.newest(topics));
  const projecting = (store: EventStore): Projector =>
    createProjector({
      ...{ store, sha256, leaseMs, gatherMs, runtime: time, instance: 'projector' },
      log: { openPublisher: (given) => openPublisher(parts, given), newest },
      clock: { nowMs: () => time.clock.wallMs() },
      onFault: (where, fault) => {
        // It is to notice that.
        if (!hasGoneBack || where !== 'the store') faults.push(where, fault);
      },
    });
  let projector = projecting(options.store);
  await projector.start();
  const consumers = new Set<() => void>();
  return {
    rest: () => projector.stop(),
    goBack: async (store) => {
      hasGoneBack = true;
      projector = projecting(store);
      await projector.start();
    },
    of: (life, runtime) => ({
      openPublisher: () => Promise.reject(new Error('The projector alone publishes.')),
      consume: async (given) => {
        const joined = await join(parts, given, life, runtime);
        consumers.add(joined.kill);
        return joined.consumer;
      },
      newest,
      lag: (group, topics) => traffic.during(log.lag(group, topics)),
      reset: (request) => traffic.during(log.reset(request)),
      close: async () => undefined,
    }),
    close: async () => {
      for (const kill of consumers) kill();
      await projector.stop();
      await log.close();
      await removeTopics(brokers, prefix);
      if (faults.length > 0) throw new AggregateError(faults, 'The projector has met faults.');
    },
  };
}

interface Parts {
  readonly log: KafkaEventLog;
  readonly groups: Groups;
  readonly traffic: Traffic;
  readonly real: Pick<Runtime, 'timers'>;
  /** What a group begins behind is known: while one begins nothing is published. */
  readonly turn: Turn;
}

type Turn = <Result>(act: () => Promise<Result>) => Promise<Result>;

function inTurn(): Turn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const mine = last.then(act, act);
    last = mine;
    return mine;
  };
}

async function openPublisher(
  { log, groups, traffic, turn }: Parts,
  options: Parameters<EventLog['openPublisher']>[0],
): Promise<Publisher> {
  const publisher = await traffic.during(log.openPublisher(options));
  return {
    publish: (records) =>
      traffic.during(
        turn(async () => {
          await publisher.publish(records);
          groups.published(records.filter(({ topic }) => topic === actionTopics.events));
        }),
      ),
    close: () => traffic.during(publisher.close()),
  };
}

interface Joined {
  readonly consumer: Consumer;
  readonly kill: () => void;
}

async function join(
  { log, groups, traffic, turn, real }: Parts,
  options: ConsumeOptions,
  life: Life,
  runtime: Pick<Runtime, 'timers'>,
): Promise<Joined> {
  const { move } = traffic;
  const group = groups.of(options.group);
  const member = group.join();
  const consume = async () => {
    const consumer = await untilThere(real, () =>
      log.consume(wrapped(options, { member, move, runtime })),
    );
    group.begun();
    return consumer;
  };
  const consumer = await traffic
    .during(group.hasBegun() ? consume() : turn(consume))
    .catch((error: unknown) => {
      member.leave();
      throw error;
    });
  const kill = (): void => {
    member.leave();
    consumer.kill();
    move();
  };
  void life.death.then(kill);
  return {
    kill,
    consumer: {
      ...consumer,
      pause: () => {
        member.setPaused(true);
        consumer.pause();
        move();
      },
      resume: () => {
        member.setPaused(false);
        consumer.resume();
        move();
      },
      close: async () => {
        await traffic.during(consumer.close());
        member.leave();
        move();
      },
    },
  };
}

/** A broker that is too busy to let somebody in is asked again in real time: whoever starts lets none pass. */
async function untilThere<Result>(
  runtime: Pick<Runtime, 'timers'>,
  act: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isOutage(error)) throw error;
      await pauseFor(100, runtime, new AbortController().signal);
    }
  }
}

interface Hand {
  readonly member: Member;
  readonly move: () => void;
  readonly runtime: Pick<Runtime, 'timers'>;
}

/** Between two tries virtual time passes, and next to none of the real one. */
function wrapped(options: ConsumeOptions, { member, move, runtime }: Hand): ConsumeOptions {
  const { retry = {}, handler, onAssigned, onRevoked, onFault } = options;
  return {
    ...options,
    retry: { ...retry, pauseMinMs: 1, pauseMaxMs: 1 },
    handler: async (records, delivery) => {
      const end = member.begin(delivery.partition);
      move();
      try {
        if (delivery.attempt > 1)
          await pauseFor(pauseAfter(delivery.attempt - 1, retry), runtime, delivery.signal);
        await handler(records, delivery);
        member.handled(records);
      } finally {
        end();
        move();
      }
    },
    onAssigned: (assignment) => {
      member.assigned(assignment.partitions);
      move();
      onAssigned?.(assignment);
    },
    onRevoked: (assignment) => {
      member.assigned([]);
      move();
      onRevoked?.(assignment);
    },
    onFault: (fault) => {
      if (fault.kind === 'dead letter') member.handled([fault.record]);
      move();
      onFault?.(fault);
    },
  };
}

async function removeTopics(brokers: readonly string[], prefix: string): Promise<void> {
  const admin = new Kafka({ brokers: [...brokers], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(prefix));
  await admin.deleteTopics({ topics });
  await admin.disconnect();
}
