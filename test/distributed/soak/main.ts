// npm run soak: the distributed size on this machine, under load, while all of it is killed in turn. In the end what the
// provider counted is held against what is on record, and the topic of states against the streams. Ends with 1 where
// something was doubled or lost, or is not told as it is.
import { hash } from 'node:crypto';
import { openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareStates } from '@action-ledger/auditor';
import {
  type Env,
  isSound,
  judgePlay,
  openIdentityProvider,
  sandboxToolsFile,
  startFleet,
  summarise,
} from '@action-ledger/cli/play';
import { openLog, openStore, readSettings, stateTextOf } from '@action-ledger/process';
import { createSystemRuntime } from '@action-ledger/runtime';
import { startServers } from '../servers.ts';
import { services, startProcess } from '../services.ts';
import { openCuts } from './cuts.ts';
import { doAll, startStranger } from './faults.ts';
import { catalogue, openOutside, startLoad } from './load.ts';
import { startWatch } from './watch.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '20' },
    servers: { type: 'string', default: '5' },
    brokers: { type: 'string', default: '3' },
    runs: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
  },
});
const logger = { info: say, warn: say, error: say };
const sessionMs = 6_000;
const runtime = createSystemRuntime();
const logPath = join(tmpdir(), `action-ledger-soak-${process.pid}.log`);
const logFile = openSync(logPath, 'a');
const startedMs = runtime.clock.monoMs();
const servers = await startServers({ brokers: Number(values.brokers) });
if (servers.kind === 'missing') {
  console.log(`The soak was skipped: ${servers.why}.`);
  console.log('0 passed, 0 failed, 1 skipped');
} else {
  try {
    process.exitCode = (await soak(servers)) ? 0 : 1;
  } finally {
    await servers.stop();
  }
}

async function soak(there: Exclude<typeof servers, { kind: 'missing' }>): Promise<boolean> {
  const counts = new Map<string, number>();
  const count = (what: string): void => {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const seed = Number(values.seed);
  const outside = await openOutside(seed, runtime);
  const identities = await openIdentityProvider();
  const cuts = await openCuts(there.double.connectionString);
  const env: Env = {
    ...there.env,
    ...identities.settings,
    ACTION_LEDGER_EVENTSTOREDB_URL: cuts.connectionString,
    ACTION_LEDGER_KAFKA_SESSION_MS: String(sessionMs),
    ACTION_LEDGER_LOG_LEVEL: process.env['ACTION_LEDGER_LOG_LEVEL'] ?? 'warn',
    ACTION_LEDGER_ACCESS_LOG: 'false',
    ACTION_LEDGER_TOOLS: sandboxToolsFile(),
    PLAY_CATALOGUES: JSON.stringify([catalogue]),
    PLAY_PROVIDER: outside.url,
  };
  const fleet = await startFleet({ start: startProcess(logFile), env, services });
  say(
    `${fleet.members.length} processes of services, ${values.brokers} brokers, one double; what they say is in ${logPath}`,
  );
  const settings = readSettings(env);
  const [store, log] = [await openStore(settings, runtime), await openLog(settings, runtime)];
  const { url, failure } = fleet;
  const load = await startLoad({
    ...{ seed, runtime, outside, log, url, failure },
    tokenOf: identities.tokenOf,
    runsAtOnce: Number(values.runs),
  });
  const watch = startWatch(fleet, runtime);
  const stranger = startStranger(log, runtime, count);
  const plan = {
    kills: Number(values.kills),
    double: Number(values.servers),
    brokers: Number(values.servers),
    cuts: Number(values.servers),
    brokerAwayMs: 10_000,
  };
  const told = (what: string): void => {
    count(what);
    say(`${what}; ${load.tally.counts.calls} calls, ${load.proposals()} proposals`);
  };
  await doAll(plan, { fleet, servers: there, cuts, runtime, count: told, calm: watch.calm });
  await stranger.stop();
  await load.end();
  say('the load has ended');
  await watch.drained();
  const silence = watch.longestSilence();
  await watch.stop();
  await fleet.close();
  const verdict = await judgePlay(store, outside.provider, load.tally.toldSucceeded);
  const wrong: string[] = [];
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const comparing = {
    store,
    log,
    runtime,
    sha256,
    clock,
    textOf: stateTextOf({ settings, runtime, logger }),
  };
  const never = { rest: async () => undefined, isStopped: () => false };
  for await (const { stream, detail } of compareStates({ ...comparing, ...never }))
    wrong.push(`${stream}: ${detail}`);
  await log.close();
  await store.close();
  await Promise.all([outside.close(), identities.close(), cuts.close()]);
  const summary = summarise(load.tally, verdict, (runtime.clock.monoMs() - startedMs) / 1_000);
  console.log('\nWhat was done to it');
  for (const [what, times] of counts) console.log(`  ${what.padEnd(44)}${times}`);
  console.log(`  ${'proposals published on the log'.padEnd(44)}${load.proposals()}`);
  console.log('\nWhat came of it');
  for (const [name, value] of Object.entries(summary))
    console.log(`  ${name.padEnd(44)}${JSON.stringify(value)}`);
  console.log(`  ${'states on the log that differ from streams'.padEnd(44)}${wrong.length}`);
  for (const each of wrong.slice(0, 10)) console.log(`    ${each}`);
  console.log(
    `  ${'longest silence'.padEnd(44)}${silence.seconds.toFixed(1)} s (${silence.service})`,
  );
  const isGood = isSound(summary) && wrong.length === 0;
  console.log(isGood ? '\n1 passed, 0 failed' : '\n0 passed, 1 failed');
  return isGood;
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

function say(what: unknown): void {
  console.log(`${((runtime.clock.monoMs() - startedMs) / 1_000).toFixed(0)} s: ${String(what)}`);
}
