// What `npm start` shows: the shipped sample, played with mild faults through a ledger that is kept;
// what to try next, with an action that was just made; and the API over it, until it is stopped.
import { realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { type Style } from '../format/style.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type Played } from './play.ts';
import { playAt } from './play-command.ts';
import { defaultRunsAtOnce, type PlayOptions } from './play-options.ts';
import { isSound, summarise } from './play-summary.ts';
import { cataloguesOf, readToolsIn } from './play-files.ts';
import { renderPlayed } from './print-play.ts';
import { takeSampleFile } from './sample-file.ts';
import { serveSample } from './serve-sample.ts';

const folder = '.action-ledger';

export interface SampleOptions {
  /** Of the API; where it is taken, any that is free. */
  readonly port: number;
  /** End after the play. */
  readonly once?: boolean;
}

/** @throws CliError `play.sample-held` where another process still plays or serves it */
export async function startSample(cli: Cli, { port, once }: SampleOptions): Promise<void> {
  const { path, release } = takeSampleFile(folder);
  const calls = samplePath();
  try {
    await playSample(cli, path, calls);
    if (once !== true)
      await serveSample(cli, path, await readToolsIn(cataloguesOf([calls], undefined)), port);
  } finally {
    release();
  }
}

async function playSample(cli: Cli, path: string, calls: string): Promise<void> {
  const { style } = cli;
  const options: PlayOptions = {
    files: [calls],
    catalogue: undefined,
    lostResponses: 0.1,
    timeouts: 0.05,
    duplicateDeliveries: 0.15,
    kills: undefined,
    server: undefined,
    seed: 7,
    path,
    runsMax: Infinity,
    runsAtOnce: defaultRunsAtOnce,
  };
  cli.io.out(`${style.dim(introduction)}\n\n`);
  const played = await playAt(cli, options, path, false);
  const summary = summarise(played.tally, played.verdict, played.seconds);
  cli.io.out(renderPlayed(played, summary, { style, columns: cli.io.columns }));
  cli.io.out(whatNext(played, path, style));
  if (!isSound(summary)) cli.end(1);
}

const introduction = `Recorded tool calls of agents, played through a ledger against a sandbox provider that loses replies,
stays silent and is asked twice. Nothing leaves this machine. Each start begins with a fresh ledger.`;

function whatNext({ verdict }: Played, path: string, { bold }: Style): string {
  const action = shortId(verdict.longest?.id ?? '');
  // The same one every time, whatever was planned first.
  const [open] = verdict.open.map(({ id }) => id).sort();
  const lines: readonly (readonly [command: string, what: string])[] = [
    ['demo', 'how agents act twice, case by case'],
    [`actions list --path ${path}`, 'what this play has left behind'],
    ...unknownLines(path, open),
    [`replay ${action} --path ${path}`, 'one action, state by state'],
    [`verify --path ${path}`, 'prove that nothing in it was changed'],
    ['play YOUR-CALLS.ndjson --kill-workers', 'calls of your own, and a ledger that is killed'],
  ];
  const width = Math.max(...lines.map(([command]) => command.length));
  const shown = lines.map(
    ([command, what]) => `  npx action-ledger ${command.padEnd(width)}  ${what}\n`,
  );
  return `\n${bold('Next')}\n${shown.join('')}`;
}

function unknownLines(
  path: string,
  open: string | undefined,
): readonly (readonly [command: string, what: string])[] {
  if (open === undefined) return [];
  return [
    [`actions list --open --path ${path}`, 'what is unknown, and who looks after it'],
    [`actions show ${shortId(open)} --path ${path}`, 'one unknown: all that is known of it'],
  ];
}

/** Beside this program, in the repository as in node_modules. */
function samplePath(): string {
  const program = process.argv[1];
  if (program === undefined)
    throw new CliError('play.sample', 'the sample is found beside the program', {
      fix: 'start the program as a file: node packages/cli/bin/action-ledger.js.',
    });
  return join(dirname(realpathSync(program)), '../../sandbox/samples/shop.ndjson');
}
