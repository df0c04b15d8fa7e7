// `action-ledger play`, and the two commands behind it: the worker that a play kills, and what
// `npm start` shows.
import { type Command, Option } from 'commander';
import { type Cli, type Register } from '../cli.ts';
import type { SampleOptions } from './start-sample.ts';
import { port, portOption } from '../start/port.ts';
import { usageError } from '../cli-error.ts';
import { addJsonOption } from '../ledger-file/ledger-path.ts';
import {
  defaultKillShare,
  defaultRunsAtOnce,
  percent,
  type PlayOptions,
  providerPortUsual,
  runsAtOnceMax,
  type ServerOptions,
  wholeNumber,
} from './play-options.ts';

export const registerPlay: Register = (program, cli) => {
  registerPlayCommand(program, cli);
  program.command('play-worker', { hidden: true }).action(async () => {
    const { runWorker } = await import('./worker-main.ts');
    runWorker();
  });
  program
    .command('start-sample', { hidden: true })
    .description('plays the shipped sample, then serves it over HTTP (what `npm start` runs)')
    .addOption(portOption('of the API; where it is taken, any that is free'))
    .option('--once', 'end after the play')
    .action(async (options: SampleOptions) => {
      const { startSample } = await import('./start-sample.ts');
      await startSample(cli, options);
    });
};

interface Flags {
  readonly lostResponses: number;
  readonly timeouts: number;
  readonly duplicateDeliveries: number;
  readonly killWorkers?: boolean;
  readonly killRate: number;
  readonly ownServer?: boolean;
  readonly killServer: number;
  readonly distributed?: boolean;
  readonly killServices: number;
  readonly url?: string;
  readonly providerPort: number;
  readonly seed: number;
  readonly catalogue?: string;
  readonly path?: string;
  readonly limit?: number;
  readonly runsAtOnce: number;
  readonly json?: boolean;
}

function registerPlayCommand(program: Command, cli: Cli): void {
  const command = program
    .command('play')
    .argument('<files...>', 'recorded tool calls: .ndjson or .ndjson.gz')
    .summary('play recorded tool calls through a ledger, with faults')
    .description(about);
  addFaultOptions(command);
  addServerOptions(command);
  command
    .option(
      '--seed <number>',
      'the same seed, the same faults',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      1,
    )
    .option('--catalogue <dir>', 'folder of <domain>.json (default: catalog beside each file)')
    .option(
      '--path <file>',
      'keep the ledger in this new file (default: nowhere); of --url: its file',
    )
    .option('--limit <runs>', 'play only the first runs', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    .option(
      '--runs-at-once <number>',
      'runs under way together',
      wholeNumber(1, runsAtOnceMax),
      defaultRunsAtOnce,
    )
    .addHelpText('after', examples);
  addJsonOption(command).action(async (files: readonly string[], flags: Flags) => {
    const { playCommand } = await import('./play-command.ts');
    await playCommand(cli, optionsOf(files, withKills(command, flags)), flags.json === true);
  });
}

function addFaultOptions(command: Command): void {
  command
    .addOption(
      percentOption(
        '--lost-responses <percent>',
        'requests whose effect happens and whose reply is lost',
        0,
      ),
    )
    .addOption(
      percentOption(
        '--timeouts <percent>',
        'requests without any reply; half of them take effect',
        0,
      ),
    )
    .addOption(
      percentOption(
        '--duplicate-deliveries <percent>',
        'calls that are delivered once more: at once, after the answer, or after the next write',
        0,
      ),
    )
    .option(
      '--kill-workers',
      'run the ledger in processes that are killed at named points of the write path',
    )
    .addOption(
      percentOption(
        '--kill-rate <percent>',
        'implies --kill-workers: how often a point that every action passes kills; rarer ones more often',
        defaultKillShare,
      ),
    );
}

function addServerOptions(command: Command): void {
  command
    .option('--own-server', 'run the ledger as a server of its own, and call it over HTTP')
    .addOption(
      percentOption(
        '--kill-server <percent>',
        'implies --own-server: deliveries after which the server is killed with -9 and started again',
        0,
      ),
    )
    .option(
      '--distributed',
      'run every service in a process of its own, over the EventStoreDB and Kafka of the environment',
    )
    .addOption(
      percentOption(
        '--kill-services <percent>',
        'implies --distributed: deliveries after which one of the services is killed with -9 and started again',
        0,
      ),
    )
    .option('--url <url>', 'play through a running `action-ledger start --sandbox`')
    .option(
      '--provider-port <number>',
      'of --url: where its tools send (its --provider)',
      port,
      providerPortUsual,
    );
}

/** Whoever says how often wants it. */
export function withKills<Given extends Pick<Flags, 'killWorkers'>>(
  command: Command,
  flags: Given,
): Given {
  const isRateGiven = command.getOptionValueSource('killRate') === 'cli';
  return isRateGiven ? { ...flags, killWorkers: true } : flags;
}

/** A share inside, percent for people. */
function percentOption(flags: string, description: string, share: number): Option {
  return new Option(flags, description).argParser(percent).default(share, `${share * 100}%`);
}

function optionsOf(files: readonly string[], flags: Flags): PlayOptions {
  const { lostResponses, timeouts, duplicateDeliveries, seed, catalogue, path, runsAtOnce } = flags;
  const server = serverOf(flags);
  if (server !== undefined && flags.killWorkers === true)
    throw usageError('--kill-workers is not for a server', 'leave it out, or say --kill-server.');
  return {
    files,
    catalogue,
    lostResponses,
    timeouts,
    duplicateDeliveries,
    kills: flags.killWorkers === true ? flags.killRate : undefined,
    server,
    seed,
    path,
    runsMax: flags.limit ?? Infinity,
    runsAtOnce,
  };
}

function serverOf(flags: Flags): ServerOptions | undefined {
  const { ownServer, killServer, distributed, killServices, url, providerPort } = flags;
  const isOwn = ownServer === true || killServer > 0;
  const isDistributed = distributed === true || killServices > 0;
  if ([isOwn, isDistributed, url !== undefined].filter(Boolean).length > 1)
    throw usageError(
      '--url names a server, --own-server starts one, --distributed starts several',
      'say one of them.',
    );
  if (isDistributed) return { kind: 'distributed', kills: killServices };
  if (url === undefined) return isOwn ? { kind: 'own', kills: killServer } : undefined;
  if (!URL.canParse(url))
    throw usageError(`${url} is no URL`, 'give one as http://127.0.0.1:7373.');
  return { kind: 'running', url, providerPort };
}

const about = `Plays recorded tool calls of agents through a ledger, against a sandbox provider that answers as the
recorded world did and counts the effects. Every run is a tenant of its own, its calls are played in
order; reads pass by. Ends with 1 if any effect is doubled or lost, an unknown has no owner, or an
invariant is broken.

With --own-server, --distributed or --url the calls go over HTTP to a server, whose tools call the provider
of the play.

Calls counts the recorded ones. What --duplicate-deliveries delivers again is not one more call, and is
counted apart from the duplicates that were recorded.`;

const examples = `
Examples:
  action-ledger play calls.ndjson
  action-ledger play calls.ndjson --lost-responses 5% --timeouts 2% --duplicate-deliveries 10% --kill-workers --seed 7
  action-ledger play calls.ndjson --lost-responses 5% --own-server --kill-server 2%
  action-ledger play calls.ndjson --lost-responses 5% --distributed --kill-services 1%
  action-ledger play calls.ndjson --url http://127.0.0.1:7373 --path sandbox.db
  action-ledger play calls.ndjson.gz --path played.db && action-ledger verify --path played.db
  action-ledger play calls.ndjson --json | jq .unknown`;
