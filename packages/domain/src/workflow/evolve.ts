// Folds events into the state of a workflow. Pure.
import { type EventPlace } from '../action/event.ts';
import { type WorkflowEvent, type WorkflowEventData } from './event.ts';
import { type StartedCompensation, stepOf, type Workflow, type WorkflowStep } from './state.ts';
import { isWorkflowEventType, workflowTransitions } from './transitions.ts';

/** An event that cannot follow: the stream is damaged, or a newer version has written it. */
export class ImpossibleWorkflowEvent extends Error {
  constructor({ id, status }: Workflow, { type }: { readonly type: string }) {
    super(`${type} cannot follow in workflow ${id}, which is ${status}`);
    this.name = 'ImpossibleWorkflowEvent';
  }
}

/** @throws ImpossibleWorkflowEvent where the table does not allow the event, or it names no step */
export function evolveWorkflow(
  workflow: Workflow,
  event: WorkflowEvent,
  { revision, at }: EventPlace,
): Workflow {
  if (!isWorkflowEventType(event.type)) throw new ImpossibleWorkflowEvent(workflow, event);
  const allowed = workflowTransitions(workflow.status, event.type);
  if (allowed.length === 0) throw new ImpossibleWorkflowEvent(workflow, event);
  const next = apply(workflow, event, at);
  if (!allowed.includes(next.status)) throw new ImpossibleWorkflowEvent(workflow, event);
  return { ...next, revision, updatedAt: at };
}

function apply(workflow: Workflow, event: WorkflowEvent, at: number): Workflow {
  switch (event.type) {
    case 'WorkflowStarted':
      return { ...workflow, ...event.data, status: 'running', startedAt: at };
    case 'StepPlanned': {
      if (workflow.steps.some(({ step }) => step === event.data.step))
        throw new ImpossibleWorkflowEvent(workflow, event);
      const steps = [...workflow.steps, { ...event.data, plannedAt: at, failedUndos: [] }];
      return { ...unwatched(workflow), steps };
    }
    case 'StepSettled':
      return settled(workflow, event, at);
    case 'CompensationStarted':
      return started(workflow, event, at);
    case 'StepCompensated': {
      const { step, ...data } = event.data;
      const known = stepOf(workflow, step)?.failedUndos ?? [];
      const { as, by } = data;
      const failedUndos = as === 'failed' && by !== undefined ? [...known, by] : known;
      const next = withStep(workflow, event, step, { compensated: { ...data, at }, failedUndos });
      return { ...unended(next), status: 'compensating' };
    }
    case 'OwnerAssigned': {
      const { owner, nextCheckAt } = event.data;
      return { ...workflow, watch: { owner, nextCheckAt } };
    }
    case 'WorkflowEnded':
      return ended(workflow, event.data, at);
  }
}

function settled(
  workflow: Workflow,
  event: Extract<WorkflowEvent, { type: 'StepSettled' }>,
  at: number,
): Workflow {
  const { step, as } = event.data;
  const next = withStep(workflow, event, step, { settled: { ...event.data, at } });
  switch (workflow.status) {
    case 'compensated':
      return as === 'succeeded' ? { ...unended(next), status: 'compensating' } : next;
    case 'compensation_failed':
      return { ...unended(next), status: 'compensating' };
    case 'new':
    case 'running':
    case 'completed':
    case 'compensating':
      return next;
  }
}

/** A later one may reach further back, never less far; failed compensations are tried again. */
function started(
  workflow: Workflow,
  event: Extract<WorkflowEvent, { type: 'CompensationStarted' }>,
  at: number,
): Workflow {
  const { by, reason, from, failedStep, onFailedCompensation } = event.data;
  const place = from === undefined ? 0 : workflow.steps.findIndex(({ step }) => step === from);
  if (place < 0) throw new ImpossibleWorkflowEvent(workflow, event);
  const known = workflow.compensation;
  const compensation: StartedCompensation =
    known === undefined
      ? { by, reason, at, from: place, ...(failedStep === undefined ? {} : { failedStep }) }
      : { ...known, from: Math.min(known.from, place) };
  const isAgain = workflow.status === 'compensation_failed';
  return {
    ...unended(workflow),
    status: 'compensating',
    compensation,
    steps: isAgain ? workflow.steps.map(untried) : workflow.steps,
    ...(onFailedCompensation === undefined ? {} : { onFailedCompensation }),
  };
}

function untried(step: WorkflowStep): WorkflowStep {
  if (step.compensated?.as !== 'failed') return step;
  const { compensated: _compensated, ...rest } = step;
  return rest;
}

function ended(workflow: Workflow, data: WorkflowEventData['WorkflowEnded'], at: number): Workflow {
  const { as, standing = [], owner, nextCheckAt, ...result } = data;
  const watch =
    owner === undefined || nextCheckAt === undefined ? {} : { watch: { owner, nextCheckAt } };
  return { ...unwatched(workflow), ...result, status: as, endedAt: at, standing, ...watch };
}

function withStep(
  workflow: Workflow,
  event: WorkflowEvent,
  name: string,
  change: Partial<WorkflowStep>,
): Workflow {
  if (!workflow.steps.some(({ step }) => step === name))
    throw new ImpossibleWorkflowEvent(workflow, event);
  const steps = workflow.steps.map((each) => (each.step === name ? { ...each, ...change } : each));
  return { ...workflow, steps };
}

function unwatched(workflow: Workflow): Workflow {
  const { watch: _watch, ...rest } = workflow;
  return rest;
}

function unended(workflow: Workflow): Workflow {
  const { endedAt: _endedAt, ...rest } = unwatched(workflow);
  return { ...rest, standing: [] };
}
