// The options of commands that ask a ledger, over HTTP or where its file is. Apart from what asks: every command line
// reads them.
import type { Command } from 'commander';
import { addJsonOption, addPathOption, type PathOption } from '../ledger-file/ledger-path.ts';

export interface DoorOptions extends PathOption {
  readonly url?: string;
  readonly by?: string;
  readonly json?: boolean;
}

export function addDoorOptions(command: Command): Command {
  return addFileDoorOptions(
    command.option(
      '--url <url>',
      'a ledger that answers over HTTP; its key: $ACTION_LEDGER_API_KEY',
    ),
  );
}

/** Of what no key lets do: it is said on the machine of the ledger. */
export function addFileDoorOptions(command: Command): Command {
  return addJsonOption(
    addPathOption(command).option(
      '--by <name>',
      'your name, as it stands on record (default: $USER)',
    ),
  );
}
