// `action-ledger play`: a new file for the ledger, the play, progress while it runs, the summary.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { TraceFault } from '@action-ledger/sandbox';
import { CliError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type Verdict } from './judge-play.ts';
import { play, type Played } from './play.ts';
import { type PlayOptions } from './play-options.ts';
import { isSound, summarise } from './play-summary.ts';
import { createProgress, silent } from './progress.ts';
import { renderPlayed } from './print-play.ts';
import { startWorker } from './start-worker.ts';

export async function playCommand(cli: Cli, options: PlayOptions, asJson: boolean): Promise<void> {
  const { style } = cli;
  const { columns } = cli.io;
  const played = await withFile(options.path, (path) => playAt(cli, options, path, asJson));
  const summary = summarise(played.tally, played.verdict, played.seconds);
  if (asJson) cli.json(summary);
  else cli.io.out(renderPlayed(played, summary, { style, columns }));
  if (!asJson && options.path !== undefined) cli.io.out(whereItIs(options.path, played.verdict));
  if (!isSound(summary)) cli.end(1);
}

function whereItIs(path: string, { longest }: Verdict): string {
  const action =
    longest === undefined ? '' : `, action-ledger replay ${shortId(longest.id)} --path ${path}`;
  return `The ledger is kept in ${path}: action-ledger verify --path ${path}${action}\n`;
}

/** @throws CliError where the recorded calls or their catalogue cannot be read */
export async function playAt(
  cli: Cli,
  options: PlayOptions,
  path: string,
  quiet: boolean,
): Promise<Played> {
  const { runtime } = cli.io;
  const progress = quiet ? silent : createProgress(cli.io);
  try {
    return await play(options, path, { runtime, startWorker, onRun: progress.show });
  } catch (error) {
    if (!(error instanceof TraceFault)) throw error;
    const fix = error.line === undefined ? catalogueFix : lineFix;
    throw new CliError(error.code, error.message, { fix, cause: error });
  } finally {
    progress.end();
  }
}

const lineFix =
  'give one JSON object per line, each one call (NDJSON); docs/recorded-calls.md describes its members.';
const catalogueFix =
  'the tools of the calls stand in catalog/<domain>.json beside them, or in the folder of --catalogue; docs/recorded-calls.md says how.';

/** Without a path the file lies in a folder of its own that is gone afterwards. */
async function withFile<Result>(
  path: string | undefined,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  if (path !== undefined) {
    checkNew(path);
    return use(path);
  }
  const folder = mkdtempSync(join(tmpdir(), 'action-ledger-play-'));
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', remove);
  process.once('SIGINT', stopped);
  process.once('SIGTERM', stopped);
  try {
    return await use(join(folder, 'ledger.db'));
  } finally {
    process.off('exit', remove);
    process.off('SIGINT', stopped);
    process.off('SIGTERM', stopped);
    remove();
  }
}

/** As the signal would have ended it, but not without tidying up. */
function stopped(signal: NodeJS.Signals): never {
  process.exit(signal === 'SIGINT' ? 130 : 143);
}

function checkNew(path: string): void {
  if (existsSync(path)) {
    throw new CliError('play.file-exists', `${path} exists, and a play needs a ledger of its own`, {
      fix: 'name a new file with --path, or leave --path out.',
    });
  }
  if (statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new CliError('play.no-folder', `there is no folder ${dirname(path)}`, {
      fix: 'make it, or name another file with --path.',
    });
  }
}
