// The loop that services have in common: a consumer of the event log that starts when the log is there,
// gives each event once as far as it remembers, stops within a bound, and knows whether it gets on.
import {
  type ConsumeOptions,
  type ConsumerFault,
  type Consumer,
  type Delivery,
  type EventLog,
  isOutage,
  type LogRecord,
  pauseAfter,
  pauseFor,
  type RetryRules,
} from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type OnFault, safeOnFault } from '../core/host-functions.ts';
import { within } from '../core/within.ts';
import { watchLiveness, type Liveness } from './liveness.ts';
import { createNewerOnly, handleAll } from './newer-only.ts';
import { type Service, type ServiceHealth } from './service.ts';

export interface ConsumerOptions extends Pick<ConsumeOptions, 'passesBy'> {
  readonly log: EventLog;
  readonly group: string;
  readonly topics: readonly string[];
  /** Default `start`: nothing is missed. */
  readonly from?: 'start' | 'now';
  /** Called with at least one record; see `RecordHandler` for what its errors bring about. */
  readonly handle: (records: readonly LogRecord[], delivery: Delivery) => Promise<void>;
  /** False: records are no events of the ledger, whatever their headers say; all of them are handled. Default true. */
  readonly areEvents?: boolean;
  readonly runtime: Runtime;
  /** Told of every failure, dead letter and refused commit, and when it is stuck. */
  readonly onFault?: OnFault;
  readonly batchMax?: number;
  /** Default 0: see `ConsumeOptions`. */
  readonly lingerMs?: number;
  readonly retry?: RetryRules;
  /** How often the lag is looked at. Default 5,000. */
  readonly lookEveryMs?: number;
  /** Without progress for so long while something waits, it is stuck. Default 60,000. */
  readonly stuckAfterMs?: number;
  /** How long `stop` waits for running handlers. Default 10,000. */
  readonly stopWithinMs?: number;
}

export interface ConsumerLoop extends Service {
  /** Takes nothing more for now: no free slot. What waits meanwhile does not make it stuck. */
  pause(): void;
  resume(): void;
}

export function createConsumer(options: ConsumerOptions): ConsumerLoop {
  const { runtime, stuckAfterMs = 60_000, stopWithinMs = 10_000 } = options;
  const onFault = safeOnFault(options.onFault);
  const counts = { handled: 0, redelivered: 0, deadLetters: 0 };
  let running: Running | undefined;
  let isPaused = false;

  return {
    start: async () => {
      if (running !== undefined)
        throw new Error(`The consumer ${options.group} was started before.`);
      const started = createRunning({ ...options, onFault, counts, stuckAfterMs });
      running = started;
      try {
        await started.join(() => isPaused);
      } catch (error) {
        running = undefined;
        throw error;
      }
    },
    stop: async () => {
      const stopping = running;
      running = undefined;
      if (stopping === undefined) return;
      const isInTime = await within(stopWithinMs, runtime.timers, stopping.close());
      if (!isInTime) onFault('stopping', new Error(`A handler of ${options.group} has not ended.`));
    },
    pause: () => {
      isPaused = true;
      running?.consumer()?.pause();
    },
    resume: () => {
      isPaused = false;
      running?.resumed();
    },
    health: (): ServiceHealth => {
      const stalledMs = isPaused ? 0 : (running?.liveness()?.stalledMs() ?? 0);
      const condition = conditionOf(running, isPaused, stalledMs >= stuckAfterMs);
      const { redelivered, ...others } = counts;
      const known = options.areEvents === false ? {} : { redelivered };
      return { condition, stalledMs, lag: running?.liveness()?.lag(), ...others, ...known };
    },
  };
}

function conditionOf(
  running: Running | undefined,
  isPaused: boolean,
  isStuck: boolean,
): ServiceHealth['condition'] {
  if (running === undefined) return 'stopped';
  if (running.consumer() === undefined) return 'starting';
  if (isPaused) return 'paused';
  return isStuck ? 'stuck' : 'live';
}

interface Running {
  /** Tries until the log is there, or it is closed. */
  readonly join: (isPaused: () => boolean) => Promise<void>;
  readonly consumer: () => Consumer | undefined;
  readonly liveness: () => Liveness | undefined;
  readonly resumed: () => void;
  readonly close: () => Promise<void>;
}

interface RunningParts extends ConsumerOptions {
  readonly onFault: OnFault;
  readonly counts: { handled: number; redelivered: number; deadLetters: number };
  readonly stuckAfterMs: number;
}

function createRunning(parts: RunningParts): Running {
  const { log, runtime, onFault, group, topics } = parts;
  const closing = new AbortController();
  let consumer: Consumer | undefined;
  let liveness: Liveness | undefined;
  let isPaused = (): boolean => false;
  let isToldStuck = false;
  const tellStuck = (): void => {
    const isStuck = !isPaused() && (liveness?.stalledMs() ?? 0) >= parts.stuckAfterMs;
    if (isStuck && !isToldStuck)
      onFault('stuck', new Error(`The consumer ${group} makes no progress.`));
    isToldStuck = isStuck;
  };
  const watch = (): Liveness =>
    watchLiveness({
      runtime,
      lag: () => log.lag(group, topics),
      assigned: () => consumer?.assignment().partitions ?? [],
      everyMs: parts.lookEveryMs ?? 5_000,
      onFault: (fault) => {
        onFault('lag', fault);
      },
      onLooked: tellStuck,
    });

  return {
    join: async (paused) => {
      isPaused = paused;
      const joined = await joinWhenThere(parts, closing.signal, () => {
        liveness?.beginAnew();
      });
      if (joined === undefined) return;
      if (closing.signal.aborted) {
        await joined.close();
        return;
      }
      consumer = joined;
      if (isPaused()) joined.pause();
      liveness = watch();
    },
    consumer: () => consumer,
    liveness: () => liveness,
    resumed: () => {
      consumer?.resume();
      // What waited during the pause was not stuck.
      liveness?.beginAnew();
    },
    close: async () => {
      closing.abort();
      liveness?.close();
      await consumer?.close();
    },
  };
}

/** @param onAway what the handler needs does not answer */
function consumeFrom(parts: RunningParts, onAway: () => void): Promise<Consumer> {
  const { group, topics, from = 'start', batchMax, lingerMs, passesBy, retry, counts } = parts;
  const memory = parts.areEvents === false ? handleAll : createNewerOnly();
  return parts.log.consume({
    group,
    topics,
    from,
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
    ...(passesBy === undefined ? {} : { passesBy }),
    ...(retry === undefined ? {} : { retry }),
    handler: async (records, delivery) => {
      const newer = memory.newer(records);
      if (newer.length > 0) await parts.handle(newer, delivery);
      memory.handled(newer);
      counts.handled += newer.length;
      counts.redelivered += records.length - newer.length;
    },
    onFault: (fault) => {
      if (fault.kind === 'dead letter') counts.deadLetters += 1;
      if (fault.kind === 'handler' && isOutage(fault.error)) onAway();
      parts.onFault(fault.kind, faultOf(fault));
    },
  });
}

/** What a program logs: where it was, and why. */
function faultOf(fault: ConsumerFault): Error {
  switch (fault.kind) {
    case 'handler': {
      const { topic, partition, offset, attempt, error, againInMs } = fault;
      const place = `${topic}/${partition}/${offset}`;
      const message = `The record ${place} failed (${attempt}), again in ${againInMs} ms.`;
      return new Error(message, { cause: error });
    }
    case 'dead letter': {
      const { topic, partition, offset } = fault.record;
      return new Error(`The record ${topic}/${partition}/${offset} was put aside: ${fault.reason}`);
    }
    case 'commit refused':
      return new Error(`${fault.topic}/${fault.partition} was lost while a handler ran.`);
    case 'log': {
      const place = `${fault.topic}/${fault.partition}`;
      const message = `The log failed at ${place}, again in ${fault.againInMs} ms.`;
      return new Error(message, { cause: fault.error });
    }
    case 'stalled': {
      const { topic, partition, lag, silentMs } = fault;
      return new Error(`${lag} records of ${topic}/${partition} have not come for ${silentMs} ms.`);
    }
    case 'rejoin': {
      const message = `The consumer has lost its brokers, again in ${fault.againInMs} ms.`;
      return new Error(message, { cause: fault.error });
    }
  }
}

async function joinWhenThere(
  parts: RunningParts,
  stop: AbortSignal,
  onAway: () => void,
): Promise<Consumer | undefined> {
  const { runtime, onFault, retry = {} } = parts;
  for (let failures = 1; ; failures += 1) {
    if (stop.aborted) return undefined;
    try {
      const joined = await consumeFrom(parts, onAway);
      if (!isAborted(stop)) return joined;
      await joined.close();
      return undefined;
    } catch (error) {
      if (!isOutage(error)) throw error;
      onFault('starting', error);
      await pauseFor(pauseAfter(failures, retry), runtime, stop);
    }
  }
}

/** It changes while others run, which the compiler cannot see. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
