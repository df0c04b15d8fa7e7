// `action-ledger archive`: moves the events of finished actions out of the file, and keeps what they are.
import { statSync } from 'node:fs';
import { archiveActions, type ArchiveReport } from '@action-ledger/application';
import { openSqliteEventStore } from '@action-ledger/event-store-sqlite';
import { parseDuration } from '@action-ledger/tools';
import { type Cli } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { sha256 } from '../sha256.ts';
import { openArchiveFolder } from './archive-folder.ts';

export interface ArchiveCommand extends PathOption {
  readonly before: string;
  readonly to: string;
  readonly by: string;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly compact?: boolean;
  readonly json?: boolean;
}

export async function archive(cli: Cli, options: ArchiveCommand): Promise<void> {
  const { runtime } = cli.io;
  const { to, by, all = false, dryRun = false, compact = false } = options;
  const restedMs = parseDuration(options.before);
  if (restedMs === undefined)
    throw usageError(
      `--before ${printable(options.before)} is no age`,
      'say --before 30d, or 12h.',
    );
  if (to === '') throw usageError('--to is empty', 'name the folder: --to archives.');
  if (by.trim() === '') throw usageError('--by is empty', 'say who archives: --by NAME.');
  const path = ledgerPath(cli.io, options);
  // There is a file, and a ledger's: opening for writing would make one.
  await readLedger(cli.io, options, () => Promise.resolve());
  const bytesBefore = statSync(path).size;
  const store = await openSqliteEventStore({ path, runtime });
  let report: ArchiveReport;
  try {
    const settledBefore = runtime.clock.wallMs() - restedMs;
    report = await archiveActions(
      { store, runtime, sha256, folder: openArchiveFolder(to) },
      { settledBefore, by, all, dryRun },
    );
    if (compact && !dryRun) await store.compact();
  } finally {
    await store.close();
  }
  const bytes = { before: bytesBefore, after: statSync(path).size };
  if (options.json === true) cli.json({ path, folder: to, dryRun, ...report, bytes });
  else cli.io.out(reportText(cli, options, report, bytes));
}

function reportText(
  { style }: Cli,
  { to, dryRun = false, compact = false }: ArchiveCommand,
  { actions, events, files, completed, kept }: ArchiveReport,
  bytes: { readonly before: number; readonly after: number },
): string {
  const what = `${count(events, 'event')} of ${count(actions, 'action')}`;
  const lines = dryRun
    ? [`${what} could be archived. Nothing was written.`]
    : [
        actions === 0
          ? 'Nothing to archive.'
          : `${style.good('Archived')} ${what} in ${printable(to)}:`,
        ...files.map((file) => `  ${file}`),
      ];
  if (completed > 0)
    lines.push(
      `${count(completed, 'action')} of an earlier run, which had ended early: ${dryRun ? 'still to be done' : 'done now'}.`,
    );
  const reasons = Object.entries(kept).map(([why, number]) => `${number} ${why}`);
  if (reasons.length > 0) lines.push(`Kept whole: ${reasons.join(', ')}.`);
  if (!dryRun && actions > 0)
    lines.push(
      compact
        ? `The file took ${sizeText(bytes.before)}, and takes ${sizeText(bytes.after)} now.`
        : 'The room in the file is used for new events; --compact makes the file smaller.',
    );
  return lines.map((line) => `${line}\n`).join('');
}

function sizeText(bytes: number): string {
  return bytes < 1_000_000
    ? `${Math.ceil(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
