// What a play is played against: the provider that counts effects, behind it the recorded world, and
// the ledger, in this process or in workers that are killed.
import { type Runtime } from '@action-ledger/runtime';
import {
  createProvider,
  createRecordedWorld,
  type DeclaredTools,
  distinctTools,
  type PlayRun,
  sandboxBehaviour,
  type SandboxProvider,
  sandboxTools,
  serveProvider,
} from '@action-ledger/sandbox';
import { type Deliverer } from './delivery.ts';
import { openInProcess } from './in-process.ts';
import { type PointPassed } from './kill-plan.ts';
import { type PlayOptions } from './play-options.ts';
import { createUnhurriedRuntime } from './unhurried-runtime.ts';
import { type StartWorker, Workers } from './workers.ts';

/** Faults that requests have met. */
export interface DrawnFaults {
  lostResponses: number;
  timeouts: number;
}

export interface Stage {
  readonly provider: SandboxProvider;
  readonly ledger: Deliverer;
  readonly drawn: Readonly<DrawnFaults>;
  readonly kills: readonly PointPassed[];
  readonly workersKilled: () => number;
  /** Before a run's first call, and after its last. */
  readonly openRun: (run: PlayRun) => void;
  readonly closeRun: (run: PlayRun) => void;
  /** Waits for what runs; then the ledger's file can be read. */
  readonly close: () => Promise<void>;
}

/** Longer than the deadline of a tool that has one in the sandbox; the others are told by it. */
const silenceMs = 150;

export async function openStage(
  options: PlayOptions,
  path: string,
  tools: DeclaredTools,
  deps: { readonly runtime: Runtime; readonly startWorker: StartWorker },
): Promise<Stage> {
  const { seed, lostResponses, timeouts, kills: killShare } = options;
  const runtime = killShare === undefined ? createUnhurriedRuntime(deps.runtime) : deps.runtime;
  const world = createRecordedWorld({ seed, rates: { lostResponses, timeouts } });
  const drawn = { lostResponses: 0, timeouts: 0 };
  const provider = createProvider({
    runtime,
    silenceMs,
    // Counted in all, kept for nobody.
    arrivalsMax: 16,
    behaviour: sandboxBehaviour(tools),
    answer: world.answer,
    fault: (request) => {
      const fault = world.fault(request);
      if (fault?.connection === 'dropped') drawn.lostResponses += 1;
      if (fault?.connection === 'silent') drawn.timeouts += 1;
      return fault;
    },
  });
  const openRun = (run: PlayRun): void => {
    world.open(run);
  };
  const base = { provider, drawn, openRun };
  if (killShare === undefined) {
    const ledger = await openInProcess(path, sandboxTools(tools, provider), runtime);
    const closeRun = ({ tenant }: PlayRun): void => {
      world.close(tenant);
    };
    return {
      ...base,
      ledger,
      kills: [],
      workersKilled: () => 0,
      closeRun,
      close: () => ledger.close(),
    };
  }
  const served = await serveProvider(provider);
  const { startWorker: start } = deps;
  const { url } = served;
  const workers = new Workers({ start, path, url, tools: distinctTools(tools), seed, killShare });
  return {
    ...base,
    ledger: workers,
    kills: workers.kills,
    workersKilled: () => workers.killed,
    closeRun: ({ tenant }) => {
      world.close(tenant);
      workers.endRun(tenant);
    },
    close: async () => {
      await workers.close().finally(served.close);
    },
  };
}
