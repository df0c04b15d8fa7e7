// `action-ledger restore`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { RestoreCommand } from './restore.ts';

export const registerRestore: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('restore')
        .summary('put a backup in the place of the ledger')
        .description(
          'Puts a copy of a backup in the place of the ledger, while no ledger runs on it. The old file stays\nbeside it under a dated name. The ledger is recovering then: it records and sends nothing new until\naction-ledger recover has been confirmed.',
        )
        .requiredOption('--from <file>', 'the backup; it stays as it is'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger restore --from backup.db
  action-ledger restore --from /backup/ledger.db --path /var/lib/agent/ledger.db`,
    )
    .action(async (options: RestoreCommand) => {
      const { restore } = await import('./restore.ts');
      await restore(cli, options);
    });
};
