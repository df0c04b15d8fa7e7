// Workflows of a program in another process than the ledger: each step is asked for over HTTP, and answered
// from the record where it is there. A step of which nothing is heard stops the program, and fails nothing.
import { hash } from 'node:crypto';
import type {
  CompensateRequest,
  StartedWorkflow,
  StepAnswer,
  StepRequest,
  WorkflowFilter,
  WorkflowRequest,
  WorkflowRow,
} from '@action-ledger/application';
import {
  checkJson,
  type Difference,
  refusal,
  type Refusal,
  toRecordable,
  type Workflow,
} from '@action-ledger/domain';
import { type Clock } from '@action-ledger/runtime';
import { type StepByStep } from '../workflow.ts';
import { type Ask, type Told } from './ask.ts';
import { noNames, type WithoutNames } from './names-by-key.ts';
import { type OwnTools } from './own-tools.ts';
import { misfit } from './proposals.ts';
import { answerIn, proposalAnswer, refusalOf, thrownFor } from './read-answer.ts';
import { askedFor, noFilter, type Page, pages } from './reading.ts';
import { RemoteFault } from './remote-fault.ts';
import { given, workflowOf } from './shown.ts';
import { waitMsMax } from './until-rested.ts';

/** By its own id of 43 characters, or the `id` or `run` that its program gave it. */
export interface RemoteWorkflows extends Omit<StepByStep, 'start' | 'step'> {
  start(request: WithoutNames<WorkflowRequest>): Promise<StartedWorkflow>;
  step(workflowId: string, request: WithoutNames<StepRequest>): Promise<StepAnswer>;
  /** Newest first. */
  list(filter?: Omit<WorkflowFilter, 'tenant' | 'after'>): Promise<readonly WorkflowRow[]>;
  show(id: string): Promise<Workflow | Refusal>;
  compensate(id: string, request: WithoutNames<CompensateRequest>): Promise<Workflow | Refusal>;
}

/** As long as a tool of the usual times is waited for in its own process. */
const stepWaitMsUsual = 40_000;

/** @param own what this program carries out itself */
export function remoteWorkflows(ask: Ask, clock: Clock, own?: OwnTools): RemoteWorkflows {
  const post = (path: string, body: object): Promise<Told> =>
    ask({ method: 'POST', path, body, waitMs: 0 });
  return {
    start: async (request) => startedOf(await post('v1/workflows', startBody(request))),
    step: (workflowId, request) => stepped(ask, own, workflowId, request),
    complete: async (id, result) =>
      movedOf(await post(pathOf(id, '/complete'), resultBody(result))),
    fail: async (id, reason) => movedOf(await post(pathOf(id, '/fail'), { reason })),
    rest: (id, waitMs) => rested(ask, clock, id, waitMs),
    show: async (id) => shownOf(await ask({ method: 'GET', path: pathOf(id) })),
    list: async (filter = {}) => {
      noNames('a list of workflows', filter);
      noFilter('a list of workflows', filter, ['after']);
      const { status, run, open, limit = listedUsual } = filter;
      const asked = { ...given({ status, run }), open: String(open ?? false) };
      const get = (path: string): Promise<Page> => askedFor(ask, path);
      return pages<WorkflowRow>(get, 'v1/workflows', 'workflows', asked, limit, listedMax);
    },
    compensate: async (id, request) => {
      noNames('a compensation', request);
      const { reason, revisionSeen, from, onFailedCompensation } = request;
      const body = given({ reason, revisionSeen, from, onFailedCompensation });
      const told = await post(pathOf(id, '/compensate'), body);
      if (told.kind === 'fault') throw thrownFor(told);
      return shownOf(told);
    },
  };
}

const listedUsual = 100;
const listedMax = 1_000;

function pathOf(id: string, command = ''): string {
  return `v1/workflows/${encodeURIComponent(id)}${command}`;
}

function startBody(request: WithoutNames<WorkflowRequest>): object {
  noNames('a workflow', request);
  const { id, run, conversation, input, onFailedCompensation, abandonedAfterMs } = request;
  const { whenAbandoned } = request;
  const rest = { id, run, conversation, onFailedCompensation, abandonedAfterMs, whenAbandoned };
  return given({ ...rest, input });
}

function startedOf(told: Told): StartedWorkflow {
  if (told.kind !== 'answer') return refusedOr(told);
  return {
    kind: 'started',
    workflow: workflowOf(told.body),
    repeat: told.body['repeat'] === true,
  };
}

const resultBytesMax = 64 * 1024;

/** What is no plain JSON is kept as far as it is, as the ledger would. */
function resultBody(result: unknown): object {
  const plain = checkJson(result ?? null);
  if (plain.kind !== 'refusal') return { result: plain.value };
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  return { result: toRecordable(result, { bytesMax: resultBytesMax, keep: [], sha256 }).value };
}

function movedOf(told: Told): Workflow | Refusal {
  return told.kind === 'answer' ? workflowOf(told.body) : refusedOr(told);
}

/** @throws where nothing is known to be refused */
function shownOf(told: Told): Workflow | Refusal {
  if (told.kind === 'answer') return workflowOf(told.body);
  if (told.kind === 'fault') throw thrownFor(told);
  return refusalOf(told);
}

/**
 * The program of a workflow is told, not broken: it can come back, and gets what is on record.
 * @throws what the program around it has to mend
 */
function refusedOr(told: Exclude<Told, { kind: 'answer' }>): Refusal {
  const fault = faultIn(told);
  if (fault === undefined) return refusalOf(told as Extract<Told, { kind: 'problem' }>);
  if (fault instanceof RemoteFault && fault.retry === 'never') throw fault;
  const { code, message } = fault as Error & { readonly code: string };
  return refusal(code, message);
}

function faultIn(told: Exclude<Told, { kind: 'answer' }>): Error | undefined {
  if (told.kind === 'fault') return told.fault;
  try {
    refusalOf(told);
    return undefined;
  } catch (fault) {
    return fault as Error;
  }
}

async function stepped(
  ask: Ask,
  own: OwnTools | undefined,
  workflowId: string,
  request: WithoutNames<StepRequest>,
): Promise<StepAnswer> {
  noNames('a step', request);
  const { step, tool, arguments: args, compensate, mayFail, identity } = request;
  const { waitMs = stepWaitMsUsual } = request;
  const plain = checkJson(args);
  if (plain.kind === 'refusal') return { kind: 'settled', answer: misfit(tool, plain) };
  const shown = await own?.prepareStep({ tool, arguments: plain.value, origin: {} });
  if (shown !== undefined && 'word' in shown)
    return { kind: shown.code === 'read.failed' ? 'waiting' : 'settled', answer: shown };
  const { arguments: shownArgs, hold } = shown ?? { arguments: plain.value };
  const body = { ...given({ step, tool, compensate, mayFail, identity }), arguments: shownArgs };
  const asking = { method: 'POST', path: pathOf(workflowId, '/steps'), body } as const;
  if (hold !== undefined) {
    // What only this process can carry out has to be known here before it is waited for.
    const planned = await ask({ ...asking, waitMs: 0 });
    if (planned.kind === 'answer') hold(answerIn(planned.body));
  }
  const told = await ask({ ...asking, waitMs: Math.min(waitMs, waitMsMax) });
  if (told.kind === 'answer') hold?.(answerIn(told.body));
  return stepAnswerOf(ask, workflowId, tool, told);
}

async function stepAnswerOf(
  ask: Ask,
  workflowId: string,
  tool: string,
  told: Told,
): Promise<StepAnswer> {
  if (told.kind === 'fault') return { kind: 'waiting', answer: proposalAnswer(tool, told) };
  const as = told.headers.get('workflow-step');
  if (told.kind === 'answer')
    return { kind: as === 'settled' ? as : 'waiting', answer: answerIn(told.body) };
  const { problem } = told;
  // The same once more than it was asked for is not a failure of the step.
  if (as === 'waiting' || (told.inDoubt && as !== 'settled'))
    return { kind: 'waiting', answer: proposalAnswer(tool, told) };
  if (as === 'settled') return { kind: 'settled', answer: answerIn(problem['answer']) };
  if (problem.code !== 'workflow.status') return refusedStep(told);
  const shown = shownOf(await ask({ method: 'GET', path: pathOf(workflowId) }));
  return 'code' in shown
    ? { kind: 'refused', refusal: shown }
    : { kind: 'stopped', workflow: shown };
}

function refusedStep(told: Extract<Told, { kind: 'problem' }>): StepAnswer {
  const why = refusedOr(told);
  const { differs, ...detail } = (why.detail ?? {}) as {
    readonly differs?: readonly Difference[];
  };
  const said =
    Object.keys(detail).length === 0 ? refusal(why.code, why.message) : { ...why, detail };
  return { kind: 'refused', refusal: said, ...given({ differs }) };
}

async function rested(
  ask: Ask,
  clock: Clock,
  id: string,
  waitMs: number,
): Promise<Workflow | undefined> {
  const until = clock.monoMs() + waitMs;
  for (;;) {
    const askedAt = clock.monoMs();
    const left = Math.max(0, Math.min(until - askedAt, waitMsMax));
    const told = await ask({ method: 'GET', path: pathOf(id), waitMs: left });
    if (told.kind === 'problem' && told.problem.code === 'stream.broken') return undefined;
    if (told.kind !== 'answer') throw thrownFor(told);
    const workflow = workflowOf(told.body);
    const now = clock.monoMs();
    const isHeld = now - askedAt >= Math.min(left, heldMsMin);
    if (workflow.status !== 'compensating' || now >= until || !isHeld) return workflow;
  }
}

/** A ledger that holds no answer is not asked over and over. */
const heldMsMin = 500;
