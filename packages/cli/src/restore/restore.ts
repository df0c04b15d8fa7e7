// `action-ledger restore`: a backup takes the place of the ledger, which is recovering from then on.
import { existsSync } from 'node:fs';
import { type Restored, restoreBackup } from '@action-ledger/event-store-sqlite';
import { type CheckedCopy, lookInto } from '../backup/check-copy.ts';
import { type Cli } from '../cli.ts';
import { CliError, usageError } from '../cli-error.ts';
import { count, thousands } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { dateTime, isoTime } from '../format/time.ts';
import { ledgerPath, type PathOption } from '../ledger-file/ledger-path.ts';

export interface RestoreCommand extends PathOption {
  readonly from: string;
  readonly json?: boolean;
}

export async function restore(cli: Cli, options: RestoreCommand): Promise<void> {
  const { from } = options;
  if (from === '') throw usageError('--from is empty', 'name the backup: --from backup.db.');
  if (!existsSync(from))
    throw new CliError('store.not-found', `there is no file ${printable(from)}`, {
      fix: 'name the backup with --from FILE.',
    });
  const path = ledgerPath(cli.io, options);
  const { runtime } = cli.io;
  let looked: CheckedCopy | undefined;
  const check = async (draft: string): Promise<void> => {
    looked = await lookInto(runtime, draft);
  };
  const restored = await restoreBackup({ from, path, runtime, check });
  if (looked === undefined) return;
  if (options.json === true) cli.json(toldJson(path, from, restored, looked));
  else cli.io.out(toldText(cli, path, restored, looked));
  if (looked.problems.length > 0) cli.end(1);
}

function toldJson(path: string, from: string, restored: Restored, looked: CheckedCopy): object {
  const { head, mark, takenAt, kept } = restored;
  const { events, newestAt, problems } = looked;
  return {
    path,
    from,
    head,
    events,
    ...(newestAt === 0 ? {} : { newestAt: isoTime(newestAt) }),
    ...(takenAt === undefined ? {} : { takenAt: isoTime(takenAt) }),
    mark,
    ...(kept === undefined ? {} : { kept }),
    condition: 'recovering',
    problems,
  };
}

function toldText({ style }: Cli, path: string, restored: Restored, looked: CheckedCopy): string {
  const { head, mark, kept } = restored;
  const { events, newestAt, problems } = looked;
  const newest = newestAt === 0 ? '' : `, the newest of ${dateTime(newestAt)} UTC`;
  const lines = [`${path} holds ${count(events, 'event')} up to position ${head}${newest}.`];
  if (mark > head)
    lines.push(`It was known to hold ${thousands(mark)}: ${count(mark - head, 'event')} missing.`);
  for (const problem of problems)
    lines.push(style.bad(`The backup is damaged: ${printable(problem)}.`));
  lines.push(kept === undefined ? 'There was no file before.' : `The old file is ${kept}.`);
  lines.push(
    `${style.open('Recovering:')} nothing new is recorded or sent until action-ledger recover is confirmed.`,
  );
  return lines.map((line) => `${line}\n`).join('');
}
