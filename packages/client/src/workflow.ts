// A workflow of a program: its steps are tool calls that are recorded with how each is undone, before they
// are sent. Run again with the same id, after a crash or from a checkpoint, it gets the recorded outcomes
// and goes on where it was; what fails is undone in reverse order.
import type {
  CompensateRequest,
  Ledger as Core,
  WorkflowFilter,
  WorkflowRequest,
  WorkflowRow,
} from '@action-ledger/application';
import {
  type JsonValue,
  type Refusal,
  refusedWorkflow,
  type Workflow,
  type WorkflowOutcome as CoreOutcome,
  workflowOutcome,
} from '@action-ledger/domain';
import { LedgerError } from './ledger-error.ts';
import { runProgram } from './workflow-program.ts';
import { type Step } from './workflow-step.ts';

export interface WorkflowOptions extends Omit<WorkflowRequest, 'tenant'> {
  readonly tenant?: string;
  /** How long each step and, at the end, the undoing is waited for, in ms. Default: a tool's lease; 60 s. */
  readonly waitMs?: number;
}

export type WorkflowOutcome<Result = JsonValue> = CoreOutcome<Result> & {
  /** What the program threw, where that is why it is undone. Not recorded. */
  readonly thrown?: unknown;
};

export type WorkflowProgram<Result> = (step: Step) => Promise<Result> | Result;

/** For a program that is not a function here: it takes its steps one by one, by the workflow's own id. */
export type StepByStep = Pick<Core['workflows'], 'start' | 'step' | 'complete' | 'fail' | 'rest'>;

/** By its own id of 43 characters, or the `id` or `run` that its program gave it. */
export interface LedgerWorkflows extends StepByStep {
  /** Newest first. */
  list(filter?: WorkflowFilter): readonly WorkflowRow[];
  show(id: string, of?: { readonly tenant?: string }): Promise<Workflow | Refusal>;
  /** Undoes what it has done, or tries again what could not be undone. */
  compensate(
    id: string,
    request: CompensateRequest & { readonly tenant?: string },
  ): Promise<Workflow | Refusal>;
}

const undoWaitMsUsual = 60_000;

export async function runWorkflow<Result>(
  core: { readonly workflows: StepByStep },
  tenantUsual: string,
  given: WorkflowOptions,
  program: WorkflowProgram<Result>,
): Promise<WorkflowOutcome<Result>> {
  const { workflows } = core;
  if (typeof program !== 'function')
    throw new LedgerError('ledger.options', 'workflow() takes the program as a function.');
  const { waitMs, tenant = tenantUsual, ...options } = asObject(given);
  const started = await workflows.start({ ...options, tenant });
  if (started.kind === 'refusal')
    return refusedWorkflow(tenant, started) as WorkflowOutcome<Result>;
  const { workflow, repeat } = started;
  const undoWaitMs = waitMs ?? undoWaitMsUsual;
  const outcomeOf = async (left: Workflow, isRepeat: boolean): Promise<CoreOutcome> => {
    const rested = (await workflows.rest(left.id, undoWaitMs)) ?? left;
    return workflowOutcome(rested, { repeat: isRepeat });
  };
  // What has ended is not run again.
  if (workflow.status !== 'running')
    return (await outcomeOf(workflow, repeat)) as WorkflowOutcome<Result>;
  const ran = await runProgram(core, workflow, program, waitMs);
  switch (ran.kind) {
    case 'refused':
      return refusedWorkflow(workflow.tenant, ran.refusal, {
        workflow,
        ...(ran.differs === undefined ? {} : { differs: ran.differs }),
      }) as WorkflowOutcome<Result>;
    case 'waiting': {
      const shown = await workflows.rest(workflow.id, 0);
      const { step, answer } = ran;
      return workflowOutcome(shown ?? workflow, {
        repeat: false,
        waitingFor: { step, answer },
      }) as WorkflowOutcome<Result>;
    }
    case 'ended': {
      const outcome = (await outcomeOf(ran.workflow, false)) as WorkflowOutcome<Result>;
      return 'thrown' in ran ? { ...outcome, thrown: ran.thrown } : outcome;
    }
  }
}

/** What is none is refused by the members that it lacks. */
function asObject<Given extends object>(given: Given): Given {
  const said: unknown = given;
  return typeof said === 'object' && said !== null ? given : ({} as Given);
}

export function ledgerWorkflows(core: Core, tenantUsual: string): LedgerWorkflows {
  const { workflows } = core;
  return {
    ...workflows,
    show: (id, { tenant = tenantUsual } = {}) => workflows.show(id, { tenant }),
    compensate: (id, request) => {
      const { tenant = tenantUsual, ...rest } = asObject(request);
      return workflows.compensate(id, { ...rest, tenant });
    },
  };
}
