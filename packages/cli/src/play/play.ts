// A play from its files to its verdict: runs are played as they are read, a bounded number at once;
// then the ledger's file is judged against the provider's own count.
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { type Runtime } from '@action-ledger/runtime';
import { type CallTally, createCallTally } from './call-tally.ts';
import { judgePlay, type Verdict } from './judge-play.ts';
import { inParallel } from './in-parallel.ts';
import { type PointPassed } from './kill-plan.ts';
import { cataloguesOf, checkFiles, planRuns, readToolsIn } from './play-files.ts';
import { type PlayOptions } from './play-options.ts';
import { playRun } from './play-run.ts';
import { openStage } from './stage.ts';
import { type DrawnFaults, type Stage, type StageDeps } from './stage-parts.ts';

/** Processes are started only where a play is told to. */
export interface PlayDeps extends StageDeps {
  /** After each run. */
  readonly onRun: (sofar: Sofar) => void;
}

export interface Sofar {
  readonly tally: CallTally;
  readonly drawn: Readonly<DrawnFaults>;
  readonly kills: readonly PointPassed[];
  readonly workersKilled: number;
  /** Kills of a server, at no point in particular. */
  readonly serverKills: number;
}

export interface Played extends Sofar {
  readonly verdict: Verdict;
  /** Of the calls alone. */
  readonly playSeconds: number;
  /** With reading, opening and judging. */
  readonly seconds: number;
}

/** @param path of the ledger's file, which must hold no action */
export async function play(options: PlayOptions, path: string, deps: PlayDeps): Promise<Played> {
  const { runtime } = deps;
  const startedMs = runtime.clock.monoMs();
  await checkFiles(options.files);
  const tools = await readToolsIn(cataloguesOf(options.files, options.catalogue));
  const stage = await openStage(options, path, tools, deps);
  const tally = createCallTally();
  const sofar = (): Sofar => {
    const { drawn, kills, workersKilled, serverKills } = stage;
    return {
      tally,
      drawn,
      kills,
      workersKilled: workersKilled(),
      serverKills: serverKills(),
    };
  };
  const beganMs = runtime.clock.monoMs();
  const { seed, duplicateDeliveries } = options;
  await closing(stage, () =>
    inParallel(planRuns(options.files, tools, options.runsMax), options.runsAtOnce, async (run) => {
      stage.openRun(run);
      await playRun(run, { deliverer: stage.ledger, tally, seed, duplicateDeliveries });
      stage.closeRun(run);
      deps.onRun(sofar());
    }),
  );
  const endedMs = runtime.clock.monoMs();
  const verdict = await judged(path, stage, tally, runtime);
  return {
    ...sofar(),
    verdict,
    playSeconds: (endedMs - beganMs) / 1000,
    seconds: (runtime.clock.monoMs() - startedMs) / 1000,
  };
}

/** What went wrong first is told, not what then went wrong in closing. */
async function closing(stage: Stage, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    await stage.close().catch(() => undefined);
    throw error;
  }
  await stage.close();
}

async function judged(
  path: string,
  { provider, record }: Stage,
  { toldSucceeded }: CallTally,
  runtime: Runtime,
): Promise<Verdict> {
  const store = record ?? (await openSqliteEventStore({ path, runtime, readOnly: true }));
  try {
    return await judgePlay(store, provider, toldSucceeded);
  } finally {
    await store.close();
  }
}
