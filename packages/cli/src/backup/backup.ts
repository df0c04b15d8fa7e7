// `action-ledger backup`: a copy of the ledger that is known to be whole before it has its name.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Cli } from '../cli.ts';
import { CliError, usageError } from '../cli-error.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { dateTime, isoTime } from '../format/time.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { checkCopy, type CheckedCopy } from './check-copy.ts';

export interface BackupCommand extends PathOption {
  readonly to: string;
  readonly overwrite?: boolean;
  readonly json?: boolean;
}

export async function backup(cli: Cli, options: BackupCommand): Promise<void> {
  const { to, overwrite = false } = options;
  if (to === '') throw usageError('--to is empty', 'name the copy: --to backup.db.');
  if (existsSync(to) && !overwrite)
    throw new CliError('store.io', `${to} exists already`, {
      fix: 'name another file, or say --overwrite.',
    });
  if (!existsSync(dirname(to)))
    throw new CliError('store.io', `there is no folder ${printable(dirname(to))}`, {
      fix: 'make it, or name another file with --to FILE.',
    });
  await readLedger(cli.io, options, async (store) => {
    let checked: CheckedCopy | undefined;
    const check = async (draft: string): Promise<void> => {
      checked = await checkCopy(cli.io.runtime, draft, store);
    };
    const { head, takenAt } = await store.backup(to, { overwrite, check });
    if (checked === undefined) return;
    if (options.json === true) cli.json(toldJson(to, head, takenAt, checked));
    else cli.io.out(toldText(cli, to, head, checked));
    if (checked.problems.length > 0) cli.end(1);
  });
}

function toldJson(file: string, head: number, takenAt: string, checked: CheckedCopy): object {
  const { events, newestAt, problems } = checked;
  const newest = newestAt === 0 ? {} : { newestAt: isoTime(newestAt) };
  return { file, head, events, ...newest, takenAt, problems };
}

function toldText({ style }: Cli, to: string, head: number, checked: CheckedCopy): string {
  const { events, newestAt, tailEvents, problems } = checked;
  const newest = newestAt === 0 ? '' : `, the newest of ${dateTime(newestAt)} UTC`;
  const holds = `${to} holds ${count(events, 'event')} up to position ${head}${newest}.\n`;
  if (problems.length === 0) {
    const chain = `the chain holds in the streams of the newest ${count(tailEvents, 'event')}`;
    return `${holds}${style.good('Checked:')} no position is missing, and ${chain}.\n`;
  }
  const what = problems.map((problem) => `  ${printable(problem)}\n`).join('');
  return `${holds}${style.bad('The ledger itself is damaged, and so is the copy:')}\n${what}action-ledger verify names every event that was changed.\n`;
}
