// One service as a process of its own: settings, then the ports, then the service, until it is told to stop.
// While it waits for a server it says so, at `/ready` too. Where its store has lost something, and a person has
// confirmed that, it begins anew. Exit codes: 0 stopped as told, 1 failed, 2 wrong settings.
import { hostname } from 'node:os';
import { createLedgerClock, noteToldByLog, type ServiceHealth } from '@action-ledger/application';
import {
  createMetrics,
  type Metrics,
  type MetricsServer,
  serveMetrics,
} from '@action-ledger/metrics';
import { createSystemRuntime, type Runtime } from '@action-ledger/runtime';
import { type EventLog } from '@action-ledger/event-log';
import { appendSeconds, countAppends, type EventStore } from '@action-ledger/event-store';
import { createToolSet } from '@action-ledger/tools';
import { createProcessLogger, type ProcessLogger } from './logger.ts';
import { openLog, openStore, type Waiting, whenThere } from './open-ports.ts';
import { type ProcessParts, type Running, sha256 } from './process-parts.ts';
import { runUntilStopped } from './run-until-stopped.ts';
import { checkSecretKey, createSecretDigest } from './secret-digest.ts';
import { seeCondition } from './see-condition.ts';
import { type Env, readSettings, type Settings, unknownSettings } from './settings.ts';
import { SetupFault } from './setup-fault.ts';
import { endWithin, stopTimes } from './stopping.ts';
import { stopSignal } from './stop-signal.ts';
import { loadTools } from './tools/load-tools.ts';

export interface ServiceShape {
  /** Of the service, and of its metrics. */
  readonly name: string;
  /**
   * Called once, when store and log are there.
   * @param stop ends what it waits for: what it throws then is passed over
   */
  readonly open: (parts: ProcessParts, stop: AbortSignal) => Running | Promise<Running>;
}

/** Of a program that has nothing else to do. Ends with the process. */
export async function runProcess(shape: ServiceShape): Promise<void> {
  try {
    const runtime = createSystemRuntime();
    const stop = stopSignal();
    endWithin(stop, runtime, () => {
      const afterS = stopTimes.wholeMs / 1_000;
      process.stderr.write(
        `${shape.name}: it was told to stop ${afterS} s ago, and ends now as it is\n`,
      );
      process.exit(1);
    });
    while (!stop.aborted) await serve(shape, process.env, runtime, stop);
  } catch (fault) {
    process.stderr.write(`${shape.name}: ${textOf(fault)}\n`);
    process.exitCode = fault instanceof SetupFault ? 2 : 1;
  } finally {
    // Whoever started this process is not to keep it alive.
    if (process.connected) process.disconnect();
  }
}

/** Until it is told to stop, or what it works over is another store than it was. */
async function serve(
  shape: ServiceShape,
  env: Env,
  runtime: Runtime,
  told: AbortSignal,
): Promise<void> {
  const settings = readSettings(env);
  const logger = createProcessLogger(shape.name, settings);
  for (const name of unknownSettings(env)) logger.warn({ name }, 'there is no such setting');
  const outdated = new AbortController();
  const stop = AbortSignal.any([told, outdated.signal]);
  const onFault = (where: string, fault: unknown): void => {
    if (ofRebalances.has(where)) logger.info({ fault }, where);
    else logger.error({ fault }, where);
  };
  const digestSecret = createSecretDigest(settings.secretKeyFile);
  const tools =
    settings.tools === undefined ? createToolSet([]) : await loadTools(settings.tools, env);
  checkSecretKey(tools.all, settings.secretKeyFile);
  const metrics = createMetrics({ clock: runtime.clock });
  const opened: Opened = { running: undefined, store: undefined, log: undefined };
  const probes = await serveMetrics({
    host: settings.probeHost,
    port: settings.probePort,
    scrape: metrics.scrape,
    health: () => healthOf(opened.running).condition,
    onFault,
  });
  logger.info({ probes: probes.url }, 'starting');
  let seeing: ReturnType<typeof seeCondition> | undefined;
  metrics.attach({ services: { [shape.name]: { health: () => healthOf(opened.running) } } });
  try {
    const ports = await openPorts(settings, opened, { runtime, stop, logger });
    if (ports === undefined || stop.aborted) return;
    seeing = seeCondition({ store: ports.store, runtime, logger }, () => {
      outdated.abort();
    });
    const parts: ProcessParts = {
      ...{ store: counted(ports.store, metrics, runtime), log: ports.log },
      ...{ settings, tools, runtime, logger, metrics, digestSecret, sha256, stop, onFault },
      instance: instanceOf(shape.name, settings, runtime),
      clock: createLedgerClock(runtime.clock),
    };
    const running = await orStopped(stop, () => shape.open(parts, stop));
    if (running === undefined) return;
    opened.running = running;
    await runUntilStopped(running, {
      ...{ runtime, stop },
      onAway: (fault) => {
        logger.warn({ fault }, 'waiting for what it needs to start');
      },
      onStarted: () => {
        tellStarted({ probes: probes.url, ...running.urls?.() }, logger);
      },
    });
  } finally {
    seeing?.cancel();
    await close(opened, probes, logger);
  }
}

function tellStarted(urls: Readonly<Record<string, string>>, logger: ProcessLogger): void {
  logger.info({ urls }, 'started');
  process.send?.({ kind: 'started', urls });
}

/** What it is asked to append is told by `/metrics`. */
function counted(of: EventStore, metrics: Metrics, { clock }: Runtime): EventStore {
  const { store, appends, latency } = countAppends(of, () => clock.monoMs());
  metrics.attach({
    store: () => ({ appends: appends(), bounds: appendSeconds, latency: latency() }),
  });
  return store;
}

/** No two processes have the same: hosts may share a name, and process ids of containers are small. */
function instanceOf(service: string, { instance }: Settings, { ids }: Runtime): string {
  if (instance !== undefined) return `${service}-${instance}`;
  return `${service}-${hostname()}-${process.pid}-${ids.next().replaceAll(/\W/g, '').slice(0, 6)}`;
}

const beforeIt: ServiceHealth = {
  condition: 'starting',
  stalledMs: 0,
  lag: undefined,
  handled: 0,
  deadLetters: 0,
};

function healthOf(running: Running | undefined): ServiceHealth {
  return running?.health() ?? beforeIt;
}

async function orStopped<Result>(
  stop: AbortSignal,
  open: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await open();
  } catch (fault) {
    if (!stop.aborted) throw fault;
    return undefined;
  }
}

/** What comes with each member that joins or leaves a group: its records are handled by another. */
const ofRebalances: ReadonlySet<string> = new Set(['commit refused', 'rejoin']);

interface Opened {
  running: Running | undefined;
  store: EventStore | undefined;
  log: EventLog | undefined;
}

/** @returns undefined where it was told to stop before both were there */
async function openPorts(
  settings: Settings,
  opened: Opened,
  { runtime, stop, logger }: Pick<Waiting, 'runtime' | 'stop'> & { readonly logger: ProcessLogger },
): Promise<Pick<ProcessParts, 'store' | 'log'> | undefined> {
  const waitingFor = (what: string): Waiting => ({
    runtime,
    stop,
    onAway: (fault) => {
      logger.warn({ fault }, `waiting for ${what}`);
    },
  });
  const store = await whenThere(() => openStore(settings, runtime), waitingFor('EventStoreDB'));
  opened.store = store;
  const log = await whenThere(() => openLog(settings, runtime), waitingFor('Kafka'));
  opened.log = log;
  if (store === undefined || log === undefined) return undefined;
  const note = (): Promise<void> => noteToldByLog({ store, log });
  await whenThere(note, waitingFor('what was published'));
  return { store, log };
}

async function close(
  { running, store, log }: Opened,
  probes: MetricsServer,
  logger: ProcessLogger,
): Promise<void> {
  const closing = [
    () => running?.stop(),
    () => log?.close(),
    () => store?.close(),
    () => probes.close(),
  ];
  for (const each of closing)
    try {
      await each();
    } catch (fault) {
      logger.warn({ fault }, 'stopping');
    }
  logger.info({}, 'stopped');
}

function textOf(fault: unknown): string {
  if (fault instanceof SetupFault) return `${fault.message}\n  fix: ${fault.fix}`;
  return fault instanceof Error ? (fault.stack ?? fault.message) : String(fault);
}
