// npm run bench -- --distributed: the ledger over a real Kafka broker and the protocol double of EventStoreDB.
import { openLog, openStore, readSettings } from '@action-ledger/process';
import { startFleet } from '@action-ledger/cli/play';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type Servers, startServers } from '../../distributed/servers.ts';
import { startProcess } from '../../distributed/services.ts';
import { measureExecutors } from './executors.ts';
import { measureInProcess } from './in-process.ts';
import { measureLatency } from './latency.ts';
import { measurePublishing } from './publishing.ts';
import { type DistributedRow } from './report.ts';

export interface DistributedOptions {
  readonly rounds: number;
  readonly sliceMs: number;
  readonly isQuick: boolean;
}

/** @returns why nothing could be measured, or the rows */
export async function measureDistributed(
  options: DistributedOptions,
  progress: (text: string) => void,
): Promise<readonly DistributedRow[] | string> {
  const servers = await startServers({ brokers: 1 });
  if (servers.kind === 'missing') return servers.why;
  try {
    return await measure(servers, options, progress);
  } finally {
    await servers.stop();
  }
}

async function measure(
  servers: Servers,
  { rounds, sliceMs, isQuick }: DistributedOptions,
  progress: (text: string) => void,
): Promise<readonly DistributedRow[]> {
  const runtime = createSystemRuntime();
  const quiet = { ...servers.env, ACTION_LEDGER_LOG_LEVEL: 'warn' };
  const settings = readSettings(quiet);
  /** Streams and topics that nobody else has, so that nobody follows what another one measures. */
  const envOf = (name: string) => ({
    ...quiet,
    ACTION_LEDGER_STREAM_PREFIX: name,
    ACTION_LEDGER_KAFKA_PREFIX: name,
  });

  progress('in one process');
  const alone = await openStore(readSettings(envOf('alone.')), runtime);
  const inProcess = await measureInProcess(alone, { rounds, sliceMs });
  await alone.close();

  progress('a projector beside bare sends');
  const publishing = await measurePublishing({
    rounds,
    actions: isQuick ? 1_000 : 5_000,
    openLog: (kafkaPrefix) => openLog({ ...settings, kafkaPrefix }, runtime),
    runtime,
  });

  progress('from an append to a consumer');
  const timed = envOf('timed.');
  const start = startProcess('inherit');
  const fleet = await startFleet({ start, env: timed, services: ['projector'] });
  const store = await openStore(readSettings(timed), runtime);
  const log = await openLog(readSettings(timed), runtime);
  const latency = await measureLatency({ store, log, runtime, seconds: isQuick ? 3 : 20 });
  await log.close();
  await store.close();
  await fleet.close();

  progress('one executor beside two');
  const shared = envOf('shared.');
  const sharedLog = await openLog(readSettings(shared), runtime);
  const executors = await measureExecutors({
    env: shared,
    log: sharedLog,
    runtime,
    rounds: isQuick ? 1 : Math.min(rounds, 3),
    stock: isQuick ? 200 : 1_500,
    progress,
  });
  await sharedLog.close();
  return [...inProcess, ...publishing, ...latency, ...executors];
}
