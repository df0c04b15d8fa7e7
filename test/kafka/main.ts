// npm run test:kafka: starts a real Kafka broker on the loopback, runs the suites that need one, and
// stops it. npm run test:distributed: the same for all failure windows, through services that hear of a
// store on a server by the broker alone. Without Java or the jars it says what is missing and ends well:
// nothing was tested.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startCluster } from './broker/cluster.ts';
import { fetchJars } from './broker/jars.ts';

const root = process.cwd();
const jars = fetchJars(root);
const [first, ...others] = process.argv.slice(2);
const isWindows = first === 'failure-windows';
const given = isWindows ? others : process.argv.slice(2);

/** In a run of everything that needs a broker these are played too: each once, as many as there is time for. */
const windowsUsual = ['fw01', 'fw16', 'fw30'].map((window) => `test/failure-windows/${window}`);

const suites = isWindows
  ? {
      projects: ['failure-windows'],
      args: given,
      env: { FAILURE_WINDOWS: 'distributed' },
    }
  : {
      projects: ['kafka', 'failure-windows', '--runInBand'],
      args: given.length > 0 ? given : ['test/kafka/', ...windowsUsual],
      env: { FAILURE_WINDOWS: 'distributed', FAILURE_WINDOWS_SHARE: 'yes' },
    };

if (jars.kind === 'missing') {
  console.log(`The suites over a real Kafka broker were skipped: ${jars.why}.`);
  console.log('0 passed, 0 failed, 1 skipped');
} else {
  const cluster = await startCluster({ jars: jars.folder, brokers: 1 });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => void cluster.stop().then(() => process.exit(1)));
  }
  try {
    const args = ['--selectProjects', ...suites.projects, '--forceExit', ...suites.args];
    const jest = spawn('jest', args, {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...suites.env,
        KAFKA_BROKERS: cluster.addresses.join(),
        KAFKA_JARS: jars.folder,
        KAFKA_FOLDER: cluster.folder,
      },
    });
    const [code] = (await once(jest, 'exit')) as [number | null];
    process.exitCode = code ?? 1;
  } finally {
    await cluster.stop();
  }
}
