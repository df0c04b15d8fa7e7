// `action-ledger workflow list` and `action-ledger workflow show`
import { InvalidArgumentError, Option } from 'commander';
import { workflowStatuses } from '@action-ledger/domain';
import { type Register } from '../cli.ts';
import { addJsonOption, addPathOption, type PathOption } from '../ledger-file/ledger-path.ts';
import { type ListWorkflowsOptions } from './list-workflows.ts';

const limitUsual = 20;

export const registerWorkflow: Register = (program, cli) => {
  const workflow = program
    .command('workflow')
    .summary('list workflows, or show one with its steps')
    .description(
      'Reads the workflows of a ledger, beside a running one or alone; changes nothing.',
    );

  addJsonOption(
    addPathOption(
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
    ),
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

  addJsonOption(
    addPathOption(
      workflow
        .command('show')
        .summary('one workflow with its steps')
        .description(
          'Shows one workflow: its status, each step with its action and how it is undone, what stands,\nand who looks after it.',
        )
        .argument(
          '<id>',
          'its id or the beginning of it, or the id or run that its program gave it',
        ),
    ),
  )
    .addHelpText(
      'after',
      `
Examples:
  action-ledger workflow show trip-7
  action-ledger workflow show trip-7 --json | jq '.steps[] | [.step, .compensated.as]'`,
    )
    .action(async (id: string, options: PathOption & { readonly json?: boolean }) => {
      const { showWorkflow } = await import('./show-workflow.ts');
      await showWorkflow(cli, id, options);
    });
};

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('A whole number from 1 is needed.');
  return Number(text);
}
