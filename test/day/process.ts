// One process of the day, as `action-ledger start` puts it together: a ledger that executes and reconciles,
// and the notifier that follows its events. It can be stopped, or killed.
import { hash } from 'node:crypto';
import { createLedger, type Ledger } from '@action-ledger/client';
import { actionTopics } from '@action-ledger/event-log';
import { openEmbeddedEventLog } from '@action-ledger/event-log-embedded';
import { type Endpoint } from '@action-ledger/notifications';
import { createNotifier, type Notifier } from '@action-ledger/notifier';
import { type ProviderPort } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit';
import {
  createLife,
  mortalPort,
  mortalRuntime,
  mortalStore,
  never,
} from '../failure-windows/mortal.ts';
import { type Disk } from './disk.ts';
import { minute } from './times.ts';
import { dayTools } from './tools.ts';

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

/** Fewer and slower than usual: the agents of the day are few. */
const burst = { unknowns: 4, withinMs: 10 * minute };

export interface Process {
  readonly ledger: Ledger;
  readonly notifier: Notifier;
  /** Of what broke and was survived. */
  readonly faults: readonly string[];
  readonly stop: () => Promise<void>;
  readonly kill: () => void;
  /** The notifier reads everything again, from a place that was reset. */
  readonly replay: () => Promise<void>;
}

export interface ProcessOptions {
  readonly time: VirtualRuntime;
  readonly seed: number;
  readonly disk: Disk;
  readonly provider: ProviderPort;
  readonly endpoints: readonly Endpoint[];
  readonly keys: Map<string, string>;
}

export async function startProcess(options: ProcessOptions): Promise<Process> {
  const { time, seed, disk } = options;
  const life = createLife();
  const runtime = mortalRuntime(life, time.fork({ seed }));
  const store = mortalStore(life, disk.store);
  const faults: string[] = [];
  const onFault = (where: string, fault: unknown): void => {
    faults.push(`${where}: ${String(fault)}`);
  };
  const ledger = await createLedger({
    store,
    runtime,
    tools: dayTools(mortalPort(life, options.provider), options.keys),
    pauseOnBurst: burst,
    onFault,
  });
  const log = await openEmbeddedEventLog({ path: disk.logPath(), store, runtime, onFault });
  const notifier = createNotifier({
    log,
    store,
    runtime,
    sha256,
    clock: { nowMs: () => runtime.clock.wallMs() },
    endpoints: options.endpoints.map((endpoint) => ({
      ...endpoint,
      send: (notification) => (life.isDead() ? never() : endpoint.send(notification)),
    })),
    onFault,
  });
  await notifier.start();
  const stopNotifier = async (): Promise<void> => {
    await notifier.stop();
    await log.close();
  };
  return {
    ledger,
    notifier,
    faults,
    stop: async () => {
      await stopNotifier();
      await ledger.close();
    },
    kill: () => {
      disk.leaveLog();
      life.die();
      void stopNotifier();
    },
    replay: async () => {
      await notifier.stop();
      await log.reset({ group: 'notifier', topics: [actionTopics.events], to: 'start' });
      await notifier.start();
    },
  };
}
