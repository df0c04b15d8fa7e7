// A ledger that is named by its address, in place of its file. Apart from what asks it: every command line reads it.
import type { Command } from 'commander';
import { usageError } from '../cli-error.ts';
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
