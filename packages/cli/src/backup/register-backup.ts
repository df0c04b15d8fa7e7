// `action-ledger backup`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { BackupCommand } from './backup.ts';

export const registerBackup: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('backup')
        .summary('copy the ledger as it is now, also while it runs')
        .description(
          'Writes a whole copy of the ledger as it is at this moment, beside a running ledger or alone, and\nchecks it before it gets its name: every position is there, and the chain of the newest events holds.\nThe copy opens as recovering, because what happens later is not in it. The digest key is not in it.',
        )
        .requiredOption('--to <file>', 'the copy')
        .option('--overwrite', 'replace a file of this name'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger backup --to backup.db
  action-ledger backup --path /var/lib/agent/ledger.db --to /backup/ledger.db --overwrite
  action-ledger backup --to backup.db --json | jq .head`,
    )
    .action(async (options: BackupCommand) => {
      const { backup } = await import('./backup.ts');
      await backup(cli, options);
    });
};
