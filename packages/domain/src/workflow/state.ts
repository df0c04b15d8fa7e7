// What a workflow is, as folded from its stream, and what follows from that: which step is undone next.
import { type Watch } from '../action/event.ts';
import { type JsonValue } from '../json/json-value.ts';
import {
  type OnFailedCompensation,
  type StepPlanned,
  type StepSettled,
  type WorkflowEventData,
  type WorkflowStarted,
} from './event.ts';

export type WorkflowStatus =
  'new' | 'running' | 'completed' | 'compensating' | 'compensated' | 'compensation_failed';

export interface WorkflowStep extends StepPlanned {
  readonly plannedAt: number;
  /** Absent: not known yet. */
  readonly settled?: StepSettled & { readonly at: number };
  readonly compensated?: Omit<WorkflowEventData['StepCompensated'], 'step'> & {
    readonly at: number;
  };
  /** Compensating actions that ended without effect, in order. */
  readonly failedUndos: readonly string[];
}

export interface StartedCompensation {
  readonly by: string;
  readonly reason: string;
  readonly at: number;
  /** The place of the first step that is undone, from 0. */
  readonly from: number;
  readonly failedStep?: string;
}

export interface Workflow extends Omit<WorkflowStarted, 'abandonedAfterMs' | 'whenAbandoned'> {
  readonly id: string;
  readonly status: WorkflowStatus;
  /** Of the last event; -1 for a stream without events. */
  readonly revision: number;
  readonly startedAt: number;
  readonly updatedAt: number;
  readonly abandonedAfterMs: number;
  readonly whenAbandoned: 'operator' | 'compensate';
  /** In the order of planning. */
  readonly steps: readonly WorkflowStep[];
  readonly compensation?: StartedCompensation;
  readonly result?: JsonValue;
  readonly notes?: readonly string[];
  readonly digest?: string;
  /** When it came to its end, the last time. */
  readonly endedAt?: number;
  readonly standing: readonly { readonly step: string; readonly why: string }[];
  readonly watch?: Watch;
}

export function newWorkflow(id: string): Workflow {
  return {
    id,
    status: 'new',
    revision: -1,
    tenant: '',
    startedAt: 0,
    updatedAt: 0,
    abandonedAfterMs: 0,
    whenAbandoned: 'operator',
    onFailedCompensation: 'stop',
    steps: [],
    standing: [],
  };
}

export function stepOf({ steps }: Workflow, name: string): WorkflowStep | undefined {
  return steps.find(({ step }) => step === name);
}

/** Something still has to happen, or a person has to look. */
export function isOpenWorkflow({ status }: Pick<Workflow, 'status'>): boolean {
  return status === 'running' || status === 'compensating' || status === 'compensation_failed';
}

export type NextOfCompensation =
  /** Its outcome is not known: earlier steps wait for it. */
  | { readonly kind: 'wait'; readonly step: WorkflowStep }
  | { readonly kind: 'undo'; readonly step: WorkflowStep }
  | { readonly kind: 'end'; readonly as: 'compensated' | 'compensation_failed' };

/** Backwards from the last step: each is undone once, and none before the one after it is. */
export function nextOfCompensation(workflow: Workflow): NextOfCompensation {
  const { steps, compensation, onFailedCompensation } = workflow;
  let hasFailed = false;
  for (const step of steps.slice(compensation?.from ?? 0).reverse()) {
    if (step.settled === undefined) return { kind: 'wait', step };
    if (!isToBeUndone(step)) continue;
    if (step.compensated === undefined) return { kind: 'undo', step };
    if (step.compensated.as === 'compensated') continue;
    hasFailed = true;
    if (stopsAtFailure(onFailedCompensation)) break;
  }
  return { kind: 'end', as: hasFailed ? 'compensation_failed' : 'compensated' };
}

function stopsAtFailure(onFailed: OnFailedCompensation): boolean {
  return onFailed === 'stop';
}

/** It has had an effect of its own that can be undone. */
export function isToBeUndone({ settled, compensation }: WorkflowStep): boolean {
  if (settled?.as !== 'succeeded' || !settled.owned) return false;
  return compensation.kind === 'tool' || compensation.kind === 'declared';
}

/** Effects that stand at the end of a compensation, the latest first. */
export function standingSteps(
  workflow: Workflow,
): readonly { readonly step: string; readonly why: string }[] {
  const { steps, compensation } = workflow;
  const first = compensation?.from ?? 0;
  return steps
    .flatMap((step, place) => {
      const why = whyStanding(step, place < first);
      return why === undefined ? [] : [{ step: step.step, why }];
    })
    .reverse();
}

function whyStanding(step: WorkflowStep, isKept: boolean): string | undefined {
  const { settled, compensation, compensated } = step;
  if (settled?.as === 'without effect' || compensated?.as === 'compensated') return undefined;
  if (compensation.kind === 'not needed') return undefined;
  if (isKept) return 'it comes before the step from which on all was undone';
  if (settled === undefined) return 'its outcome is not known';
  if (!settled.owned) return `it belongs to ${settled.action}, which this workflow did not create`;
  if (compensation.kind === 'impossible') return 'it cannot be undone';
  if (compensated === undefined) return 'held back: the compensation of a later step failed';
  return compensated.reason ?? 'its compensation failed';
}
