// A service that has one duty of the ledger: it is told of events by its consumer group, takes the truth
// from the streams, and has its core do what is due. Nobody relies on the log for exclusivity, nor for
// completeness: a core that has a duty looks at everything open when it takes it up, and sweeps. So a new
// group begins with what comes now, and a core that services share is not told of what it did itself.
import { actionTopics } from '@action-ledger/event-log';
import { type Core } from '../core/core.ts';
import { type Duty } from '../core/duties.ts';
import { type StreamPlace } from '../core/follow-streams.ts';
import { type ConsumerLoop, type ConsumerOptions, createConsumer } from './consumer.ts';
import {
  createCoreService,
  type CoreServiceDeps,
  loopOf,
  type RunningCore,
} from './core-service.ts';
import { placesOf } from './follower.ts';
import { type Service } from './service.ts';

export interface ServiceDeps
  extends CoreServiceDeps, Pick<ConsumerOptions, 'batchMax' | 'lingerMs' | 'retry'> {
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

export function createDutyService(deps: ServiceDeps, shape: DutyServiceShape): Service {
  const { drainMs } = deps;
  return createCoreService(deps, {
    name: shape.name,
    takeUp: (core) => core.begin(shape.duty),
    layDown: (core) => core.end(shape.duty, drainMs === undefined ? {} : { drainMs }),
    consume: (running) => createDutyConsumer(deps, shape, running),
  });
}

function createDutyConsumer(
  deps: ServiceDeps,
  shape: DutyServiceShape,
  running: () => RunningCore | undefined,
): ConsumerLoop {
  const { log, batchMax, lingerMs, retry } = deps;
  /** A core that is shared has done itself what it knows of. */
  const isDone = (place: StreamPlace): boolean => {
    const { core, isOwn } = running() ?? {};
    return isOwn === false && core?.has(shape.duty) === true && core.isKnown(place);
  };
  const consumer = createConsumer({
    ...loopOf(deps),
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
    ...(retry === undefined ? {} : { retry }),
    log,
    group: shape.name,
    topics: [actionTopics.events],
    from: 'now',
    passesBy: isDone,
    handle: async (records) => {
      const { core } = running() ?? {};
      const places = placesOf(records).filter((place) => !isDone(place));
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
