// `action-ledger notices`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { ListNoticesOptions } from './list-notices.ts';

export const registerNotices: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('notices')
        .summary('notifications that have not reached people')
        .description(
          'Lists the notifications of `start --notify` that are still on their way, and those that were given up.',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger notices
  action-ledger notices --json | jq '.givenUp[].reason'`,
    )
    .action(async (options: ListNoticesOptions) => {
      const { listNotices } = await import('./list-notices.ts');
      await listNotices(cli, options);
    });
};
