// What a play is played against: the provider that counts effects, behind it the recorded world, and
// the ledger, in this process, in workers that are killed, or behind a server.
import { type Runtime } from '@action-ledger/runtime';
import {
  createProvider,
  createRecordedWorld,
  type DeclaredTools,
  distinctTools,
  sandboxBehaviour,
  sandboxTools,
  serveProvider,
} from '@action-ledger/sandbox';
import { openBehindFleet } from './distributed/behind-fleet.ts';
import { openInProcess } from './in-process.ts';
import { type PlayOptions } from './play-options.ts';
import { openBehindServer } from './behind-server.ts';
import { nobodyKilled, type Outside, type Stage, type StageDeps } from './stage-parts.ts';
import { createUnhurriedRuntime } from './unhurried-runtime.ts';
import { Workers } from './workers.ts';

/** Longer than the deadline of a tool that has one in the sandbox; the others are told by it. */
const silenceMs = 150;

export async function openStage(
  options: PlayOptions,
  path: string,
  tools: DeclaredTools,
  deps: StageDeps,
): Promise<Stage> {
  const { kills: killShare, server } = options;
  const isInProcess = killShare === undefined && server === undefined;
  // Another process has a clock of its own.
  const runtime = isInProcess ? createUnhurriedRuntime(deps.runtime) : deps.runtime;
  const outside = openOutside(options, tools, runtime);
  if (server?.kind === 'distributed')
    return openBehindFleet(options, server.kills, outside, runtime, deps.fleet);
  if (server !== undefined) return openBehindServer(options, server, path, tools, outside, deps);
  if (killShare !== undefined)
    return openWithWorkers(options, killShare, path, tools, outside, deps);
  const { provider, world, drawn } = outside;
  const ledger = await openInProcess(path, sandboxTools(tools, provider), runtime);
  return {
    ...nobodyKilled,
    provider,
    drawn,
    ledger,
    openRun: (run) => {
      world.open(run);
    },
    closeRun: ({ tenant }) => {
      world.close(tenant);
    },
    close: () => ledger.close(),
  };
}

function openOutside(
  { seed, lostResponses, timeouts }: PlayOptions,
  tools: DeclaredTools,
  runtime: Runtime,
): Outside {
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
  return { provider, world, drawn };
}

async function openWithWorkers(
  { seed }: PlayOptions,
  killShare: number,
  path: string,
  tools: DeclaredTools,
  { provider, world, drawn }: Outside,
  { startWorker: start }: StageDeps,
): Promise<Stage> {
  const served = await serveProvider(provider);
  const { url } = served;
  const workers = new Workers({ start, path, url, tools: distinctTools(tools), seed, killShare });
  return {
    ...nobodyKilled,
    provider,
    drawn,
    ledger: workers,
    kills: workers.kills,
    workersKilled: () => workers.killed,
    openRun: (run) => {
      world.open(run);
    },
    closeRun: ({ tenant }) => {
      world.close(tenant);
      workers.endRun(tenant);
    },
    close: async () => {
      await workers.close().finally(served.close);
    },
  };
}
