// A workflow as callers see it: what became of it as a sentence, and its steps with how each is undone.
import { workflowOutcome, type WorkflowOutcome } from '@action-ledger/application';
import { type Workflow, type WorkflowStep } from '@action-ledger/domain';
import { type HttpAnswer } from './http-answer.ts';
import { etagOf } from './action-view.ts';

/** Named one by one, so that a new member of the state is not published by itself. */
const shownOfStep = [
  'step',
  'tool',
  'arguments',
  'argumentsHash',
  'compensation',
  'identity',
  'mayFail',
  'secret',
  'plannedAt',
  'settled',
  'compensated',
  'failedUndos',
] as const satisfies readonly (keyof WorkflowStep)[];

const shown = [
  'conversation',
  'by',
  'input',
  'result',
  'onFailedCompensation',
  'abandonedAfterMs',
  'whenAbandoned',
  'notes',
  'digest',
  'startedAt',
  'updatedAt',
  'endedAt',
  'compensation',
] as const satisfies readonly (keyof Workflow)[];

export type WorkflowView = Omit<WorkflowOutcome, 'steps'> &
  Partial<Pick<Workflow, (typeof shown)[number]>> & {
    readonly steps: readonly Partial<Pick<WorkflowStep, (typeof shownOfStep)[number]>>[];
  };

/**
 * @param now this request has brought it about; otherwise it is what an earlier one did
 * @param undoing its undoing is what was asked for
 */
export function workflowView(workflow: Workflow, now = false, undoing = false): WorkflowView {
  return {
    ...workflowOutcome(workflow, { repeat: !now, undoing }),
    ...picked(workflow, shown),
    steps: workflow.steps.map((step) => picked(step, shownOfStep)),
  };
}

function picked<Of extends object, Name extends keyof Of>(
  of: Of,
  names: readonly Name[],
): Partial<Pick<Of, Name>> {
  const given = names.filter((name) => of[name] !== undefined).map((name) => [name, of[name]]);
  return Object.fromEntries(given) as Partial<Pick<Of, Name>>;
}

/** While it is being undone it is not finished. */
export function workflowReply(workflow: Workflow, now = false, undoing = false): HttpAnswer {
  const isUnderWay = workflow.status === 'compensating';
  return {
    status: isUnderWay ? 202 : 200,
    body: workflowView(workflow, now, undoing),
    headers: {
      etag: etagOf(workflow),
      location: `/v1/workflows/${workflow.id}`,
      ...(isUnderWay ? { 'retry-after': '2' } : {}),
    },
  };
}
