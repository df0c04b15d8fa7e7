// W3: one payment in a hundred takes effect and loses its response; at 40 % the contender's process is
// killed with SIGKILL, started again on the same files, and every caller that was not told asks again.
// Judged by the endpoint's own count against what the callers were told.
import { type Told } from './contender.ts';
import { type BenchOptions, type ContenderName } from './options.ts';
import { type CrashVerdict, judge } from './judge.ts';
import { benchSeed, paymentId } from './payment.ts';
import { median, percentile } from './statistics.ts';
import { storedBytes } from './stored-bytes.ts';
import { closeContender, type ContenderChild, type ContenderPlace, type World } from './world.ts';

export interface CrashResult extends CrashVerdict {
  readonly contender: ContenderName;
  readonly callers: number;
  /** Answers "being checked" on the way: doubts that were told as doubts. */
  readonly flagged: number;
  readonly actionsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** From the start of the new process to its first answer to a caller. */
  readonly firstAnswerMs: number;
  readonly bytesPerAction: number;
}

const killAt = 0.4;

export async function runCrashes(
  world: World,
  options: BenchOptions,
  contender: ContenderName,
  callers: number,
): Promise<CrashResult> {
  const runs: CrashResult[] = [];
  for (let run = 0; run < options.crashRounds; run += 1) {
    runs.push(await crashOnce(world, world.place(contender), callers, options.crashActions));
  }
  const sum = (pick: (run: CrashResult) => number): number =>
    runs.reduce((total, run) => total + pick(run), 0);
  const middle = (pick: (run: CrashResult) => number): number => median(runs.map(pick));
  return {
    contender,
    callers,
    doubled: sum((run) => run.doubled),
    toldFailed: sum((run) => run.toldFailed),
    lost: sum((run) => run.lost),
    flagged: sum((run) => run.flagged),
    open: sum((run) => run.open),
    actionsPerSecond: middle((run) => run.actionsPerSecond),
    p50Ms: middle((run) => run.p50Ms),
    p99Ms: middle((run) => run.p99Ms),
    firstAnswerMs: middle((run) => run.firstAnswerMs),
    bytesPerAction: middle((run) => run.bytesPerAction),
  };
}

interface Telling {
  readonly told: Map<number, Told>;
  readonly latencies: number[];
  flagged: number;
}

async function crashOnce(
  world: World,
  place: ContenderPlace,
  callers: number,
  actions: number,
): Promise<CrashResult> {
  await world.effects.ask({ type: 'reset', losing: true }, 'reset');
  const telling: Telling = { told: new Map(), latencies: [], flagged: 0 };
  const all = Array.from({ length: actions }, (_, n) => n);

  const begun = performance.now();
  await performUntilKilled(await world.start(place), callers, all, telling);
  const restarted = performance.now();
  const untold = all.filter((n) => !isSettled(telling.told.get(n)));
  const child = await world.start(place);
  const firstAnswer = hear(child, telling);
  await child.ask({ type: 'perform', callers, payments: untold }, 'performed');
  const seconds = (performance.now() - begun) / 1000;
  await closeContender(child);

  const counted = await world.effects.ask({ type: 'count', each: true }, 'counted');
  const effectsOf = new Map(counted.effectsOf);
  const sorted = Float64Array.from(telling.latencies).sort();
  return {
    ...judge(actions, telling.told, (n) => effectsOf.get(paymentId(benchSeed, n)) ?? 0),
    flagged: telling.flagged,
    contender: place.contender,
    callers,
    actionsPerSecond: actions / seconds,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    firstAnswerMs: (await firstAnswer) - restarted,
    bytesPerAction: storedBytes(place.dir).logical / actions,
  };
}

async function performUntilKilled(
  child: ContenderChild,
  callers: number,
  payments: readonly number[],
  telling: Telling,
): Promise<void> {
  const enough = new Promise<void>((resolve) => {
    child.listen(() => {
      if (telling.told.size >= payments.length * killAt) resolve();
    });
  });
  void hear(child, telling);
  const performed = child.ask({ type: 'perform', callers, payments }, 'performed');
  await Promise.race([enough, performed]);
  const ended = performed.catch(() => undefined); // rejected by the kill
  await child.kill('SIGKILL');
  await ended;
}

/** Notes what the callers are told; resolves with the time of the first answer. */
function hear(child: ContenderChild, telling: Telling): Promise<number> {
  return new Promise((resolve) => {
    child.listen((reply) => {
      if (reply.type !== 'told') return;
      resolve(performance.now());
      telling.latencies.push(reply.ms);
      if (reply.told === 'being checked') telling.flagged += 1;
      if (!isSettled(telling.told.get(reply.payment))) telling.told.set(reply.payment, reply.told);
    });
  });
}

function isSettled(told: Told | undefined): boolean {
  return told !== undefined && told !== 'being checked';
}
