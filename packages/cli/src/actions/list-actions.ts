// `action-ledger actions list`: the newest actions of a ledger, by what they are and how they stand.
import { type ActionRow, rowOf } from '@action-ledger/application';
import { type Action, type ActionStatus } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { type FoldedLedger, foldLedger } from '../ledger-file/fold-ledger.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { actionsTable } from './actions-table.ts';

interface ActionFilter {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
}

export interface ListOptions extends ActionFilter, PathOption {
  readonly limit: number;
  readonly json?: boolean;
}

export async function listActions(cli: Cli, options: ListOptions): Promise<void> {
  await readLedger(cli.io, options, async (store, path) => {
    const ledger = await foldLedger(store);
    const matching = newestFirst(ledger.actions.filter((action) => fits(action, options)));
    const shown = matching.slice(0, options.limit);
    if (options.json === true) {
      cli.json({
        total: matching.length,
        actions: shown.map(rowOf) satisfies readonly ActionRow[],
      });
      return;
    }
    cli.io.out(actionsTable(cli, shown));
    cli.io.out(
      endOfList(cli, { path, shown: shown.length, total: matching.length, ledger, options }),
    );
  });
}

function fits(action: Action, { tenant, tool, status, run }: ActionFilter): boolean {
  return (
    (tenant === undefined || action.tenant === tenant) &&
    (tool === undefined || action.tool === tool) &&
    (status === undefined || action.status === status) &&
    (run === undefined || action.calls.some((call) => call.run === run))
  );
}

function newestFirst(actions: readonly Action[]): readonly Action[] {
  // Equal times keep the order of the store, turned round.
  return [...actions].reverse().sort((a, b) => b.plannedAt - a.plannedAt);
}

interface ListEnd {
  readonly path: string;
  readonly shown: number;
  readonly total: number;
  readonly ledger: FoldedLedger;
  readonly options: ListOptions;
}

function endOfList({ style }: Cli, { path, shown, total, ledger, options }: ListEnd): string {
  const { tenant, tool, status, run } = options;
  const isFiltered = [tenant, tool, status, run].some((filter) => filter !== undefined);
  const all = `${path} holds ${count(ledger.actions.length, 'action')}`;
  const lines: string[] = [];
  if (total === 0) lines.push(isFiltered ? `Nothing fits; ${all}.` : `No actions yet in ${path}.`);
  else if (shown < total)
    lines.push(`${shown} of ${count(total, 'action')}; --limit ${total} shows all.`);
  else
    lines.push(
      isFiltered ? `${count(total, 'action')}; ${all}.` : `${count(total, 'action')} in ${path}.`,
    );
  if (ledger.broken.size > 0)
    lines.push(
      style.bad(
        `${count(ledger.broken.size, 'stream')} cannot be read to the end: action-ledger verify says what is wrong.`,
      ),
    );
  return lines.map((line) => `${line}\n`).join('');
}
