// A service that has one duty of the ledger: it is told of events by its consumer group, takes the truth
// from the streams, and has its core do what is due. Nobody relies on the log for exclusivity, nor for
// completeness: a core that has a duty looks at everything open when it takes it up, and sweeps. So a new
// group begins with what comes now, and a core that services share is not told of what it did itself.
import { actionTopics, type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Core } from '../core/core.ts';
import { type Duty } from '../core/duties.ts';
import { type StreamPlace } from '../core/follow-streams.ts';
import { type ConsumerLoop, type ConsumerOptions, createConsumer } from './consumer.ts';
import { placesOf } from './follower.ts';
import { type CoreSource, openServiceCore, type ServiceCore } from './own-core.ts';
import { type Service } from './service.ts';

export interface ServiceDeps extends Pick<
  ConsumerOptions,
  'lookEveryMs' | 'stuckAfterMs' | 'stopWithinMs' | 'onFault' | 'batchMax' | 'retry'
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

export function createDutyService(deps: ServiceDeps, shape: DutyServiceShape): Service {
  const { core: source, log, drainMs, batchMax, retry, ...loop } = deps;
  let running: ServiceCore | undefined;
  const consumer: ConsumerLoop = createConsumer({
    ...loop,
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(retry === undefined ? {} : { retry }),
    log,
    group: shape.name,
    topics: [actionTopics.events],
    from: 'now',
    handle: async (records) => {
      if (running === undefined) return;
      const { core, isOwn } = running;
      const told = placesOf(records);
      const places = isOwn ? told : told.filter((place) => !core.isKnown(place));
      if (places.length === 0) return;
      await core.follow(places);
      await shape.act(core, places);
      pauseWhileFull(consumer, shape.room?.(core));
    },
  });
  return {
    start: async () => {
      if (running !== undefined) throw new Error(`The ${shape.name} was started before.`);
      running = await openServiceCore(source, log, loop);
      try {
        await running.core.begin(shape.duty);
        await consumer.start();
      } catch (error) {
        await running.close();
        running = undefined;
        throw error;
      }
    },
    stop: async () => {
      const stopping = running;
      if (stopping === undefined) return;
      await consumer.stop();
      running = undefined;
      await stopping.core.end(shape.duty, drainMs === undefined ? {} : { drainMs });
      await stopping.close();
    },
    health: consumer.health,
  };
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
