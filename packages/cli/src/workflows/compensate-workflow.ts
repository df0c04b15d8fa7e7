// `action-ledger workflow compensate`: what a workflow has done is undone, all of it or from a step on.
import { type Cli } from '../cli.ts';
import { type DecideOptions } from '../desk/decide.ts';
import { type Door, openDoor } from '../desk/door.ts';
import { printable } from '../format/printable.ts';
import { pathSuffix } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { findWorkflow, shortWorkflow } from './load-workflows.ts';

export interface CompensateOptions extends DecideOptions {
  readonly from?: string;
  readonly goOn?: boolean;
}

interface Shown {
  readonly workflow: string;
  readonly status: string;
  readonly revision: number;
  readonly messageForModel: string;
}

export async function compensateWorkflow(
  cli: Cli,
  typed: string,
  options: CompensateOptions,
): Promise<void> {
  const door = await openDoor(cli.io, options);
  try {
    const { id, tenant } = await named(cli, door, typed);
    const path = `/v1/workflows/${encodeURIComponent(id)}`;
    const seen = (await door.ask({ method: 'GET', path }, tenant)) as Shown;
    const { from, goOn, reason, revision = seen.revision } = options;
    const body = {
      reason,
      revisionSeen: revision,
      ...(from === undefined ? {} : { from }),
      ...(goOn === true ? { onFailedCompensation: 'go on' } : {}),
    };
    const asked = { method: 'POST', path: `${path}/compensate`, body } as const;
    const now = (await door.ask(asked, tenant)) as Shown;
    if (options.json === true) cli.json(now);
    else cli.io.out(`${lineOf(now)}\n`);
  } finally {
    await door.close();
  }
}

function lineOf({ workflow, status, messageForModel }: Shown): string {
  const name = `Workflow ${shortWorkflow(workflow)}`;
  return `${name} is now ${status.replaceAll('_', ' ')} (the program is told: ${printable(messageForModel)})`;
}

/** On this machine the beginning of an id is enough, and the tenant need not be named. */
async function named(
  cli: Cli,
  { path }: Door,
  typed: string,
): Promise<{ readonly id: string; readonly tenant: string }> {
  if (path === undefined) return { id: typed, tenant: '' };
  return readLedger(cli.io, { path }, (store) =>
    findWorkflow(store, typed, pathSuffix(cli.io, path)),
  );
}
