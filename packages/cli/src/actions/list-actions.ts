// `action-ledger actions list`: the newest actions of a ledger, by what they are and how they stand.
import { type ActionRow, rowOf } from '@action-ledger/application';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { type UrlOption, urlNamed } from '../ledger-file/url-option.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { actionsTable } from './actions-table.ts';
import { listActionsAt } from './list-actions-at.ts';
import { type ActionFilter, damagedText, type Listed, listedIn } from './listed-actions.ts';

export interface ListOptions extends ActionFilter, PathOption, UrlOption {
  readonly limit: number;
  readonly json?: boolean;
}

export async function listActions(cli: Cli, options: ListOptions): Promise<void> {
  const url = urlNamed(cli.io, options);
  if (url !== undefined) {
    await listActionsAt(cli, url, options);
    return;
  }
  await readLedger(cli.io, options, async (store, path) => {
    const list = await listedIn(store, path, options);
    if (options.json === true) {
      cli.json({
        total: list.matching,
        actions: list.shown.map(rowOf) satisfies readonly ActionRow[],
        damaged: list.damaged,
      });
      return;
    }
    cli.io.out(actionsTable(cli, list.shown));
    cli.io.out(endOfList(cli, { path, list, options }));
  });
}

interface ListEnd {
  readonly path: string;
  readonly list: Listed;
  readonly options: ListOptions;
}

function endOfList({ style }: Cli, { path, list, options }: ListEnd): string {
  const { tenant, tool, status, run, open } = options;
  const isFiltered = [tenant, tool, status, run, open].some((filter) => filter !== undefined);
  const { matching: total, damaged } = list;
  const shown = list.shown.length;
  const all = `${path} holds ${count(list.all, 'action')}`;
  const lines: string[] = [];
  if (total === 0) lines.push(isFiltered ? `Nothing fits; ${all}.` : `No actions yet in ${path}.`);
  else if (shown < total)
    lines.push(`${shown} of ${count(total, 'action')}; --limit ${total} shows all.`);
  else
    lines.push(
      isFiltered ? `${count(total, 'action')}; ${all}.` : `${count(total, 'action')} in ${path}.`,
    );
  if (damaged.length > 0) lines.push(style.bad(damagedText(damaged)));
  return lines.map((line) => `${line}\n`).join('');
}
