// One soak, from the first service that is started to the judgement over all of it.
import { hash } from 'node:crypto';
import { compareStates } from '@action-ledger/auditor';
import {
  type Env,
  judgePlay,
  openIdentityProvider,
  sandboxToolsFile,
  startFleet,
  summarise,
} from '@action-ledger/cli/play';
import { type EventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import {
  openLog,
  openStore,
  readSettings,
  type Settings,
  stateTextOf,
} from '@action-ledger/process';
import { type Runtime } from '@action-ledger/runtime';
import { type Servers } from '../servers.ts';
import { services, startProcess } from '../services.ts';
import { type Bystander, openBystander } from './bystander.ts';
import { openCuts } from './cuts.ts';
import { boundSeconds, doAll, type FaultPlan } from './faults.ts';
import { catalogue, openOutside, startLoad } from './load.ts';
import { openOperator } from './operator.ts';
import { pause } from './pause.ts';
import { type Ending } from './report.ts';
import { createSilences } from './silences.ts';
import { startStranger } from './stranger.ts';
import { type Counted, groups, startWatch } from './watch.ts';

export interface SoakOptions {
  readonly servers: Servers;
  readonly runtime: Runtime;
  readonly plan: FaultPlan;
  readonly seed: number;
  /** Runs of the load that are under way at once. */
  readonly runsAtOnce: number;
  /** Where services say what they say. */
  readonly logFile: number;
  readonly say: (what: unknown) => void;
}

/** Left in peace, all that waits is handled within so long. */
const drainMsMax = 120_000;

export async function soak(options: SoakOptions): Promise<Ending> {
  const { servers, runtime, plan, seed, say, runsAtOnce } = options;
  const startedMs = runtime.clock.monoMs();
  const outside = await openOutside(seed, runtime);
  const identities = await openIdentityProvider();
  const cuts = await openCuts(servers.double.connectionString);
  const env = envOf(options, cuts.connectionString, outside.url, identities.settings);
  const fleet = await startFleet({ start: startProcess(options.logFile), env, services });
  say(`${fleet.members.length} processes of services`);
  const settings = readSettings(env);
  const [store, log] = [await openStore(settings, runtime), await openLog(settings, runtime)];
  const bystander = await openBystander(store, log);
  const load = await startLoad({
    ...{ seed, runtime, outside, log, runsAtOnce },
    ...{ url: fleet.url, failure: fleet.failure, tokenOf: identities.tokenOf },
  });
  const faults = new Map<string, number>();
  const count = (what: string): void => {
    faults.set(what, (faults.get(what) ?? 0) + 1);
    say(`${what}; ${load.tally.counts.calls} calls, ${load.proposals()} proposals`);
  };
  let rebalances = 0;
  let resumed = 0;
  const operator = await openOperator(store, runtime, () => {
    resumed += 1;
  });
  const silences = createSilences(
    () => runtime.clock.monoMs(),
    boundSeconds,
    (service, { heldSeconds }) => {
      say(`the ${service} is silent, ${heldSeconds.toFixed(1)} s`);
    },
  );
  const watch = startWatch({ fleet, log, runtime, silences, bystander });
  const stranger = startStranger(log, runtime, () => {
    rebalances += 1;
  });
  const deps = { fleet, servers, cuts, runtime, silences, count, beforeKill: watch.scrape };
  await doAll(plan, deps);
  await stranger.stop();
  await load.end();
  say('the load has ended');
  const hasDrained = await watch.drained(drainMsMax);
  const untold = await untoldBy(bystander, runtime);
  await watch.scrape();
  await watch.stop();
  await operator.close();
  await bystander.close();
  await fleet.close();
  const verdict = await judgePlay(store, outside.provider, load.tally.toldSucceeded);
  const wrongStates = await differingStates(store, log, settings, runtime);
  await log.close();
  await store.close();
  await Promise.all([outside.close(), identities.close(), cuts.close()]);
  return {
    ...{ faults, rebalances, resumed, hasDrained, untold, wrongStates },
    faultsPlanned: plannedFaults(plan),
    proposals: load.proposals(),
    summary: summarise(load.tally, verdict, (runtime.clock.monoMs() - startedMs) / 1_000),
    topic: bystander.counts(),
    counted: countedOf(watch.counted),
    silences: silences.worst(),
    loadPerCore: watch.loadPerCore(),
  };
}

function envOf(
  { servers, plan }: SoakOptions,
  eventStoreUrl: string,
  providerUrl: string,
  identitySettings: Env,
): Env {
  return {
    ...servers.env,
    ...identitySettings,
    ACTION_LEDGER_EVENTSTOREDB_URL: eventStoreUrl,
    ACTION_LEDGER_KAFKA_SESSION_MS: String(plan.sessionMs),
    ACTION_LEDGER_LOG_LEVEL: process.env['ACTION_LEDGER_LOG_LEVEL'] ?? 'warn',
    ACTION_LEDGER_ACCESS_LOG: 'false',
    ACTION_LEDGER_TOOLS: sandboxToolsFile(),
    PLAY_CATALOGUES: JSON.stringify([catalogue]),
    PLAY_PROVIDER: providerUrl,
  };
}

function plannedFaults({ kills, double, brokers, cuts, brokerAwayMs }: FaultPlan): number {
  return kills * new Set(services).size + double + brokers + cuts + (brokerAwayMs > 0 ? 1 : 0);
}

/** What is being looked after still moves, and is told a moment later. */
async function untoldBy(bystander: Bystander, runtime: Runtime): Promise<number> {
  for (let tries = 0; tries < 60 && bystander.untold() > 0; tries += 1) await pause(runtime, 250);
  return bystander.untold();
}

async function differingStates(
  store: EventStore,
  log: EventLog,
  settings: Settings,
  runtime: Runtime,
): Promise<readonly string[]> {
  const quiet = { info: ignore, warn: ignore, error: ignore };
  const found: string[] = [];
  const compared = compareStates({
    ...{ store, log, runtime, sha256 },
    clock: { nowMs: () => runtime.clock.wallMs() },
    textOf: stateTextOf({ settings, runtime, logger: quiet }),
    rest: async () => undefined,
    isStopped: () => false,
  });
  for await (const { stream, detail } of compared) found.push(`${stream}: ${detail}`);
  return found;
}

/** Those that are told of events. */
function countedOf(counted: (service: string) => Counted): ReadonlyMap<string, Counted> {
  const told = Object.keys(groups).filter((group) => group !== 'intake');
  return new Map(told.map((group) => [group, counted(group)]));
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

function ignore(): void {
  // Nobody reads it.
}
