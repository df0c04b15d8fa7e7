// `action-ledger actions list`: the newest actions of a ledger, by what they are and how they stand.
import { type ActionRow, rowOf } from '@action-ledger/application';
import { type Action, type ActionStatus } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { noteText, statusText } from '../describe/action-text.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { paintOf } from '../format/style.ts';
import { type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type FoldedLedger, foldLedger } from '../ledger-file/fold-ledger.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';

export interface ActionFilter {
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

const columns: readonly Column[] = [
  { title: 'ACTION' },
  { title: 'TOOL', widthMin: 8 },
  { title: 'STATUS' },
  { title: 'TENANT', widthMin: 6 },
  { title: 'RUN', widthMin: 6 },
  { title: 'TRIES', align: 'right' },
  { title: 'PLANNED (UTC)' },
  { title: 'NOTE', widthMin: 18, wraps: true },
];

/** Columns that would be empty, or the same in every row, are left out. */
export function actionsTable({ io, style }: Cli, actions: readonly Action[]): string {
  if (actions.length === 0) return '';
  const rows = actions.map((action) => [
    shortId(action.id),
    printable(action.tool),
    { text: statusText(action), paint: paintOf(style, action.status) },
    printable(action.tenant),
    printable(action.calls[0]?.run ?? ''),
    String(action.attempts.length),
    dateTime(action.plannedAt),
    noteText(action),
  ]);
  const isShown = columns.map(({ title }, index) => {
    const texts = new Set(
      rows.map((row) => row[index]).map((cell) => (typeof cell === 'string' ? cell : 'painted')),
    );
    if (title === 'TENANT') return texts.size > 1;
    return !(texts.size === 1 && texts.has(''));
  });
  return renderTable(
    columns.filter((_, index) => isShown[index]),
    rows.map((row) => row.filter((_, index) => isShown[index])),
    { style, columns: io.columns },
  );
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
