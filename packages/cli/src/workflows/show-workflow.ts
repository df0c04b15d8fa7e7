// `action-ledger workflow show`: one workflow, its steps in order, and what became of each.
import { type Workflow } from '@action-ledger/domain';
import { type Cli } from '../cli.ts';
import { watchText } from '../describe/action-text.ts';
import { type Fact, renderFacts } from '../format/facts.ts';
import { printable, printableJson } from '../format/printable.ts';
import { type Style } from '../format/style.ts';
import { dateTime } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';
import { type PathOption, pathSuffix } from '../ledger-file/ledger-path.ts';
import { readLedger } from '../ledger-file/read-ledger.ts';
import { urlNamed } from '../ledger-file/url-option.ts';
import { workflowAt } from './workflow-at.ts';
import { findWorkflow, shortWorkflow } from './load-workflows.ts';
import {
  compensationText,
  paintOfWorkflow,
  type StepState,
  stepStateText,
} from './workflow-text.ts';

export interface ShowWorkflowOptions extends PathOption {
  readonly url?: string;
  readonly json?: boolean;
}

export async function showWorkflow(
  cli: Cli,
  typed: string,
  options: ShowWorkflowOptions,
): Promise<void> {
  const url = urlNamed(cli.io, options);
  if (url !== undefined) {
    const workflow = await workflowAt(cli.io, url, typed);
    if (options.json === true) cli.json(workflow);
    else cli.io.out(renderFacts(facts(workflow, cli.style), cli.style, cli.io.columns));
    return;
  }
  await readLedger(cli.io, options, async (store, path) => {
    const file = pathSuffix(cli.io, path);
    const workflow = await findWorkflow(store, typed, file);
    if (options.json === true) {
      cli.json(workflow);
      return;
    }
    cli.io.out(renderFacts(facts(workflow, cli.style), cli.style, cli.io.columns));
    const command = `action-ledger replay workflow-${workflow.id}${file}`;
    cli.io.out(`\n${cli.style.dim(`${command}  shows its state after each event.`)}\n`);
  });
}

function facts(workflow: Workflow, style: Style): readonly Fact[] {
  const { id, name, run, tenant, status, updatedAt, startedAt, result, compensation } = workflow;
  const { standing, watch, revision, steps } = workflow;
  return [
    ['workflow', id, style.bold],
    ...(name === undefined ? [] : [['id', printable(name)] as const]),
    ...(run === undefined ? [] : [['run', printable(run)] as const]),
    ['tenant', printable(tenant)],
    [
      'status',
      `${status} since ${dateTime(updatedAt, { ms: true })} UTC`,
      paintOfWorkflow(style, status),
    ],
    ['started', `${dateTime(startedAt, { ms: true })} UTC`],
    ...steps.map((step, place): Fact => [`step ${place + 1}`, stepFact(step)]),
    ...(result === undefined ? [] : [['result', printableJson(result, 2)] as const]),
    ...(compensation === undefined
      ? []
      : [['undone', printable(`by ${compensation.by}: ${compensation.reason}`)] as const]),
    ...standing.map(({ step, why }): Fact => [
      'stands',
      printable(`"${step}": ${why}`),
      style.open,
    ]),
    ...(status === 'running' ? [['next', runningText] as const] : []),
    ...(watch === undefined ? [] : [['owner', `${watchText(watch)} UTC`, style.open] as const]),
    ['record', `revision ${revision}, ${shortWorkflow(id)}…`],
  ];
}

const runningText =
  'goes on when its program runs with the same id; where that ended by a mistake,\nmend it and run it again, or undo what was done: action-ledger workflow compensate';

function stepFact(step: StepState): string {
  const { settled, compensated, tool } = step;
  const reason = compensated?.reason ?? settled?.reason;
  const lines = [
    `${step.step}: ${stepStateText(step)}`,
    `${tool}${settled === undefined ? '' : ` ${shortId(settled.action)}`}`,
    // Nothing happened that could be undone.
    ...(settled?.as === 'without effect' ? [] : [undoneText(step)]),
    ...(reason === undefined ? [] : [`because: ${reason}`]),
  ];
  return lines.map(printable).join('\n');
}

function undoneText(step: StepState): string {
  const by = step.compensated?.by;
  return `undone by: ${compensationText(step)}${by === undefined ? '' : ` ${shortId(by)}`}`;
}
