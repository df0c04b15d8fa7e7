// A ledger that answers over HTTP: asked by the SDK, as a program would ask it.
import {
  createLedger,
  LedgerError,
  RemoteFault,
  type RemoteLedger,
} from '@action-ledger/client/remote';
import { type Command } from 'commander';
import { CliError } from '../cli-error.ts';
import { type Io } from '../io.ts';

export interface UrlOption {
  readonly url?: string;
}

export function addUrlOption(command: Command): Command {
  return command.option(
    '--url <url>',
    'a ledger that answers over HTTP; its key: $ACTION_LEDGER_API_KEY',
  );
}

export function urlNamed(io: Io, { url }: UrlOption): string | undefined {
  const named = url ?? io.env['ACTION_LEDGER_URL'];
  return named === '' ? undefined : named;
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
