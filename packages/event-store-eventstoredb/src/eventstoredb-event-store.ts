// The event store port over EventStoreDB (20.10 to 26, KurrentDB included) by its gRPC client. Positions
// are those of the server's log, with gaps. A ledger's streams are those with its prefix; whatever else
// is on the server is passed over. Cluster and TLS are the matter of the connection string.
import { checkAppend, checkStreamName, type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Append, createAppend } from './appending.ts';
import { connect } from './connection.ts';
import { createCuts } from './cuts.ts';
import { closedFault } from './faults.ts';
import { Following, type FollowingDeps } from './following.ts';
import { createLanes } from './lanes.ts';
import { createLosses, type Losses } from './losses.ts';
import { createReading } from './reading.ts';
import { createSight } from './sight.ts';
import { createWatch, isAway, type Watch } from './watch.ts';

export interface EventStoreDbOptions {
  /** `esdb://user:password@a:2113,b:2113,c:2113?nodePreference=leader`, as the client takes it. */
  readonly connectionString: string;
  readonly runtime: Runtime;
  /** Of the names of this ledger's streams: letters, digits and _, then one dot. */
  readonly prefix?: string;
  /** Of each call, in milliseconds. */
  readonly deadlineMs?: number;
  /** A subscription that hears nothing for so long asks anew. Milliseconds. */
  readonly watchdogMs?: number;
  /** Between two looks whether the server still holds what it was seen to hold. Milliseconds. */
  readonly lookMs?: number;
}

const prefixUsual = 'ledger.';
const deadlineMsUsual = 5_000;
const watchdogMsUsual = 45_000;
const lookMsUsual = 5_000;
/** None begins with another one. */
const prefixForm = /^\w{1,64}\.$/;

/** @throws StoreFault `store.unavailable` where the server does not answer */
export async function openEventStoreDbEventStore(
  options: EventStoreDbOptions,
): Promise<EventStore> {
  const { runtime, prefix = prefixUsual, deadlineMs = deadlineMsUsual } = options;
  if (!prefixForm.test(prefix))
    throw new RangeError(`A prefix is letters, digits or _, then one dot: not ${prefix}`);
  const connection = connect(options.connectionString, deadlineMs, runtime);
  const cuts = createCuts({ connection, prefix, reading: () => reading });
  const { clock } = runtime;
  const losses = createLosses({ connection, clock, prefix, reading: () => reading });
  const sight = createSight();
  const cutBefore = (stream: string): number => cuts.before(stream);
  const reading = createReading({ connection, runtime, prefix, cutBefore, sight });
  try {
    await cuts.load();
    await losses.load();
    sight.seeEnd(await reading.end());
    const deps = { connection, runtime, prefix, reading, sight, cutBefore };
    const { watchdogMs = watchdogMsUsual, lookMs: everyMs = lookMsUsual } = options;
    const watch = createWatch({ runtime, reading, sight, losses, everyMs });
    return createStore({ ...deps, cuts, losses, watch, watchdogMs });
  } catch (error) {
    await connection.close();
    throw error;
  }
}

type StoreDeps = Parameters<typeof createAppend>[0] &
  FollowingDeps & {
    readonly cuts: ReturnType<typeof createCuts>;
    readonly losses: Losses;
    readonly watch: Watch;
    readonly reading: ReturnType<typeof createReading>;
  };

function createStore(deps: StoreDeps): EventStore {
  const { connection, reading, cuts, losses, watch } = deps;
  const append = watchedAppend(deps);
  const lanes = createLanes();
  const followers = new Set<Following>();
  let closing: Promise<void> | undefined;

  const checkOpen = (): void => {
    if (closing !== undefined) throw closedFault();
  };
  const close = async (): Promise<void> => {
    watch.close();
    for (const follower of [...followers]) follower.end(closedFault());
    await lanes.idle();
    await connection.close();
  };
  return {
    append: async (stream, expected, events) => {
      checkOpen();
      checkAppend(stream, expected, events);
      return lanes.run(stream, () => append(stream, expected, events));
    },
    readStream: async (stream, from = 0) => {
      checkOpen();
      checkStreamName(stream);
      return reading.stream(stream, Math.max(0, from));
    },
    readAll: async ({ after, max }) => {
      checkOpen();
      return reading.page(after, max);
    },
    truncate: async (wanted) => {
      checkOpen();
      await cuts.truncate(wanted);
    },
    subscribe: (after, subscriber) => {
      checkOpen();
      const follower = new Following(deps, after, subscriber, () => followers.delete(follower));
      followers.add(follower);
      return {
        close: () => {
          follower.close();
        },
      };
    },
    head: async () => {
      checkOpen();
      return (await reading.head())?.position ?? 0;
    },
    condition: losses.condition,
    noteLoss: async (loss) => {
      checkOpen();
      return losses.noteLoss(loss);
    },
    confirmRecovered: async () => {
      checkOpen();
      await losses.confirmRecovered();
    },
    close: () => (closing ??= close()),
  };
}

/** Nothing is appended unseen to a server that went back in time. */
function watchedAppend(deps: StoreDeps): Append {
  const { watch, sight } = deps;
  const append = createAppend(deps);
  return async (stream, expected, events) => {
    await watch.beSure();
    const seen = sight.head();
    const result = await append(stream, expected, events).catch((fault: unknown) => {
      if (isAway(fault)) watch.doubt();
      throw fault;
    });
    if (result.kind === 'appended' && result.position <= seen)
      await watch.lookAfter(`The append to ${stream}`);
    return result;
  };
}
