// `action-ledger observed`
import { InvalidArgumentError } from 'commander';
import { type Register } from '../cli.ts';
import { parseTime } from '../format/time.ts';
import { addReadOptions } from '../ledger-file/url-option.ts';
import type { ObservedOptions } from './show-observed.ts';

const limitUsual = 20;

export const registerObserved: Register = (program, cli) => {
  const command = program
    .command('observed')
    .summary('what the ledger would have held back in observe mode')
    .description(
      'Counts the calls that were only observed and those that the ledger would have held back, and lists the\nnewest of these.',
    )
    .option('--tenant <tenant>', 'only of this tenant')
    .option('--tool <name>', 'only of this tool')
    .option('--since <time>', 'only what was sent then or later, such as 2026-03-01T12:00Z', time)
    .option('--limit <count>', 'list at most so many', wholeNumber, limitUsual);
  addReadOptions(command)
    .addHelpText(
      'after',
      `
Examples:
  action-ledger observed
  action-ledger observed --tool refund --since 2026-03-01
  action-ledger observed --json | jq .would`,
    )
    .action(async (options: ObservedOptions) => {
      const { showObserved } = await import('./show-observed.ts');
      await showObserved(cli, options);
    });
};

function time(text: string): number {
  const at = parseTime(text);
  if (at === undefined) throw new InvalidArgumentError('An ISO 8601 time is needed.');
  return at;
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('A whole number from 1 is needed.');
  return Number(text);
}
