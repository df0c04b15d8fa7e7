// The auditor: follows the events of the ledger and checks what must always hold of each stream that moves,
// and from time to time of all of them. It mends no stream; what it finds broken it puts on record once, where
// the notifier finds it, and it is held up by no record, however damaged.
import {
  type BrokenRecord,
  type ConsumerOptions,
  createConsumer,
  placesOf,
  type RecordStreamDeps,
  safeOnFault,
  type Service,
  sideBySide,
} from '@action-ledger/application';
import { actionOfStream } from '@action-ledger/domain';
import { actionTopics } from '@action-ledger/event-log';
import { type Runtime } from '@action-ledger/runtime';
import { type BreachBook, createBreachBook } from './breach-book.ts';
import { type CheckDeps, checkStream } from './check-stream.ts';
import { createDailyPass, type DailyPass } from './daily-pass.ts';
import { createPassBook } from './pass-book.ts';
import { createRests, type Rests } from './rests.ts';
import { createSecondLooks, type SecondLooks } from './second-looks.ts';
import { compareStates, type CompareStatesDeps } from './states/compare-states.ts';
import { passOverAll, type WholePassDeps } from './whole-pass.ts';

export interface AuditorDeps
  extends
    RecordStreamDeps,
    Pick<CheckDeps, 'ownerOfExternalId'>,
    Pick<
      ConsumerOptions,
      'log' | 'batchMax' | 'lingerMs' | 'lookEveryMs' | 'stuckAfterMs' | 'stopWithinMs' | 'onFault'
    > {
  readonly runtime: Runtime;
  /** Default `auditor`. */
  readonly group?: string;
  /** Each breach that was not on record before. */
  readonly onBroken?: (breach: BrokenRecord) => void;
  /** Puts the damaged stream of an action into quarantine. @returns false where it finds it whole */
  readonly quarantine?: (actionId: string) => Promise<boolean>;
  /** What projections say otherwise than the streams; `rest` is to be awaited between rows. */
  readonly compareProjections?: (rest: () => Promise<void>) => AsyncIterable<BrokenRecord>;
  /**
   * Compares the topic of states, which a projector writes, with the streams, and asks it to mend what is
   * not as it should be. `textOf` reads a state as it is told; `actionsMax` are held in memory, default 250,000.
   */
  readonly states?: Pick<CompareStatesDeps, 'textOf' | 'actionsMax'>;
  /** It rests so many times as long as it has worked. Default 9, for a process that it shares with those who work. */
  readonly restPerWork?: number;
  /** So many streams that have moved are checked at once; with more than one it rests between none of them. Default 1. */
  readonly atOnceMax?: number;
  /** Of the ledger that it watches. Default 5,000. */
  readonly sweepMs?: number;
  /** Between two passes over everything, also of processes before, and before the first. Default 24 h. */
  readonly passEveryMs?: number;
}

export interface Auditor extends Service {
  /** On record, oldest first. @throws StoreFault */
  breaches(): Promise<readonly BrokenRecord[]>;
}

const dayMs = 24 * 3_600_000;
/** So many sweeps something may take that is told in two halves. */
const graceSweeps = 3;

interface Running {
  readonly looks: SecondLooks;
  readonly rests: Rests;
  readonly passes: DailyPass;
  isStopped: boolean;
}

export function createAuditor(given: AuditorDeps): Auditor {
  const deps = { ...given, sweepMs: given.sweepMs ?? 5_000, onFault: safeOnFault(given.onFault) };
  const book = createBreachBook(deps);
  let running: Running | undefined;
  const { group = 'auditor', batchMax, lingerMs, lookEveryMs, stuckAfterMs, stopWithinMs } = deps;
  const consumer = createConsumer({
    log: deps.log,
    group,
    topics: [actionTopics.events],
    runtime: deps.runtime,
    onFault: deps.onFault,
    ...(batchMax === undefined ? {} : { batchMax }),
    ...(lingerMs === undefined ? {} : { lingerMs }),
    ...(lookEveryMs === undefined ? {} : { lookEveryMs }),
    ...(stuckAfterMs === undefined ? {} : { stuckAfterMs }),
    ...(stopWithinMs === undefined ? {} : { stopWithinMs }),
    handle: async (records) => {
      const here = running === undefined ? undefined : { book, running };
      const streams = new Set(placesOf(records).map((place) => place.stream));
      if (here !== undefined) await auditMoved(deps, here, streams);
    },
  });
  return {
    start: async () => {
      const mine = begin(deps, book);
      running = mine;
      try {
        await consumer.start();
      } catch (error) {
        await end(mine);
        running = undefined;
        throw error;
      }
    },
    stop: async () => {
      if (running !== undefined) await end(running);
      await consumer.stop();
      running = undefined;
    },
    health: consumer.health,
    breaches: () => book.all(),
  };
}

type Deps = AuditorDeps & Required<Pick<AuditorDeps, 'sweepMs' | 'onFault'>>;

interface Here {
  readonly book: BreachBook;
  readonly running: Running;
}

function begin(deps: Deps, book: BreachBook): Running {
  const { runtime, onFault } = deps;
  const rests = createRests(runtime, deps.restPerWork);
  const running: Running = {
    rests,
    looks: createSecondLooks(runtime, graceSweeps * deps.sweepMs, async (streams) => {
      for (const stream of streams) {
        if (running.isStopped) return;
        await orTell(`a second look at ${stream}`, () => audit(deps, here, stream));
        await rests.take();
      }
    }),
    passes: createDailyPass({
      ...deps,
      book: createPassBook(deps),
      everyMs: deps.passEveryMs ?? dayMs,
      pauseMs: graceSweeps * deps.sweepMs,
      pass: (from, onMoved) => passOverAll({ ...passDeps(deps, here), onMoved }, from),
    }),
    isStopped: false,
  };
  const here = { book, running };
  const orTell = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (fault) {
      if (!running.isStopped) onFault(what, fault);
    }
  };
  running.passes.start();
  return running;
}

async function end(running: Running): Promise<void> {
  running.isStopped = true;
  running.looks.stop();
  running.rests.end();
  await running.passes.stop();
}

function passDeps(deps: Deps, here: Here): Omit<WholePassDeps, 'onMoved'> {
  return {
    ...deps,
    rests: here.running.rests,
    audit: (stream) => audit(deps, here, stream),
    report: (breach) => report(deps, here, breach),
    outage: () =>
      new Promise((resolve) => void deps.runtime.timers.after(graceSweeps * deps.sweepMs, resolve)),
    isStopped: () => here.running.isStopped,
    compareProjections: (rest) => projections(deps, here, rest),
  };
}

async function* projections(
  deps: Deps,
  { running }: Here,
  rest: () => Promise<void>,
): AsyncGenerator<BrokenRecord> {
  yield* deps.compareProjections?.(rest) ?? [];
  if (deps.states === undefined) return;
  yield* compareStates({ ...deps, ...deps.states, rest, isStopped: () => running.isStopped });
}

/** @throws StoreFault where the store is away: then they come again */
async function auditMoved(deps: Deps, here: Here, streams: Iterable<string>): Promise<void> {
  const { running } = here;
  const { atOnceMax = 1 } = deps;
  if (atOnceMax === 1) {
    for (const stream of streams) {
      await audit(deps, here, stream);
      await running.rests.take();
    }
    return;
  }
  await sideBySide(
    streams,
    async (stream) => {
      const found = await breachesOf(deps, here, stream);
      if (found.length > 0) await running.rests.inTurn(() => reportAll(deps, here, found));
    },
    atOnceMax,
  );
}

/** @throws StoreFault where the store is away: then it comes again */
async function audit(deps: Deps, here: Here, stream: string): Promise<void> {
  await here.running.rests.inTurn(async () => {
    await reportAll(deps, here, await breachesOf(deps, here, stream));
  });
}

async function breachesOf(
  deps: Deps,
  { running }: Here,
  stream: string,
): Promise<readonly BrokenRecord[]> {
  // Nothing goes on in a store that went back in time, and its end is missing.
  if (deps.store.condition().kind !== 'ready') return [];
  const findings = await checkStream(deps, stream);
  return [...findings.certain, ...running.looks.note(stream, findings)];
}

async function reportAll(deps: Deps, here: Here, breaches: readonly BrokenRecord[]): Promise<void> {
  for (const breach of breaches) await report(deps, here, breach);
}

async function report(
  { quarantine, onBroken, onFault }: Deps,
  { book }: Pick<Here, 'book'>,
  breach: BrokenRecord,
): Promise<void> {
  const actionId = actionOfStream(breach.stream);
  // Its quarantine is an incident, has an owner, and is told by itself.
  if (actionId !== undefined && isDamage(breach) && (await quarantine?.(actionId)) === true) return;
  if (!(await book.add(breach))) return;
  onFault('an invariant', new Error(`${breach.stream}: ${breach.invariant}: ${breach.detail}`));
  onBroken?.(breach);
}

/** Nothing in the stream can be relied on. */
function isDamage({ invariant }: BrokenRecord): boolean {
  return (
    invariant === 'chain-holds' || invariant === 'stream-folds' || invariant === 'row-readable'
  );
}
