// `action-ledger export`
import { InvalidArgumentError } from 'commander';
import { type Register } from '../cli.ts';
import { addPathOption } from '../ledger-file/ledger-path.ts';
import type { ExportCommand } from './export.ts';

export const registerExport: Register = (program, cli) => {
  addPathOption(
    program
      .command('export')
      .summary('every event as a line of JSON')
      .description(
        'Prints every event in the order of positions, one a line: {position, stream, revision, time, type,\nid, hash, data}, and by where a person or another system asked for it. Secret arguments are not in the record,\nand so not in here. Reads beside a running ledger or alone.',
      )
      .option('--from <position>', 'only from this position on', wholeNumber, 1)
      .option('--tenant <tenant>', 'only events of actions of this tenant'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger export > events.ndjson
  action-ledger export --from 1001 --tenant acme | jq -c 'select(.type == "ActionSucceeded")'`,
    )
    .action(async (options: ExportCommand) => {
      const { exportEvents } = await import('./export.ts');
      await exportEvents(cli, options);
    });
};

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new InvalidArgumentError('A whole number from 1 is needed.');
  return Number(text);
}
