// Every service of the distributed size, each in a process of its own, with the tools of the sample shop; what
// runs where is a screen for people.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Services {
  readonly screen: string;
  /** The last that was started ends first. */
  readonly stop: () => Promise<void>;
}

export interface ServicesOptions {
  /** `action-ledger` as a file. */
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const services = [
  'projector',
  'projector',
  'executor',
  'executor',
  'reconciler',
  'compensator',
  'auditor',
  'gateway',
];

export async function startServices({ program, env }: ServicesOptions): Promise<Services> {
  const started: { service: string; child: ChildProcess; urls: Record<string, string> }[] = [];
  const stop = async (): Promise<void> => {
    for (const { child } of started.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  };
  const ports = { ACTION_LEDGER_PROBE_PORT: '0', ACTION_LEDGER_OPEN: 'true' };
  const quiet = { ACTION_LEDGER_LOG_LEVEL: 'warn' };
  for (const service of services) {
    const child = spawn(process.execPath, [program, 'serve', service], {
      env: { ...quiet, ...env, ...ports },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    started.push({ service, child, urls: {} });
  }
  try {
    await Promise.all(
      started.map(async (each) => {
        each.urls = await urlsOf(each.child, each.service);
      }),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { screen: screenOf(started, env), stop };
}

async function urlsOf(child: ChildProcess, service: string): Promise<Record<string, string>> {
  return new Promise((resolve, reject) => {
    child.on('message', (message) => {
      const told = message as { readonly kind?: string; readonly urls: Record<string, string> };
      if (told.kind === 'started') resolve(told.urls);
    });
    child.once('exit', (code, signal) => {
      reject(new Error(`The ${service} ended before it had started (${signal ?? code ?? '?'}).`));
    });
  });
}

function screenOf(
  started: readonly {
    readonly service: string;
    readonly child: ChildProcess;
    readonly urls: Readonly<Record<string, string>>;
  }[],
  env: ServicesOptions['env'],
): string {
  const rows = started.map(({ service, child, urls }) =>
    [service.padEnd(13), String(child.pid).padEnd(9), Object.values(urls).join('  ')].join(''),
  );
  const api = started.find(({ service }) => service === 'gateway')?.urls['api'] ?? '';
  return [
    'The distributed size runs on this machine, each part in a process of its own.',
    '',
    `EventStoreDB (protocol double)  ${env['ACTION_LEDGER_EVENTSTOREDB_URL'] ?? ''}`,
    `Kafka                           ${env['ACTION_LEDGER_KAFKA_BROKERS'] ?? ''}`,
    '',
    'service      process  addresses',
    ...rows,
    '',
    `  curl ${api}/v1/tools`,
    'Ctrl-C stops it.',
  ].join('\n');
}
