// The life of a service that acts on a core: it opens one of its own or takes the one it shares, takes up
// what it is for, and consumes. Stopped, it lays all of that down again, also where its start had not ended.
import { type EventLog } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type Core } from '../core/core.ts';
import { safeOnFault } from '../core/host-functions.ts';
import { within } from '../core/within.ts';
import { type ConsumerLoop, type ConsumerOptions } from './consumer.ts';
import { type CoreSource, openServiceCore, type ServiceCore } from './own-core.ts';
import { type Service } from './service.ts';

type LoopOptions = Pick<
  ConsumerOptions,
  'lookEveryMs' | 'stuckAfterMs' | 'stopWithinMs' | 'onFault' | 'runtime'
>;

export interface CoreServiceDeps extends Omit<LoopOptions, 'runtime'> {
  readonly core: CoreSource;
  readonly log: EventLog;
  readonly runtime: Runtime;
}

export interface CoreServiceShape {
  readonly name: string;
  /** Before it consumes. */
  readonly takeUp?: (core: Core) => Promise<void>;
  /** When it consumes no more. */
  readonly layDown?: (core: Core) => Promise<void>;
  /** @param running what it acts on; undefined before it is started and after it is stopped */
  readonly consume: (running: () => RunningCore | undefined) => ConsumerLoop;
}

export interface RunningCore extends Pick<ServiceCore, 'core' | 'isOwn'> {
  /** Aborted where it is to begin nothing more. */
  readonly stopping: AbortSignal;
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

export function createCoreService(deps: CoreServiceDeps, shape: CoreServiceShape): Service {
  const { core: source, log, runtime } = deps;
  const onFault = safeOnFault(deps.onFault);
  let run: Run | undefined;
  const consumer = shape.consume(() => {
    if (run?.opened === undefined) return undefined;
    const { core, isOwn } = run.opened;
    return { core, isOwn, stopping: run.stopping.signal };
  });
  const layDown = async (mine: Run): Promise<void> => {
    const { opened } = mine;
    mine.opened = undefined;
    try {
      if (opened !== undefined) await shape.layDown?.(opened.core);
      await opened?.close();
    } finally {
      if (run === mine) run = undefined;
    }
  };
  const bringUp = async (mine: Run): Promise<void> => {
    const { signal } = mine.stopping;
    try {
      mine.opened = await openServiceCore(source, log, loopOf(deps), signal);
      if (!isAborted(signal)) await shape.takeUp?.(mine.opened.core);
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

/** What all loops of a service have in common. */
export function loopOf(deps: LoopOptions): LoopOptions {
  const { runtime, lookEveryMs, stuckAfterMs, stopWithinMs, onFault } = deps;
  return {
    runtime,
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
    ...(stuckAfterMs === undefined ? {} : { stuckAfterMs }),
    ...(stopWithinMs === undefined ? {} : { stopWithinMs }),
    ...(onFault === undefined ? {} : { onFault }),
  };
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
