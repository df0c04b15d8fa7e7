// A workflow's events and states in few words.
import { type Workflow, type WorkflowEvent, type WorkflowStatus } from '@action-ledger/domain';
import { printable, printableJson } from '../format/printable.ts';
import { type Paint, type Style } from '../format/style.ts';
import { duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';

export function paintOfWorkflow(style: Style, status: WorkflowStatus): Paint {
  switch (status) {
    case 'completed':
    case 'compensated':
      return style.good;
    case 'running':
    case 'compensating':
      return style.open;
    case 'compensation_failed':
      return style.bad;
    case 'new':
      return style.dim;
  }
}

export type StepState = Workflow['steps'][number];

export function stepStateText({ settled, compensated, compensation }: StepState): string {
  if (settled === undefined) return 'not known yet';
  if (settled.as === 'without effect') return 'ended without effect';
  if (compensated !== undefined)
    return compensated.as === 'compensated' ? 'done, undone' : 'done, its compensation failed';
  if (!settled.owned) return "done, another's";
  return compensation.kind === 'impossible' ? 'done, cannot be undone' : 'done';
}

/** How a step is undone: as it was recorded before the step, or with the arguments that its outcome gave. */
export function compensationText({ compensation, settled }: StepState): string {
  const undo = settled?.undo;
  if (undo !== undefined) return `${undo.tool} ${printableJson(undo.arguments)}`;
  switch (compensation.kind) {
    case 'not needed':
    case 'impossible':
      return compensation.kind;
    case 'tool':
      return `${compensation.tool} ${printableJson(compensation.arguments)}`;
    case 'declared':
      return `${compensation.tool}, as its tool declares`;
  }
}

/** @param at when the last event was recorded */
export function workflowStateText(workflow: Workflow, at: number): string {
  const { status, steps, watch } = workflow;
  const count = (what: (step: StepState) => boolean): number => steps.filter(what).length;
  const done = count(({ settled }) => settled?.as === 'succeeded');
  const undone = count(({ compensated }) => compensated?.as === 'compensated');
  const parts = [
    status,
    `${done} of ${steps.length} done`,
    ...(undone === 0 ? [] : [`${undone} undone`]),
    ...(watch === undefined
      ? []
      : [`${watch.owner} checks in ${duration(watch.nextCheckAt - at)}`]),
  ];
  return printable(steps.length === 0 ? status : parts.join(', '));
}

export function workflowEventText(event: WorkflowEvent): string {
  return printable(textOf(event));
}

function textOf(event: WorkflowEvent): string {
  switch (event.type) {
    case 'WorkflowStarted': {
      const { name, run, tenant } = event.data;
      const named = [
        ...(name === undefined ? [] : [name]),
        ...(run === undefined ? [] : [`run ${run}`]),
      ];
      return `${named.join(', ')}, tenant ${tenant}`;
    }
    case 'StepPlanned': {
      const { step, tool, arguments: args } = event.data;
      const compensation = compensationText({ ...event.data, plannedAt: 0, failedUndos: [] });
      return `"${step}": ${tool} ${printableJson(args)}; undone by: ${compensation}`;
    }
    case 'StepSettled': {
      const { step, as, action, reason, undoFault } = event.data;
      const why = [reason, undoFault]
        .filter((part) => part !== undefined)
        .map((part) => `: ${part}`);
      return `"${step}" ${as} (${shortId(action)})${why.join('')}`;
    }
    case 'CompensationStarted': {
      const { by, reason, from } = event.data;
      return `by ${by}${from === undefined ? '' : `, from "${from}" on`}: ${reason}`;
    }
    case 'StepCompensated': {
      const { step, as, by, reason } = event.data;
      const who = by === undefined ? '' : ` by ${shortId(by)}`;
      return `"${step}" ${as}${who}${reason === undefined ? '' : `: ${reason}`}`;
    }
    case 'OwnerAssigned':
      return `${event.data.owner}: ${event.data.reason}`;
    case 'WorkflowEnded': {
      const { as, result, standing = [] } = event.data;
      const stands = standing.map(({ step, why }) => `; "${step}" stands: ${why}`).join('');
      return `${as}${result === undefined ? '' : `, ${printableJson(result)}`}${stands}`;
    }
  }
}
