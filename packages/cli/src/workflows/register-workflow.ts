// `action-ledger workflow list`, `show` and `compensate`
import { type Command, InvalidArgumentError, Option } from 'commander';
import { workflowStatuses } from '@action-ledger/domain';
import { type Cli, type Register } from '../cli.ts';
import { addDecideOptions } from '../desk/register-decide.ts';
import { addReadOptions } from '../ledger-file/url-option.ts';
import type { CompensateOptions } from './compensate-workflow.ts';
import type { ListWorkflowsOptions } from './list-workflows.ts';
import type { ShowWorkflowOptions } from './show-workflow.ts';

const limitUsual = 20;

export const registerWorkflow: Register = (program, cli) => {
  const workflow = program
    .command('workflow')
    .summary('list workflows, show one with its steps, or undo one')
    .description('Reads the workflows of a ledger, beside a running one or alone; undoes one.');

  addReadOptions(
    workflow
      .command('list')
      .summary('the newest workflows')
      .description('Lists the newest workflows with their status and who looks after them.')
      .option('--tenant <tenant>', 'only of this tenant')
      .addOption(
        new Option('--status <status>', 'only in this status').choices(
          workflowStatuses.filter((status) => status !== 'new'),
        ),
      )
      .option('--open', 'only those that go on or that a person has to look at')
      .option('--limit <count>', 'at most so many', wholeNumber, limitUsual),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger workflow list
  action-ledger workflow list --open --json | jq '.workflows[].workflow'`,
    )
    .action(async (options: ListWorkflowsOptions) => {
      const { listWorkflowsOf } = await import('./list-workflows.ts');
      await listWorkflowsOf(cli, options);
    });

  addReadOptions(
    workflow
      .command('show')
      .summary('one workflow with its steps')
      .description(
        'Shows one workflow: its status, each step with its action and how it is undone, what stands,\nand who looks after it.',
      )
      .argument('<id>', 'its id or the beginning of it, or the id or run that its program gave it'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger workflow show trip-7
  action-ledger workflow show trip-7 --json | jq '.steps[] | [.step, .compensated.as]'`,
    )
    .action(async (id: string, options: ShowWorkflowOptions) => {
      const { showWorkflow } = await import('./show-workflow.ts');
      await showWorkflow(cli, id, options);
    });

  registerCompensate(workflow, cli);
};

function registerCompensate(workflow: Command, cli: Cli): void {
  addDecideOptions(
    workflow
      .command('compensate')
      .summary('undo what a workflow has done, or from a step on')
      .description(
        'Has the finished steps of a workflow undone in reverse order, once each; also of one that is complete.\nWhat could not be undone before is tried again. A running ledger does it.',
      )
      .argument('<id>', 'its id or the beginning of it, or the id or run that its program gave it')
      .requiredOption('--reason <text>', 'for whoever reads the record')
      .option('--from <step>', 'only this step and those after it (default: all)')
      .option('--go-on', 'where one cannot be undone, undo the earlier ones all the same'),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger workflow compensate trip-7 --reason "the traveller is ill"
  action-ledger workflow compensate trip-7 --from hotel --reason "the hotel is closed"`,
    )
    .action(async (id: string, options: CompensateOptions) => {
      const { compensateWorkflow } = await import('./compensate-workflow.ts');
      await compensateWorkflow(cli, id, options);
    });
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('A whole number from 1 is needed.');
  return Number(text);
}
