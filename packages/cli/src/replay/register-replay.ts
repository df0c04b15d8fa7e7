// `action-ledger replay`
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption } from '../ledger-file/ledger-path.ts';
import type { ReplayOptions } from './replay.ts';

export const registerReplay: Register = (program, cli) => {
  addJsonOption(
    addPathOption(
      program
        .command('replay')
        .summary('read history: the state after every event')
        .description(
          'Reads a stream from its first event and shows the state after each, or with --until alone the\nwhole ledger as it stood at a time. Only reads: a replay never causes an effect.',
        )
        .argument('[stream]', 'a stream, the id of an action, or the beginning of one')
        .option(
          '--until <time>',
          'up to this time (ISO 8601, UTC unless it says; or ms since 1970)',
        )
        .option('--archive <folder>', 'read archived events too, from the files in this folder'),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger replay h3kx81AbQz.0
  action-ledger replay tool-refund
  action-ledger replay --until 2026-03-01T12:00:00Z
  action-ledger replay h3kx81AbQz.0 --json | jq -c '.events[] | [.type, .action.status]'`,
    )
    .action(async (stream: string | undefined, options: ReplayOptions) => {
      const { replay } = await import('./replay.ts');
      await replay(cli, stream, options);
    });
};
