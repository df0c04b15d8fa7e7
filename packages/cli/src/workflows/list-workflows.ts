// `action-ledger workflow list`: the newest workflows of a ledger.
import {
  listWorkflows,
  type WorkflowFilter,
  type WorkflowRow,
  workflowRowOf,
} from '@action-ledger/application';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { askLedgerAt } from '../ledger-file/ledger-at.ts';
import { refuseTenant, type UrlOption, urlNamed } from '../ledger-file/url-option.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { loadWorkflows, shortWorkflow } from './load-workflows.ts';
import { paintOfWorkflow } from './workflow-text.ts';

export interface ListWorkflowsOptions extends PathOption, UrlOption, WorkflowFilter {
  readonly limit: number;
  readonly json?: boolean;
}

const columns: readonly Column[] = [
  { title: 'WORKFLOW' },
  { title: 'ID OR RUN', widthMin: 10 },
  { title: 'STATUS', widthMin: 12 },
  { title: 'STEPS', align: 'right' },
  { title: 'STARTED (UTC)' },
  { title: 'NOTE', widthMin: 12, wraps: true, linesMax: 4 },
];

export async function listWorkflowsOf(cli: Cli, options: ListWorkflowsOptions): Promise<void> {
  const { io, style } = cli;
  const url = urlNamed(io, options);
  if (url !== undefined) {
    await listAt(cli, url, options);
    return;
  }
  await readLedger(io, options, async (store, path) => {
    const { workflows, damaged } = await loadWorkflows(store);
    const rows = listWorkflows(workflows.map(workflowRowOf), options);
    if (options.json === true) {
      cli.json({ workflows: rows, damaged });
      return;
    }
    io.out(tableOf(cli, rows));
    io.out(`${rows.length} of ${count(workflows.length, 'workflow')} in ${path}.\n`);
    if (damaged.length > 0)
      io.out(
        style.bad(
          `${count(damaged.length, 'damaged workflow')}, not listed: ${damaged.slice(0, 5).map(shortWorkflow).join(', ')}. action-ledger verify says what is wrong.\n`,
        ),
      );
  });
}

async function listAt(cli: Cli, url: string, options: ListWorkflowsOptions): Promise<void> {
  const { status, open, limit } = options;
  refuseTenant(options);
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(open === undefined ? {} : { open }),
    limit,
  };
  const rows = await askLedgerAt(cli.io, url, (ledger) => ledger.workflows.list(filter));
  if (options.json === true) cli.json({ workflows: rows });
  else cli.io.out(`${tableOf(cli, rows)}${count(rows.length, 'workflow')} listed.\n`);
}

function tableOf({ style, io }: Cli, rows: readonly WorkflowRow[]): string {
  if (rows.length === 0) return '';
  const cells = rows.map(
    ({ workflow, name, run, status, steps, startedAt, owner, nextCheckAt }) => [
      shortWorkflow(workflow),
      printable(name ?? run ?? ''),
      { text: status, paint: paintOfWorkflow(style, status) },
      String(steps),
      dateTime(startedAt),
      owner === undefined ? '' : `${owner}, next check ${dateTime(nextCheckAt ?? 0)}`,
    ],
  );
  return renderTable(columns, cells, { style, columns: io.columns });
}
