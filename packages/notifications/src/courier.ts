// Carries notifications to their endpoints: some at a time for each, again after growing pauses where
// one fails, and given up after a bound. What was dealt with before it could be sent is dropped.
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { type Endpoint, type Sent } from './endpoint.ts';
import { type Errand, type ErrandEnd } from './notice-book.ts';

export interface CourierRules {
  /** Sends of one notification to one endpoint by one process. Default 30. */
  readonly triesMax?: number;
  /** A failure so long after this process took it up is the last. Default 24 h. */
  readonly ageMaxMs?: number;
  /** After the first failure, doubled by each further one; half of it is by chance. Default 5,000. */
  readonly pauseMinMs?: number;
  /** Default 3,600,000. */
  readonly pauseMaxMs?: number;
  /** One that has not answered for so long has failed. Default 60,000. */
  readonly answerMaxMs?: number;
  /** At once, to one endpoint. Default 4. */
  readonly sendsMax?: number;
}

export interface CourierDeps {
  readonly runtime: Pick<Runtime, 'clock' | 'timers' | 'randomness'>;
  readonly endpoints: readonly Endpoint[];
  readonly rules?: CourierRules;
  /** Whether somebody still needs to be told. May reject: then it is asked again. */
  readonly stands: (errand: Errand) => Promise<boolean>;
  /** Durable when it resolves. May reject: then it is tried again, and nothing is sent again for that. */
  readonly onEnd: (errand: Errand, end: ErrandEnd) => Promise<void>;
  readonly onFault: (where: string, fault: unknown) => void;
}

export interface Courier {
  take(errand: Errand): void;
  /** Taken and not ended. */
  size(): number;
  /** Tries that failed, since the start. */
  failures(): number;
  /** Begins nothing more; resolves when what is being sent has ended. May be started again. */
  stop(): Promise<void>;
}

interface Job {
  readonly errand: Errand;
  readonly takenMono: number;
  tries: number;
  faults: number;
  dueMono: number;
  end: ErrandEnd | undefined;
}

interface Lane {
  readonly endpoint: Endpoint;
  readonly jobs: Set<Job>;
  readonly running: Set<Promise<void>>;
  timer: Timer | undefined;
}

export function createCourier(deps: CourierDeps): Courier {
  const { runtime, endpoints } = deps;
  const rules = { ...usualRules, ...deps.rules };
  const lanes = new Map(endpoints.map((endpoint) => [endpoint.name, laneOf(endpoint)]));
  let isStopped = false;
  let failures = 0;
  const onFailed = (): void => {
    failures += 1;
  };
  const carrying: Carrying = { deps, rules, onFailed };

  const pump = (lane: Lane): void => {
    lane.timer?.cancel();
    if (isStopped) return;
    let next = Infinity;
    for (const job of lane.jobs) {
      if (lane.running.size >= rules.sendsMax) return;
      if (job.dueMono > runtime.clock.monoMs()) next = Math.min(next, job.dueMono);
      else run(lane, job);
    }
    if (next === Infinity) return;
    lane.timer = runtime.timers.after(next - runtime.clock.monoMs(), () => {
      pump(lane);
    });
  };
  const run = (lane: Lane, job: Job): void => {
    lane.jobs.delete(job);
    const done = attempt(carrying, lane.endpoint, job).then((hasEnded) => {
      if (!hasEnded) lane.jobs.add(job);
      lane.running.delete(done);
      pump(lane);
    });
    lane.running.add(done);
  };
  return {
    take: (errand) => {
      const lane = lanes.get(errand.endpoint);
      if (lane === undefined || isStopped) return;
      const now = runtime.clock.monoMs();
      lane.jobs.add({ errand, takenMono: now, tries: 0, faults: 0, dueMono: now, end: undefined });
      pump(lane);
    },
    size: () =>
      [...lanes.values()].reduce((sum, { jobs, running }) => sum + jobs.size + running.size, 0),
    failures: () => failures,
    stop: async () => {
      isStopped = true;
      for (const lane of lanes.values()) lane.timer?.cancel();
      await Promise.all([...lanes.values()].flatMap(({ running }) => [...running]));
    },
  };
}

const usualRules: Required<CourierRules> = {
  triesMax: 30,
  ageMaxMs: 24 * 3_600_000,
  pauseMinMs: 5_000,
  pauseMaxMs: 3_600_000,
  answerMaxMs: 60_000,
  sendsMax: 4,
};

function laneOf(endpoint: Endpoint): Lane {
  return { endpoint, jobs: new Set(), running: new Set(), timer: undefined };
}

/** One step of a job: look, send, record. Where it has not ended, it says when the next one is due. */
async function attempt(carrying: Carrying, endpoint: Endpoint, job: Job): Promise<boolean> {
  const { deps } = carrying;
  try {
    job.end ??= await trySend(carrying, endpoint, job);
    if (job.end === undefined) return false;
    await deps.onEnd(job.errand, job.end);
    return true;
  } catch (fault) {
    // The record could not be read or written: what was sent is not sent again for that.
    job.faults += 1;
    job.dueMono = deps.runtime.clock.monoMs() + pauseMs(carrying, Math.min(job.faults, 6));
    deps.onFault(`the notification ${job.errand.notification.id}`, fault);
    return false;
  }
}

interface Carrying {
  readonly deps: CourierDeps;
  readonly rules: Required<CourierRules>;
  readonly onFailed: () => void;
}

/** @returns undefined where it failed and is tried again */
async function trySend(
  carrying: Carrying,
  endpoint: Endpoint,
  job: Job,
): Promise<ErrandEnd | undefined> {
  const { deps, rules, onFailed } = carrying;
  if (!(await deps.stands(job.errand)))
    return { kind: 'dropped', reason: 'it was dealt with before it could be sent' };
  const sent = await answerOf(carrying, endpoint, job.errand);
  job.tries += 1;
  if (sent.kind === 'delivered') return { kind: 'delivered', tries: job.tries };
  onFailed();
  const now = deps.runtime.clock.monoMs();
  const isSpent = job.tries >= rules.triesMax || now - job.takenMono >= rules.ageMaxMs;
  if (sent.kind === 'refused' || isSpent)
    return { kind: 'given up', tries: job.tries, reason: sent.reason };
  const askedMs = Math.min(sent.afterMs ?? 0, rules.pauseMaxMs);
  job.dueMono = now + Math.max(pauseMs(carrying, job.tries), askedMs);
  return undefined;
}

/** A function of the program may never return: it must hold back neither the others nor the end. */
function answerOf(
  { deps, rules }: Carrying,
  endpoint: Endpoint,
  { notification }: Errand,
): Promise<Sent> {
  return new Promise((resolve) => {
    const reason = `no answer within ${rules.answerMaxMs} ms`;
    const timer = deps.runtime.timers.after(rules.answerMaxMs, () => {
      resolve({ kind: 'failed', reason });
    });
    void endpoint.send(notification).then((sent) => {
      timer.cancel();
      resolve(sent);
    });
  });
}

function pauseMs({ deps, rules }: Carrying, failed: number): number {
  const whole = Math.min(rules.pauseMaxMs, rules.pauseMinMs * 2 ** Math.min(failed - 1, 30));
  return whole / 2 + (whole / 2) * deps.runtime.randomness.next();
}
