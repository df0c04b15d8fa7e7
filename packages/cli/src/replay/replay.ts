// `action-ledger replay`: one stream event by event, or the whole ledger as it stood at a time.
import { rowOf } from '@action-ledger/application';
import { parseActionId } from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import { actionsTable } from '../actions/actions-table.ts';
import { type ArchiveOption, withArchive } from '../archive/with-archive.ts';
import { CliError, usageError } from '../cli-error.ts';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { dateTime, isoTime, parseTime } from '../format/time.ts';
import { findAction } from '../ledger-file/find-action.ts';
import { foldLedger } from '../ledger-file/fold-ledger.ts';
import { type PathOption, pathSuffix } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { renderReplay } from './print-replay.ts';
import { replayStream } from './replay-stream.ts';

export interface ReplayOptions extends PathOption, ArchiveOption {
  readonly until?: string;
  readonly json?: boolean;
}

export async function replay(
  cli: Cli,
  target: string | undefined,
  options: ReplayOptions,
): Promise<void> {
  const untilMs = options.until === undefined ? undefined : timeOf(options.until);
  if (target === undefined && untilMs === undefined) {
    throw usageError(
      'replay needs a stream, an action id, or --until for the whole ledger',
      'action-ledger replay h3kx81AbQz.0, or action-ledger replay --until 2026-03-01T12:00:00Z',
    );
  }
  await readLedger(cli.io, options, async (store, path) => {
    if (target === undefined) await replayLedger(cli, store, path, untilMs ?? 0, options);
    else await replayOne(cli, withArchive(store, options), { target, path }, untilMs, options);
  });
}

function timeOf(text: string): number {
  const at = parseTime(text);
  if (at !== undefined) return at;
  throw usageError(
    `--until ${printable(text)} is no time`,
    'give it as 2026-03-01T12:00:00Z, "2026-03-01 12:00" (UTC) or milliseconds since 1970.',
  );
}

async function replayOne(
  cli: Cli,
  store: EventStore,
  { target, path }: { readonly target: string; readonly path: string },
  untilMs: number | undefined,
  options: ReplayOptions,
): Promise<void> {
  const stream = await streamOf(store, target, pathSuffix(cli.io, path));
  const replayed = await replayStream(store, stream, untilMs);
  if (options.json === true) cli.json(replayed);
  else cli.io.out(renderReplay(cli, replayed, untilMs));
  if (replayed.broken !== undefined) cli.end(1);
}

/** Tools, workflows and quarantines have streams too; everything else is an action. */
const otherStreams = /^(tool|workflow|quarantine)-./;

async function streamOf(store: EventStore, target: string, file: string): Promise<string> {
  if (!otherStreams.test(target) || parseActionId(target) !== undefined)
    return `action-${await findAction(store, target, file)}`;
  if ((await store.readStream(target)).length > 0) return target;
  throw new CliError('stream.unknown', `there is no stream ${printable(target)}`, {
    fix: 'streams are action-<id>, tool-<name>, workflow-<id> and quarantine-<id>; --path names another file.',
  });
}

async function replayLedger(
  cli: Cli,
  store: EventStore,
  path: string,
  untilMs: number,
  options: ReplayOptions,
): Promise<void> {
  const { actions, events, archivedSince, broken } = await foldLedger(store, { untilMs, sha256 });
  if (options.json === true) {
    cli.json({ until: isoTime(untilMs), events, archivedSince, actions: actions.map(rowOf) });
    return;
  }
  const at = dateTime(untilMs, { ms: true });
  cli.io.out(actionsTable(cli, actions));
  cli.io.out(
    actions.length === 0 && archivedSince === 0
      ? `At ${at} UTC, ${path} held no action.\n`
      : `${count(actions.length, 'action')} as they stood at ${at} UTC, after ${count(events, 'event')} of ${path}.\n`,
  );
  if (archivedSince > 0)
    cli.io.out(
      `${count(archivedSince, 'action')} more had been planned then and archived since: replay ID --archive FOLDER shows one as it stood.\n`,
    );
  if (broken.size === 0) return;
  const damaged = `${count(broken.size, 'stream')} cannot be read to the end, and what is shown of it is older: action-ledger verify says what is wrong.`;
  cli.io.out(`${cli.style.bad(damaged)}\n`);
}
