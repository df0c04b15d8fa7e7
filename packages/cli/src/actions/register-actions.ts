// `action-ledger actions list` and `action-ledger actions show`
import { type Command, InvalidArgumentError, Option } from 'commander';
import { actionStatuses } from '@action-ledger/domain';
import { type Cli, type Register } from '../cli.ts';
import { addReadOptions } from '../ledger-file/url-option.ts';
import type {
  CloseIncidentOptions,
  DecideOptions,
  EditOptions,
  RepeatOptions,
} from '../desk/decide.ts';
import { addDecideOptions } from '../desk/register-decide.ts';
import type { ListOptions } from './list-actions.ts';
import type { ShowCommand } from './show-action.ts';

const limitUsual = 20;
const statuses = actionStatuses.filter((status) => status !== 'new' && status !== 'reserved');

export const registerActions: Register = (program, cli) => {
  const actions = program
    .command('actions')
    .summary('list, show, cancel, edit or repeat actions')
    .description(
      'Reads the actions of a ledger, beside a running one or alone; cancels, edits or repeats one.',
    );

  const list = actions
    .command('list')
    .summary('the newest actions')
    .description('Lists the newest actions with their status and who looks after them.')
    .option('--tenant <tenant>', 'only of this tenant')
    .option('--tool <name>', 'only of this tool')
    .addOption(new Option('--status <status>', 'only in this status').choices(statuses))
    .option('--open', 'only those that go on or that a person has to look at')
    .option('--run <run>', 'only those that a call of this run asked for')
    .option('--limit <count>', 'at most so many', wholeNumber, limitUsual);
  addReadOptions(list)
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions list
  action-ledger actions list --open
  action-ledger actions list --status unknown --path /var/lib/agent/ledger.db
  action-ledger actions list --tool refund --run run-42 --json | jq '.actions[].status'`,
    )
    .action(async (options: ListOptions) => {
      const { listActions } = await import('./list-actions.ts');
      await listActions(cli, options);
    });

  registerCancel(actions, cli);
  registerRepeat(actions, cli);
  registerEdit(actions, cli);
  registerCloseIncident(actions, cli);

  addReadOptions(
    actions
      .command('show')
      .summary('one action in full')
      .description(
        'Shows one action: its state and guarantee, arguments, attempts, votes, outcome, evidence,\nincidents, who looks after it, and the repeats that it held back.',
      )
      .argument('<id>', 'the id of the action, or its beginning')
      .option('--archive <folder>', 'read archived events too, from the files in this folder'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions show h3kx81AbQz.0
  action-ledger actions show h3kx --json | jq .outcome`,
    )
    .action(async (id: string, options: ShowCommand) => {
      const { showAction } = await import('./show-action.ts');
      await showAction(cli, id, options);
    });
};

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('A whole number from 1 is needed.');
  return Number(text);
}

function registerCancel(actions: Command, cli: Cli): void {
  addDecideOptions(
    actions
      .command('cancel')
      .summary('send nothing of an action any more')
      .description(
        'Cancels an action. While an attempt is under way or in doubt the wish is kept: nothing is sent again,\nand proven absence ends it as cancelled.',
      )
      .argument('<id>', 'the id of the action, or its beginning')
      .requiredOption('--reason <text>', 'for whoever reads the record'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions cancel h3kx81AbQz.0 --reason "ordered twice"`,
    )
    .action(async (id: string, options: DecideOptions) => {
      const { cancel } = await import('../desk/decide.ts');
      await cancel(cli, id, options);
    });
}

function registerRepeat(actions: Command, cli: Cli): void {
  addDecideOptions(
    actions
      .command('repeat')
      .summary('do a settled action once more, on purpose')
      .description(
        'Does a settled action once more, as the next epoch under its key. Said again, it is one repeat. Needs a\nledger that has the tool: a running one.',
      )
      .argument('<id>', 'the id of the action, or its beginning')
      .requiredOption('--reason <text>', 'for whoever reads the record')
      .option('--args <json>', 'other arguments, whole (default: the same)')
      .option(
        '--confirmed-double',
        'after a forced ending: you know that it may have had its effect',
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions repeat h3kx81AbQz.0 --reason "the customer wants it again"`,
    )
    .action(async (id: string, options: RepeatOptions) => {
      const { repeat } = await import('../desk/decide.ts');
      await repeat(cli, id, options);
    });
}

function registerEdit(actions: Command, cli: Cli): void {
  addDecideOptions(
    actions
      .command('edit')
      .summary('change the arguments of an action that was not sent')
      .description(
        'Another action takes the place of one that was not sent; its callers get the outcome of that one. Needs\na ledger that has the tool: a running one.',
      )
      .argument('<id>', 'the id of the action, or its beginning')
      .requiredOption('--args <json>', 'the whole of the new arguments')
      .requiredOption('--reason <text>', 'for whoever reads the record'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions edit h3kx --args '{"order": "A-17", "cents": 400}' --reason "only four broke"`,
    )
    .action(async (id: string, options: EditOptions) => {
      const { edit } = await import('../desk/decide.ts');
      await edit(cli, id, options);
    });
}

function registerCloseIncident(actions: Command, cli: Cli): void {
  addDecideOptions(
    actions
      .command('close-incident')
      .summary('say that an incident was dealt with')
      .description('Closes an incident of an action. `actions show` names those that are open.')
      .argument('<id>', 'the id of the action, or its beginning')
      .requiredOption('--incident <name>', 'its name, as `actions show` says it')
      .requiredOption('--reason <text>', 'what was done about it'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger actions close-incident h3kx --incident late-success-7 --reason "refunded by hand"`,
    )
    .action(async (id: string, options: CloseIncidentOptions) => {
      const { closeIncident } = await import('../desk/decide.ts');
      await closeIncident(cli, id, options);
    });
}
