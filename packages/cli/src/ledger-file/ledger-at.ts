// A ledger that answers over HTTP: asked by the SDK, as a program would ask it.
import {
  createLedger,
  LedgerError,
  RemoteFault,
  type RemoteLedger,
} from '@action-ledger/client/remote';
import { type Command } from 'commander';
import { CliError, usageError } from '../cli-error.ts';
import { type Io } from '../io.ts';
import { addJsonOption, addPathOption } from './ledger-path.ts';

export interface UrlOption {
  readonly url?: string;
}

function addUrlOption(command: Command): Command {
  return command.option(
    '--url <url>',
    'a ledger that answers over HTTP; its key: $ACTION_LEDGER_API_KEY',
  );
}

/** Of a command that only reads: from a file, or over HTTP. */
export function addReadOptions(command: Command): Command {
  return addJsonOption(addUrlOption(addPathOption(command)));
}

export function urlNamed(io: Io, { url }: UrlOption): string | undefined {
  const named = url ?? io.env['ACTION_LEDGER_URL'];
  return named === '' ? undefined : named;
}

/** @throws CliError `cli.usage` */
export function refuseTenant({ tenant }: { readonly tenant?: string }): void {
  if (tenant !== undefined)
    throw usageError('--tenant is not asked over HTTP', 'it is the tenant of the key.');
}

/** A person waits: not as long as a program would. */
const retryForMs = 5_000;

/** @throws CliError */
export async function askLedgerAt<Told>(
  io: Io,
  url: string,
  ask: (ledger: RemoteLedger) => Promise<Told>,
): Promise<Told> {
  const apiKey = io.env['ACTION_LEDGER_API_KEY'];
  const key = apiKey === undefined || apiKey === '' ? {} : { apiKey };
  try {
    const ledger = await createLedger({ url, ...key, retryForMs, runtime: io.runtime });
    const told = await ask(ledger);
    await ledger.close();
    return told;
  } catch (fault) {
    if (fault instanceof RemoteFault || fault instanceof LedgerError)
      throw new CliError(fault.code, fault.message.replace(/\.$/, ''), {
        fix: 'is it the address that `action-ledger start` has printed, and is ACTION_LEDGER_API_KEY a key of it?',
        cause: fault,
      });
    throw fault;
  }
}
