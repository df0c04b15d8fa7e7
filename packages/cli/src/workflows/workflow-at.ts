// A workflow of a ledger that answers over HTTP: by the SDK, as a program would ask for it.
import { createLedger, LedgerError, RemoteFault } from '@action-ledger/client/remote';
import { type Workflow } from '@action-ledger/domain';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';

export function urlNamed(io: Io, { url }: { readonly url?: string }): string | undefined {
  const named = url ?? io.env['ACTION_LEDGER_URL'];
  return named === '' ? undefined : named;
}

/** A person waits: not as long as a program would. */
const retryForMs = 5_000;

/** @throws CliError */
export async function workflowAt(io: Io, url: string, id: string): Promise<Workflow> {
  const apiKey = io.env['ACTION_LEDGER_API_KEY'];
  const key = apiKey === undefined || apiKey === '' ? {} : { apiKey };
  try {
    const ledger = await createLedger({ url, ...key, retryForMs, runtime: io.runtime });
    const found = await ledger.workflows.show(id);
    await ledger.close();
    if (!('code' in found)) return found;
    throw new CliError(found.code, found.message.replace(/\.$/, ''), {
      fix: 'over HTTP the whole id is needed, or the `id` or `run` that its program gave it.',
    });
  } catch (fault) {
    if (fault instanceof RemoteFault || fault instanceof LedgerError)
      throw new CliError(fault.code, fault.message.replace(/\.$/, ''), {
        fix: 'is it the address that `action-ledger start` has printed, and is ACTION_LEDGER_API_KEY a key of it?',
        cause: fault,
      });
    throw fault;
  }
}
