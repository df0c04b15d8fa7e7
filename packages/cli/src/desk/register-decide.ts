// `action-ledger approve`, `reject`, `unknown …`
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Cli, type Register } from '../cli.ts';
import type { DecideOptions, SettleOptions } from './decide.ts';
import { addDoorOptions } from './door-options.ts';
import type { ListApprovalsOptions } from './list-approvals.ts';
import type { ListUnknownsOptions } from './list-unknowns.ts';

const idArgument = ['<id>', 'the id of the action, or its beginning'] as const;

export const registerVotes: Register = (program, cli) => {
  addDoorOptions(
    program
      .command('approvals')
      .summary('what waits for people')
      .description(
        'Lists actions that wait for approval, the newest first: their arguments, the votes so far, and until\nwhen people can vote.',
      )
      .option('--tenant <tenant>', 'of this tenant (default: of all; over HTTP of that of the key)')
      .option('--tool <name>', 'only of this tool'),
  )
    .addHelpText(
      'after',
      '\nExamples:\n  action-ledger approvals\n  action-ledger approvals --tool refund --json',
    )
    .action(async (options: ListApprovalsOptions) => {
      const { listApprovals } = await import('./list-approvals.ts');
      await listApprovals(cli, options);
    });
  for (const vote of ['approve', 'reject'] as const) {
    const what = vote === 'approve' ? 'let' : 'keep';
    addDecideOptions(
      program
        .command(vote)
        .summary(`${vote} an action that waits for people`)
        .description(
          `Votes to ${what} an action ${vote === 'approve' ? 'go on' : 'from being done'}. The vote is bound to the arguments that it has now, and is on record under your name.`,
        )
        .argument(...idArgument)
        .option('--reason <text>', 'for whoever reads the record'),
    )
      .addHelpText(
        'after',
        `
Examples:
  action-ledger ${vote} h3kx81AbQz.0
  action-ledger ${vote} h3kx --by ann --reason "${vote === 'approve' ? 'agreed with the customer' : 'not our order'}"`,
      )
      .action(async (id: string, options: DecideOptions) => {
        const desk = await import('./decide.ts');
        await desk.vote(cli, id, vote, options);
      });
  }
};

export const registerUnknown: Register = (program, cli) => {
  const unknown = program
    .command('unknown')
    .summary('outcomes that are not known: list, check, settle')
    .description('What is not known of actions, who looks after it, and what people found out.');
  addDoorOptions(
    unknown
      .command('list')
      .summary('what is not known, the oldest first')
      .description('Lists unknown outcomes: those that wait for a person first, the oldest before.')
      .option('--tenant <tenant>', 'of this tenant (default: of all; over HTTP of that of the key)')
      .addOption(
        new Option('--owner <owner>', 'only what this one looks after').choices([
          'operator',
          'reconciler',
        ]),
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger unknown list
  action-ledger unknown list --owner operator --json`,
    )
    .action(async (options: ListUnknownsOptions) => {
      const { listUnknowns } = await import('./list-unknowns.ts');
      await listUnknowns(cli, options);
    });
  registerSettle(unknown, cli);
  addDecideOptions(
    unknown
      .command('check')
      .summary('ask the provider now')
      .description('Looks for the effect now, whatever the next check was to be.')
      .argument(...idArgument),
  )
    .addHelpText('after', '\nExamples:\n  action-ledger unknown check h3kx81AbQz.0')
    .action(async (id: string, options: DecideOptions) => {
      const desk = await import('./decide.ts');
      await desk.check(cli, id, options);
    });
};

function registerSettle(unknown: Command, cli: Cli): void {
  addDecideOptions(
    unknown
      .command('settle')
      .summary('say what became of it')
      .description(
        'Settles an unknown by what you found outside: the effect is there (--found), or it is not (--absent).',
      )
      .argument(...idArgument)
      .requiredOption('--reason <text>', 'where you saw it, for whoever reads the record')
      .addOption(new Option('--found', 'the effect is there').conflicts('absent'))
      .addOption(new Option('--absent', 'there is no effect').conflicts('found'))
      .option('--external-id <id>', "the provider's id of the effect")
      .option('--forced', 'absent against the waits: it ends failed, with its doubt on record'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger unknown settle h3kx --found --external-id tx-17 --reason "in the bank statement"
  action-ledger unknown settle h3kx --absent --reason "the provider has no such payment"`,
    )
    .action(async (id: string, options: SettleOptions) => {
      if (options.found !== true && options.absent !== true) {
        const { usageError } = await import('../cli-error.ts');
        throw usageError('what did you find?', 'say --found, or --absent.');
      }
      const desk = await import('./decide.ts');
      await desk.settle(cli, id, options);
    });
}

export function addDecideOptions(command: Command): Command {
  return addDoorOptions(
    command.option(
      '--revision <number>',
      'the revision that you saw: refused where it has moved on (default: as it is now)',
      wholeNumber,
    ),
  );
}

export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(value))
    throw new InvalidArgumentError('it is a whole number from 0.');
  return value;
}
