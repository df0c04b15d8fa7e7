// `action-ledger workflow list`: the newest workflows of a ledger.
import { listWorkflows, type WorkflowFilter, workflowRowOf } from '@action-ledger/application';
import { type Cli } from '../cli.ts';
import { count } from '../format/count.ts';
import { printable } from '../format/printable.ts';
import { type Column, renderTable } from '../format/table.ts';
import { dateTime } from '../format/time.ts';
import { type PathOption } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { loadWorkflows, shortWorkflow } from './load-workflows.ts';
import { paintOfWorkflow } from './workflow-text.ts';

export interface ListWorkflowsOptions extends PathOption, WorkflowFilter {
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
  await readLedger(cli.io, options, async (store, path) => {
    const { workflows, damaged } = await loadWorkflows(store);
    const rows = listWorkflows(workflows.map(workflowRowOf), options);
    if (options.json === true) {
      cli.json({ workflows: rows, damaged });
      return;
    }
    const { style, io } = cli;
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
    if (rows.length > 0) io.out(renderTable(columns, cells, { style, columns: io.columns }));
    io.out(`${rows.length} of ${count(workflows.length, 'workflow')} in ${path}.\n`);
    if (damaged.length > 0)
      io.out(
        style.bad(
          `${count(damaged.length, 'damaged workflow')}, not listed: ${damaged.slice(0, 5).map(shortWorkflow).join(', ')}. action-ledger verify says what is wrong.\n`,
        ),
      );
  });
}
