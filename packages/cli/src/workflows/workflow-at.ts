// A workflow of a ledger that answers over HTTP.
import { type Workflow } from '@action-ledger/domain';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { askLedgerAt } from '../ledger-file/ledger-at.ts';

/** @throws CliError */
export async function workflowAt(io: Io, url: string, id: string): Promise<Workflow> {
  const found = await askLedgerAt(io, url, (ledger) => ledger.workflows.show(id));
  if (!('code' in found)) return found;
  throw new CliError(found.code, found.message.replace(/\.$/, ''), {
    fix: 'over HTTP the whole id is needed, or the `id` or `run` that its program gave it.',
  });
}
