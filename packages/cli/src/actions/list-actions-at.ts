// `action-ledger actions list --url`: what a ledger that answers over HTTP says of its newest actions.
import { type ActionRow } from '@action-ledger/application';
import { type ActionStatus } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { usageError } from '../cli-error.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { paintOf, type Style } from '../format/style.ts';
import { type Cell, type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { askLedgerAt } from '../ledger-file/ledger-at.ts';
import { refuseTenant } from '../ledger-file/url-option.ts';

export interface ListAtOptions {
  readonly tenant?: string;
  readonly tool?: string;
  readonly status?: ActionStatus;
  readonly run?: string;
  readonly open?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

/** @throws CliError */
export async function listActionsAt(cli: Cli, url: string, options: ListAtOptions): Promise<void> {
  const { tool, status, run, open, limit } = options;
  refuseTenant(options);
  if (open === true)
    throw usageError('--open is not asked over HTTP', 'ask by --status, or on its machine.');
  const filter = {
    ...(tool === undefined ? {} : { tool }),
    ...(status === undefined ? {} : { status }),
    ...(run === undefined ? {} : { run }),
    limit,
  };
  const rows = await askLedgerAt(cli.io, url, (ledger) => ledger.list(filter));
  if (options.json === true) {
    cli.json({ actions: rows });
    return;
  }
  const { io, style } = cli;
  const cells = rows.map((row) => cellsOf(row, style));
  const table =
    rows.length === 0 ? '' : renderTable(columns, cells, { style, columns: io.columns });
  io.out(`${table}${count(rows.length, 'action')} listed.\n`);
}

/** Over HTTP the whole id is needed to name one. */
const columns: readonly Column[] = [
  { title: 'ACTION' },
  { title: 'TOOL', widthMin: 12 },
  { title: 'STATUS', widthMin: 13 },
  { title: 'PLANNED (UTC)' },
  { title: 'NOTE', widthMin: 12, wraps: true, linesMax: 4 },
];

function cellsOf(row: ActionRow, style: Style): readonly Cell[] {
  const { action, tool, status, plannedAt, incidents, owner, nextCheckAt, externalId } = row;
  const notes = [
    incidents === 0 ? undefined : count(incidents, 'incident'),
    owner === undefined ? undefined : `${owner}, next check ${dateTime(nextCheckAt ?? 0)}`,
    externalId,
  ];
  return [
    action,
    printable(tool),
    { text: status, paint: paintOf(style, status) },
    dateTime(plannedAt),
    printable(notes.filter((note) => note !== undefined).join('; ')),
  ];
}
