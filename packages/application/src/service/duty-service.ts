// A service that has one duty of the ledger: it is told of events by its consumer group, takes the truth
// from the streams, and has its core do what is due. Nobody relies on the log for exclusivity, nor for
// completeness: a core that has a duty looks at everything open when it takes it up, and sweeps. So a new
// group begins with what comes now, and a core that services share is not told of what it did itself.
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Core } from '../core/core.ts';
import { type Duty } from '../core/duties.ts';
import { safeOnFault } from '../core/host-functions.ts';
import { within } from '../core/within.ts';
import { type StreamPlace } from '../core/follow-streams.ts';
import { type ConsumerLoop, type ConsumerOptions, createConsumer } from './consumer.ts';
import { placesOf } from './follower.ts';
import { type CoreSource, openServiceCore, type ServiceCore } from './own-core.ts';
import { type Service } from './service.ts';

export interface ServiceDeps extends Pick<
  ConsumerOptions,
  'lookEveryMs' | 'stuckAfterMs' | 'stopWithinMs' | 'onFault' | 'batchMax' | 'lingerMs' | 'retry'
> {
  readonly core: CoreSource;
  readonly log: EventLog;
  readonly runtime: Runtime;
  /** How long `stop` waits for attempts under way. Default 30,000. */
  readonly drainMs?: number;
}

export interface DutyServiceShape {
  /** Also the name of its consumer group. */
  readonly name: string;
  readonly duty: Duty;
  /** Resolves when nothing is lost if the process ends: then the offset moves on. */
  readonly act: (core: Core, places: readonly StreamPlace[]) => Promise<void>;
  /** Wakes it where more can be taken; asked before each call of `act` whether it can. */
  readonly room?: (core: Core) => Core['room'];
}

/** From `start` to the end of `stop`. */
interface Run {
  opened: ServiceCore | undefined;
  readonly stopping: AbortController;
  /** Settles when it works, or has failed, or has let go because it was stopped meanwhile. */
  started: Promise<void>;
  stopped: Promise<void> | undefined;
}

/** So long `stop` waits for a start under way, which lays down what it has taken up when it comes to that. */
const startWithinMs = 10_000;

export function createDutyService(deps: ServiceDeps, shape: DutyServiceShape): Service {
  const { core: source, log, runtime, drainMs } = deps;
  const onFault = safeOnFault(deps.onFault);
  let run: Run | undefined;
  const consumer = createDutyConsumer(deps, shape, () => run?.opened);
  const layDown = async (mine: Run): Promise<void> => {
    const { opened } = mine;
    mine.opened = undefined;
    try {
      await opened?.core.end(shape.duty, drainMs === undefined ? {} : { drainMs });
      await opened?.close();
    } finally {
      if (run === mine) run = undefined;
    }
  };
  const bringUp = async (mine: Run): Promise<void> => {
    const { signal } = mine.stopping;
    try {
      mine.opened = await openServiceCore(source, log, loopOf(deps), signal);
      if (!isAborted(signal)) await mine.opened.core.begin(shape.duty);
      if (!isAborted(signal)) await consumer.start();
    } catch (error) {
      await layDown(mine);
      throw error;
    }
    if (isAborted(signal)) await layDown(mine);
  };
  const takeDown = async (mine: Run): Promise<void> => {
    mine.stopping.abort();
    await consumer.stop();
    const started = mine.started.catch(() => undefined);
    if (await within(startWithinMs, runtime.timers, started)) await layDown(mine);
    else onFault('stopping', new Error(`The start of the ${shape.name} has not ended.`));
  };
  return {
    start: async () => {
      if (run !== undefined) throw new Error(`The ${shape.name} was started before.`);
      const stopping = new AbortController();
      const mine: Run = {
        opened: undefined,
        stopping,
        started: Promise.resolve(),
        stopped: undefined,
      };
      run = mine;
      mine.started = bringUp(mine);
      await mine.started;
    },
    stop: async () => {
      if (run !== undefined) await (run.stopped ??= takeDown(run));
    },
    health: consumer.health,
  };
}

type Loop = Omit<ServiceDeps, 'core' | 'log' | 'drainMs' | 'batchMax' | 'lingerMs' | 'retry'>;

function loopOf({
  core: _core,
  log: _log,
  drainMs: _drain,
  batchMax: _batch,
  lingerMs: _linger,
  retry: _retry,
  ...loop
}: ServiceDeps): Loop {
  return loop;
}

function createDutyConsumer(
  deps: ServiceDeps,
  shape: DutyServiceShape,
  running: () => ServiceCore | undefined,
): ConsumerLoop {
  const { log, batchMax, lingerMs, retry } = deps;
  const consumer = createConsumer({
    ...loopOf(deps),
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
    ...(retry === undefined ? {} : { retry }),
    log,
    group: shape.name,
    topics: [actionTopics.events],
    from: 'now',
    handle: async (records) => {
      const { core, isOwn } = running() ?? {};
      const told = placesOf(records);
      const places = isOwn === true ? told : told.filter((place) => core?.isKnown(place) !== true);
      if (places.length > 0) await core?.follow(places);
      // Nothing of it was done: it stays where it is, for those who have the duty.
      if (core?.has(shape.duty) !== true) throw new Error(`The ${shape.name} is stopped.`);
      if (places.length === 0) return;
      await shape.act(core, places);
      pauseWhileFull(consumer, shape.room?.(core));
    },
  });
  return consumer;
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** What comes now would only wait here, where others may have room. */
function pauseWhileFull(consumer: ConsumerLoop, room: Core['room'] | undefined): void {
  if (room?.isFull() !== true) return;
  consumer.pause();
  room.onRelease(() => {
    if (room.isFull()) return;
    room.onRelease(undefined);
    consumer.resume();
  });
}
