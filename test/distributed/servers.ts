// The servers of the distributed size on this machine: real Kafka brokers, and the protocol double of
// EventStoreDB with its log in a file, so that it can be killed and started again.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, startCluster } from '../kafka/broker/cluster.ts';
import { fetchJars } from '../kafka/broker/jars.ts';

export interface Servers {
  readonly kind: 'there';
  /** What services need to find them. */
  readonly env: Readonly<Record<string, string>>;
  readonly cluster: Cluster;
  readonly double: Double;
  readonly stop: () => Promise<void>;
}

export interface Double {
  readonly connectionString: string;
  /** With SIGKILL, then again over what it has kept, at the same address. Resolves when it answers. */
  readonly restart: () => Promise<void>;
}

const doubleProgram = 'packages/eventstoredb-double/src/main.ts';

export async function startServers(options: {
  readonly brokers: number;
}): Promise<Servers | { readonly kind: 'missing'; readonly why: string }> {
  const jars = fetchJars(process.cwd());
  if (jars.kind === 'missing') return jars;
  const folder = mkdtempSync(join(tmpdir(), 'eventstoredb-double-'));
  const cluster = await startCluster({ jars: jars.folder, brokers: options.brokers });
  const double = await startDouble(join(folder, 'log'));
  const copies = Math.min(3, options.brokers);
  return {
    kind: 'there',
    cluster,
    double,
    env: {
      ACTION_LEDGER_EVENTSTOREDB_URL: double.connectionString,
      ACTION_LEDGER_KAFKA_BROKERS: cluster.addresses.join(','),
      ACTION_LEDGER_KAFKA_PARTITIONS: '4',
      ACTION_LEDGER_KAFKA_COPIES: String(copies),
    },
    stop: async () => {
      await double.stop();
      await cluster.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function startDouble(file: string): Promise<Double & { readonly stop: () => Promise<void> }> {
  let child = begin(file, '0');
  const connectionString = await saidBy(child);
  const port = new URL(connectionString.replace(/^\w+:/, 'http:')).port;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  process.once('exit', () => child.kill('SIGKILL'));
  return {
    connectionString,
    restart: async () => {
      await kill();
      child = begin(file, port);
      await saidBy(child);
    },
    stop: kill,
  };
}

function begin(file: string, port: string): ChildProcess {
  const flags = ['--conditions=source', '--experimental-strip-types'];
  const quiet = '--disable-warning=ExperimentalWarning';
  return spawn(process.execPath, [...flags, quiet, doubleProgram, '--port', port, '--file', file], {
    // A terminal's Ctrl-C is not for it: services that stop still have something to record.
    detached: true,
    // It ends with this process by the channel between them.
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** Its first line is the connection string. */
async function saidBy(child: ChildProcess): Promise<string> {
  const { stdout } = child;
  if (stdout === null) throw new Error('The double has no standard output.');
  stdout.setEncoding('utf8');
  let text = '';
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const [line, more] = text.split('\n');
    if (line !== undefined && more !== undefined) return line;
  }
  throw new Error(`The double did not start: ${text}`);
}
