// Actions as a table for people. Columns that would say nothing are left out, and those that say least
// where the terminal is narrow.
import { type Action } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { noteText, statusText } from '../describe/action-text.ts';
import { printable } from '../format/printable.ts';
import { paintOf, type Style } from '../format/style.ts';
import { type Cell, type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';

interface ActionColumn extends Column {
  readonly cell: (action: Action, style: Style, isNarrow: boolean) => Cell;
  /** Default: always. */
  readonly isShown?: (actions: readonly Action[], isNarrow: boolean) => boolean;
}

const narrow = 110;
/** `2026-`. */
const yearLength = 5;

/** What gives way gives evenly, down to these: together they fit into 80 columns. */
const columns: readonly ActionColumn[] = [
  { title: 'ACTION', cell: ({ id }) => shortId(id) },
  { title: 'TOOL', widthMin: 12, cell: ({ tool }) => printable(tool) },
  {
    title: 'STATUS',
    widthMin: 13,
    cell: (action, style) => ({ text: statusText(action), paint: paintOf(style, action.status) }),
  },
  {
    title: 'TENANT',
    widthMin: 7,
    cell: ({ tenant }) => printable(tenant),
    isShown: (actions) => new Set(actions.map(({ tenant }) => tenant)).size > 1,
  },
  {
    title: 'RUN',
    widthMin: 8,
    cell: (action) => printable(runOf(action)),
    isShown: (actions, isNarrow) => !isNarrow && actions.some(hasOwnRun),
  },
  {
    title: 'TRIES',
    align: 'right',
    cell: ({ attempts }) =>
      String(attempts.filter(({ presumed }) => presumed === undefined).length),
    isShown: (_, isNarrow) => !isNarrow,
  },
  {
    title: 'PLANNED (UTC)',
    cell: ({ plannedAt }, _, isNarrow) => dateTime(plannedAt).slice(isNarrow ? yearLength : 0),
  },
  {
    title: 'NOTE',
    widthMin: 12,
    wraps: true,
    linesMax: 4,
    cell: noteText,
    isShown: (actions) => actions.some((action) => noteText(action) !== ''),
  },
];

export function actionsTable({ io, style }: Cli, actions: readonly Action[]): string {
  if (actions.length === 0) return '';
  const isNarrow = io.columns !== undefined && io.columns < narrow;
  const shown = columns.filter(({ isShown }) => isShown?.(actions, isNarrow) ?? true);
  const rows = actions.map((action) => shown.map(({ cell }) => cell(action, style, isNarrow)));
  return renderTable(shown, rows, { style, columns: io.columns });
}

/** Where each run is a tenant, it would be said twice. */
function hasOwnRun(action: Action): boolean {
  const run = runOf(action);
  return run !== '' && run !== action.tenant;
}

function runOf({ calls }: Action): string {
  return calls[0]?.run ?? '';
}
