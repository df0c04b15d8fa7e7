// Real Kafka brokers on the loopback, one or several, each a Java process with a folder of its own. They
// can be killed with -9 and started again over what they have kept. They end with this process, however
// it ends, and only what was started here is ever stopped.
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { host, type Node, settingsOf } from './settings.ts';

export interface Cluster {
  /** `host:port` of each broker. */
  readonly addresses: readonly string[];
  /** What they keep lies in folders in it. */
  readonly folder: string;
  /** With SIGKILL; resolves when it is gone. */
  readonly kill: (broker: number) => Promise<void>;
  /** Over what it has kept, at the same address; resolves when it listens. */
  readonly start: (broker: number) => Promise<void>;
  /** Kills all of them and removes what they have kept. */
  readonly stop: () => Promise<void>;
}

export interface ClusterOptions {
  /** Of `fetchJars`. */
  readonly jars: string;
  readonly brokers: number;
}

const quiet = '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn';
const listenMsMax = 60_000;
const clusterId = 'YWN0aW9uLWxlZGdlci0tLQ';

/** Resolves when all of them listen. */
export async function startCluster({ jars, brokers }: ClusterOptions): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'kafka-'));
  const ports = await freePorts(2 * brokers);
  const nodes = Array.from({ length: brokers }, (_, index): Node => ({
    id: index + 1,
    port: ports[2 * index] ?? 0,
    controllerPort: ports[2 * index + 1] ?? 0,
    folder: join(folder, `broker-${index + 1}`),
  }));
  await format(jars, nodes);
  const running = new Map<number, ChildProcess>();
  const begin = (index: number): Node => {
    const node = nodes[index];
    if (node === undefined) throw new Error(`There is no broker ${index}.`);
    if (!running.has(index)) running.set(index, run(jars, node));
    return node;
  };
  const kill = async (index: number): Promise<void> => {
    const broker = running.get(index);
    running.delete(index);
    if (broker === undefined || broker.exitCode !== null) return;
    // The shell around it kills it with -9 when its input ends.
    broker.ref();
    const gone = once(broker, 'exit');
    broker.stdin?.end();
    await gone;
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.keys()].map(kill));
    rmSync(folder, { recursive: true, force: true });
  };
  const start = async (index: number): Promise<void> => {
    const node = begin(index);
    await listening(node, () => running.get(index)?.exitCode === null);
  };
  try {
    await Promise.all(nodes.map((_, index) => start(index)));
  } catch (error) {
    await stop();
    throw error;
  }
  return { addresses: nodes.map(({ port }) => `${host}:${port}`), folder, kill, start, stop };
}

/** Ends the broker with its own input, which ends with the process that started it. */
const shell =
  'exec 3<&0; "$@" & b=$!; { read _ <&3; kill -9 $b; } >&- 2>&- & wait $b; c=$?; kill $! 2>&-; exit $c';

function run(jars: string, node: Node): ChildProcess {
  const log = openSync(join(node.folder, 'broker.txt'), 'a');
  const java = [
    ...['java', '-cp', `${jars}/*`, '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'],
    ...[quiet, 'kafka.Kafka', propertiesOf(node)],
  ];
  const child = spawn('sh', ['-c', shell, 'sh', ...java], {
    // A terminal's Ctrl-C is not for it.
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  child.unref();
  return child;
}

/** The tool of Kafka makes the folder of the first; those of the others differ in two lines. */
async function format(jars: string, nodes: readonly Node[]): Promise<void> {
  for (const node of nodes) {
    mkdirSync(node.folder, { recursive: true });
    writeFileSync(propertiesOf(node), settingsOf(node, nodes));
  }
  const [first, ...others] = nodes;
  if (first === undefined) return;
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', propertiesOf(first)];
  const java = ['-cp', `${jars}/*`, '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', quiet, ...tool];
  const child = spawn('java', java, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error('The folder of a broker could not be made, see above.');
  const meta = readFileSync(join(first.folder, 'meta.properties'), 'utf8');
  for (const { id, folder } of others) {
    const directory = `A${randomBytes(16).toString('base64url').slice(1)}`;
    const own = meta
      .replace(/^node\.id=.*$/m, `node.id=${id}`)
      .replace(/^directory\.id=.*$/m, `directory.id=${directory}`);
    writeFileSync(join(folder, 'meta.properties'), own);
    copyFileSync(join(first.folder, 'bootstrap.checkpoint'), join(folder, 'bootstrap.checkpoint'));
  }
}

function propertiesOf({ folder }: Node): string {
  return join(folder, 'server.properties');
}

async function listening(node: Node, isRunning: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + listenMsMax;
  while (!(await accepts(node.port))) {
    if (!isRunning() || Date.now() > giveUpAt) {
      const told = readFileSync(join(node.folder, 'broker.txt'), 'utf8').slice(-2000);
      throw new Error(`The broker ${node.id} does not listen: ${told}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, host));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
