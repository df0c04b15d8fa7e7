// `action-ledger recover`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { RecoverCommand } from './recover.ts';

export const registerRecover: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('recover')
        .summary('say what a ledger that went back in time lacks, and confirm it')
        .description(
          'Lists what a recovering ledger lacks, as far as it can be known: until when its record is whole,\nwhich positions and which actions are missing, what was open then, and with --tools what the lookups\nof these tools say. With --confirm a person says that it was looked into: that goes on record, and\nthe ledger is ready again. What may have been done in the lost time is in doubt then, and never sent\nblindly. Ends with 1 while it is recovering.',
        )
        .option(
          '--store [address]',
          'in place of a file: the EventStoreDB there (default: the one that the environment names)',
        )
        .option('--tools <module>', 'a module that exports the tools, whose lookups are asked')
        .option('--confirm', 'it was looked into: be ready again; no ledger may run on a file')
        .option('--by <name>', 'who confirms it')
        .option('--reason <text>', 'what was found out')
        .option(
          '--nothing-lost',
          'no event is gone, as where only the mark was lost: doubt nothing',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger recover
  action-ledger recover --store
  action-ledger recover --tools ./tools.ts --json | jq .missing
  action-ledger recover --confirm --by ada --reason "compared with the bank, see ticket 88"
  action-ledger recover --confirm --by ada --reason "moved to a new disk" --nothing-lost`,
    )
    .action(async (options: RecoverCommand) => {
      const { recover } = await import('./recover.ts');
      await recover(cli, options);
    });
};
