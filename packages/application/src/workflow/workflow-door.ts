// The door to workflows of one running ledger: for the program that takes the steps, and for people.
import { type Refusal, streamOfWorkflow, type Workflow } from '@action-ledger/domain';
import { type WorkflowFilter, type WorkflowRow } from '@action-ledger/read-models';
import { type CompensatorDeps } from './compensator-deps.ts';
import { type CompensateRequest, compensateWorkflow, findWorkflow } from './operate-workflows.ts';
import {
  completeWorkflow,
  failWorkflow,
  type StartedWorkflow,
  startWorkflow,
  type StepAnswer,
  takeStep,
} from './program.ts';
import { unlessStoreIsAway } from './when-store-is-away.ts';
import { type StepRequest, type WorkflowRequest } from './workflow-request.ts';

export interface WorkflowDoor {
  /** Starts it, or goes on with it. */
  start(request: WorkflowRequest): Promise<StartedWorkflow>;
  step(workflowId: string, request: StepRequest): Promise<StepAnswer>;
  complete(workflowId: string, result: unknown): Promise<Workflow | Refusal>;
  fail(workflowId: string, reason: string): Promise<Workflow | Refusal>;
  /** Waits, at most `waitMs`, until it is not being undone any more. */
  rest(workflowId: string, waitMs: number): Promise<Workflow | undefined>;
  /** By its own id of 43 characters, or the `id` or `run` that its program gave it. */
  show(id: string, of: { readonly tenant: string }): Promise<Workflow | Refusal>;
  /** Newest first. */
  list(filter?: WorkflowFilter): readonly WorkflowRow[];
  /** Undoes what it has done, from a step on; or tries again what could not be undone. */
  compensate(
    id: string,
    request: CompensateRequest & { readonly tenant: string },
  ): Promise<Workflow | Refusal>;
}

export function workflowDoor(deps: CompensatorDeps): WorkflowDoor {
  const { parts, workflows } = deps;
  const safely = <Result>(where: string, work: () => Promise<Result>) =>
    unlessStoreIsAway(parts, where, work);
  return {
    start: (request) => safely('start of a workflow', () => startWorkflow(deps, request)),
    step: async (workflowId, request) => {
      const taken = await safely(`step of workflow ${workflowId}`, () =>
        takeStep(deps, workflowId, request),
      );
      return taken.kind === 'refusal' ? { kind: 'refused', refusal: taken } : taken;
    },
    complete: (workflowId, result) =>
      safely(`end of workflow ${workflowId}`, () => completeWorkflow(deps, workflowId, result)),
    fail: (workflowId, reason) =>
      safely(`end of workflow ${workflowId}`, () => failWorkflow(deps, workflowId, reason)),
    rest: (workflowId, waitMs) => restOf(deps, workflowId, waitMs),
    show: (id, { tenant }) => findWorkflow(deps, tenant, id),
    list: (filter = {}) => workflows.index.list(filter),
    compensate: (id, { tenant, ...request }) => compensateWorkflow(deps, tenant, id, request),
  };
}

async function restOf(
  { parts, workflows }: CompensatorDeps,
  workflowId: string,
  waitMs: number,
): Promise<Workflow | undefined> {
  const until = parts.clock.monoMs() + waitMs;
  const stream = streamOfWorkflow(workflowId);
  for (;;) {
    const loaded = await workflows.store.load(workflowId);
    if (loaded.kind === 'broken') return undefined;
    const left = until - parts.clock.monoMs();
    if (loaded.workflow.status !== 'compensating' || left <= 0) return loaded.workflow;
    await parts.waiters.wait(stream, Math.min(left, lookMs));
  }
}

/** Moves that this process did not make wake nobody here. */
const lookMs = 1_000;
