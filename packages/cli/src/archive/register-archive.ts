// `action-ledger archive`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { ArchiveCommand } from './archive.ts';

export const registerArchive: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('archive')
        .summary('move the events of finished actions to files')
        .description(
          'Writes the events of actions to which nothing is left to happen to files in a folder, and gives\ntheir room in the ledger back. The ledger keeps what each action was and what came of it: a repeat is\nanswered as before. Open actions, what is in doubt, waits for a person or belongs to a running\nworkflow stays whole. No ledger may run on the file. Ended early, the next run goes on.',
        )
        .requiredOption('--before <age>', 'only what has rested so long: 90d, 12h')
        .requiredOption('--to <folder>', 'where the files go; keep them as long as the ledger')
        .option('--by <name>', 'who archives, for the record', 'operator')
        .option('--all', 'also actions that take as much room as before: small ones')
        .option('--dry-run', 'only say what would be archived')
        .option('--compact', 'make the file smaller too; needs room for a second one meanwhile'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger archive --before 90d --to archives --dry-run
  action-ledger archive --before 90d --to archives --by ada
  action-ledger verify --archive archives`,
    )
    .action(async (options: ArchiveCommand) => {
      const { archive } = await import('./archive.ts');
      await archive(cli, options);
    });
};
