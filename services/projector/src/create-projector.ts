// Publishes the event store to the event log: every event, and the latest state of each action, in the order
// of each action, at least once. Several instances may run: one works, the others wait for its seat. The place
// moves on only after the log has confirmed; a process that has lost the seat is fenced off by the log itself.
// Where the store went back in time behind its topics, they are written anew.
import {
  type OnFault,
  safeOnFault,
  type Service,
  type ServiceHealth,
  within,
} from '@action-ledger/application';
import { type Sha256 } from '@action-ledger/domain';
import { type EventLog, pauseFor } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { type Encoders, encodersAsJson } from './project.ts';
import { createSeat, type HeldSeat } from './seat.ts';
import { type Term, work } from './work.ts';

export interface ProjectorDeps {
  readonly store: EventStore;
  readonly log: Pick<EventLog, 'openPublisher' | 'newest'>;
  readonly sha256: Sha256;
  /** Wall-clock ms since the epoch, never going back. */
  readonly clock: { nowMs(): number };
  readonly runtime: Runtime;
  /** Of this process, among all that project; the same after a restart. */
  readonly instance: string;
  /** After so long without a word of it, another instance takes over. Default 9,000. */
  readonly leaseMs?: number;
  /** Where few events come, they are gathered for so long before they are published. Default 40. */
  readonly gatherMs?: number;
  /** Default: JSON. */
  readonly encode?: Encoders;
  /** With something to publish and no progress for so long, it is stuck. Default 60,000. */
  readonly stuckAfterMs?: number;
  /** How long `stop` waits for what is being published. Default 10,000. */
  readonly stopWithinMs?: number;
  readonly onFault?: OnFault;
}

export interface Projector extends Service {
  /** It has the seat; false where it waits for it. */
  isWorking(): boolean;
}

export function createProjector(given: ProjectorDeps): Projector {
  const { runtime, stuckAfterMs = 60_000, stopWithinMs = 10_000 } = given;
  const deps = {
    ...given,
    leaseMs: given.leaseMs ?? 9_000,
    gatherMs: given.gatherMs ?? 40,
    encode: given.encode ?? encodersAsJson,
    onFault: safeOnFault(given.onFault),
  };
  let running: Running | undefined;
  return {
    start: async () => {
      if (running !== undefined) throw new Error('The projector was started before.');
      running = run(deps);
    },
    stop: async () => {
      const stopping = running;
      running = undefined;
      if (stopping === undefined) return;
      stopping.stopping.abort();
      const ended = await within(stopWithinMs, runtime.timers, stopping.ended);
      if (!ended) deps.onFault('stopping', new Error('What is being published has not ended.'));
    },
    isWorking: () => running?.term !== undefined,
    health: () => healthOf(running, stuckAfterMs, runtime.clock.monoMs()),
  };
}

interface Running {
  readonly stopping: AbortController;
  readonly counts: { handled: number };
  /** Undefined where another instance has the seat. */
  term: Term | undefined;
  ended: Promise<void>;
}

type Deps = ProjectorDeps &
  Required<Pick<ProjectorDeps, 'leaseMs' | 'gatherMs' | 'encode' | 'onFault'>>;

function run(deps: Deps): Running {
  const stopping = new AbortController();
  const running: Running = {
    stopping,
    counts: { handled: 0 },
    term: undefined,
    ended: Promise.resolve(),
  };
  running.ended = takeTurns(deps, running, stopping.signal);
  return running;
}

async function takeTurns(deps: Deps, running: Running, stop: AbortSignal): Promise<void> {
  const seat = createSeat(deps);
  while (!stop.aborted) {
    const held = await orTell(deps, 'taking the seat', () => seat.take());
    if (held !== undefined) await haveSeat(deps, running, held);
    await pauseFor(deps.leaseMs / 3, deps.runtime, stop);
  }
}

async function haveSeat(deps: Deps, running: Running, held: HeldSeat): Promise<void> {
  const { signal: stop } = running.stopping;
  const lost = new AbortController();
  const keep = inTurn(async () => {
    const isKept = await orTell(deps, 'keeping the seat', () => held.keep(term.place));
    if (isKept === false) lost.abort();
    return isKept === true;
  });
  const term: Term = {
    end: AbortSignal.any([stop, lost.signal]),
    lose: () => {
      lost.abort();
    },
    keep,
    place: held.place,
    busySince: undefined,
    counts: running.counts,
  };
  running.term = term;
  const keeping = keepOften(deps, term);
  await work(deps, term);
  running.term = undefined;
  // What is still said of a seat that another has meets a conflict, whenever it arrives.
  if (lost.signal.aborted) return;
  await keeping;
  await orTell(deps, 'leaving the seat', () => held.leave(term.place));
}

/** The place goes on record with the lease, so that it costs no append of its own. */
async function keepOften(deps: Deps, term: Term): Promise<void> {
  for (;;) {
    await pauseFor(deps.leaseMs / 3, deps.runtime, term.end);
    if (term.end.aborted) return;
    await term.keep();
  }
}

/** One call after another: each goes on from what the one before has appended. */
function inTurn<Result>(act: () => Promise<Result>): () => Promise<Result> {
  let turn: Promise<unknown> = Promise.resolve();
  return () => {
    const mine = turn.then(act, act);
    turn = mine;
    return mine;
  };
}

async function orTell<Result>(
  { onFault }: Deps,
  where: string,
  act: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act();
  } catch (fault) {
    onFault(where, fault);
    return undefined;
  }
}

function healthOf(
  running: Running | undefined,
  stuckAfterMs: number,
  nowMonoMs: number,
): ServiceHealth {
  const since = running?.term?.busySince;
  const stalledMs = since === undefined ? 0 : nowMonoMs - since;
  const counts = { handled: running?.counts.handled ?? 0, deadLetters: 0 };
  return {
    condition: conditionOf(running, stalledMs >= stuckAfterMs),
    stalledMs,
    lag: undefined,
    ...counts,
  };
}

function conditionOf(running: Running | undefined, isStuck: boolean): ServiceHealth['condition'] {
  if (running === undefined) return 'stopped';
  if (running.term === undefined) return 'paused';
  return isStuck ? 'stuck' : 'live';
}
