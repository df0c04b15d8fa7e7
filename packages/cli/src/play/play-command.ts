// `action-ledger play`: a new file for the ledger, the play, progress while it runs, the summary.
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { ledgerPath } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { type Verdict } from './judge-play.ts';
import { play, type Played } from './play.ts';
import { type PlayOptions } from './play-options.ts';
import { isSound, summarise } from './play-summary.ts';
import { createProgress, silent } from './progress.ts';
import { renderPlayed } from './print-play.ts';
import { sandboxToolsFile, startMember } from './distributed/start-member.ts';
import { startServer } from './start-server.ts';
import { startWorker } from './start-worker.ts';
import { asCliError } from './trace-error.ts';

export async function playCommand(cli: Cli, options: PlayOptions, asJson: boolean): Promise<void> {
  const { style } = cli;
  const { columns } = cli.io;
  const played = await withFile(cli, options, (path) => playAt(cli, options, path, asJson));
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
    return await play(options, path, {
      runtime,
      startWorker,
      startServer,
      fleet: { env: cli.io.env, startMember, toolsFile: sandboxToolsFile },
      onRun: progress.show,
    });
  } catch (error) {
    throw asCliError(error);
  } finally {
    progress.end();
  }
}

/** Without a path the file lies in a folder of its own that is gone afterwards. */
async function withFile<Result>(
  cli: Cli,
  { path, server }: PlayOptions,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  if (server?.kind === 'running') {
    const served = ledgerPath(cli.io, path === undefined ? {} : { path });
    await checkUnplayed(cli, served);
    return use(served);
  }
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

/** What is on record already could not be told from what the play brings about. */
async function checkUnplayed(cli: Cli, path: string): Promise<void> {
  const { actions } = await readLedger(cli.io, { path }, (store) => foldLedger(store));
  if (actions.length === 0) return;
  throw new CliError(
    'play.file-exists',
    `${path} holds actions, and a play needs a ledger of its own`,
    {
      fix: 'start the server with a new file: action-ledger start --sandbox … --path NEW.',
    },
  );
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
