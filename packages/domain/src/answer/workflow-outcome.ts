// What the caller of a workflow is told: its state, its steps, and one sentence that a model can act on,
// in the words that every answer uses.
import { type Difference } from '../identity/what-differs.ts';
import { type JsonValue } from '../json/json-value.ts';
import { type Refusal } from '../refusal.ts';
import { type Workflow, type WorkflowStatus } from '../workflow/state.ts';
import { type Answer, type AnswerWord, answerWords } from './answer.ts';

export interface StepOutcome {
  readonly step: string;
  readonly tool: string;
  readonly action?: string;
  readonly as: 'succeeded' | 'without effect' | 'not known';
  /** What became of its effect. */
  readonly undone?: 'compensated' | 'failed';
  readonly reason?: string;
}

export interface WorkflowOutcome<Result = JsonValue> {
  readonly word: AnswerWord;
  readonly status: WorkflowStatus | 'refused';
  /** Nothing ran because of this call: it got what an earlier one had brought about. */
  readonly repeat: boolean;
  readonly tenant: string;
  readonly workflow?: string;
  readonly name?: string;
  readonly run?: string;
  readonly revision?: number;
  readonly steps: readonly StepOutcome[];
  /** What the program returned, where the workflow is completed. */
  readonly result?: Result;
  /** Why it is being undone, or was refused. */
  readonly reason?: string;
  /** Of a refusal: a stable code of docs/errors.md. */
  readonly code?: string;
  readonly differs?: readonly Difference[];
  /** The step that the program waits for, and why. */
  readonly waitingFor?: { readonly step: string; readonly answer: Answer };
  /** Effects that stand although the workflow was undone. */
  readonly standing: readonly { readonly step: string; readonly why: string }[];
  readonly owner?: 'reconciler' | 'operator';
  readonly nextCheckAt?: number;
  readonly messageForModel: string;
}

export interface WorkflowContext {
  readonly repeat: boolean;
  /** It is told to whoever had it undone: then that is what is done. */
  readonly undoing?: boolean;
  readonly waitingFor?: { readonly step: string; readonly answer: Answer };
}

export function workflowOutcome(
  workflow: Workflow,
  { repeat, undoing = false, waitingFor }: WorkflowContext,
): WorkflowOutcome {
  const { id, tenant, name, run, status, revision, result, compensation, standing, watch } =
    workflow;
  const word =
    undoing && status === 'compensated'
      ? doneWord(repeat)
      : wordFor(workflow, repeat, waitingFor?.answer);
  const base = {
    word,
    status,
    repeat,
    tenant,
    workflow: id,
    ...(name === undefined ? {} : { name }),
    ...(run === undefined ? {} : { run }),
    revision,
    steps: workflow.steps.map(stepOutcome),
    ...(status === 'completed' && result !== undefined ? { result } : {}),
    ...(compensation === undefined ? {} : { reason: compensation.reason }),
    ...(waitingFor === undefined ? {} : { waitingFor }),
    standing,
    ...watch,
  };
  return { ...base, messageForModel: sentence(word, factsOf(workflow, waitingFor)) };
}

/** Nothing was recorded by this call. */
export function refusedWorkflow(
  tenant: string,
  why: Refusal,
  more: { readonly workflow?: Workflow; readonly differs?: readonly Difference[] } = {},
): WorkflowOutcome {
  const { workflow, differs } = more;
  const word = wordOfRefusal(why.code);
  const named = (differs ?? []).map(({ path }) => path).join(', ');
  return {
    word,
    status: 'refused',
    repeat: false,
    tenant,
    ...(workflow === undefined ? {} : { workflow: workflow.id, revision: workflow.revision }),
    steps: workflow?.steps.map(stepOutcome) ?? [],
    reason: why.message,
    code: why.code,
    ...(differs === undefined ? {} : { differs }),
    standing: [],
    messageForModel: sentence(word, [why.message, ...(named === '' ? [] : [`differs: ${named}`])]),
  };
}

function wordOfRefusal(code: string): AnswerWord {
  if (code === 'workflow.differs') return 'other-arguments';
  if (mayBeDone.has(code) || /^(gateway|remote|store)\./.test(code)) return 'checking';
  return code === 'ledger.closing' ? 'failed-without-effect' : 'refused';
}

/** Nothing says that it has not been done before. */
const mayBeDone: ReadonlySet<string> = new Set([
  'stream.broken',
  'ledger.recovering',
  'ledger.store-unavailable',
]);

function stepOutcome({ step, tool, settled, compensated }: Workflow['steps'][number]): StepOutcome {
  const reason = compensated?.reason ?? settled?.reason;
  return {
    step,
    tool,
    as: settled?.as ?? 'not known',
    ...(settled === undefined ? {} : { action: settled.action }),
    ...(compensated === undefined ? {} : { undone: compensated.as }),
    ...(reason === undefined ? {} : { reason }),
  };
}

function doneWord(repeat: boolean): AnswerWord {
  return repeat ? 'already-done' : 'done';
}

function wordFor(
  { status, standing }: Workflow,
  repeat: boolean,
  waiting: Answer | undefined,
): AnswerWord {
  switch (status) {
    case 'completed':
      return doneWord(repeat);
    case 'compensating':
      return 'in-progress';
    case 'compensated':
      // With an effect that stands, another try would not begin from where this one began.
      return standing.length === 0 ? 'failed-without-effect' : 'refused';
    case 'compensation_failed':
      return 'checking';
    case 'new':
    case 'running':
      return waiting === undefined || waiting.word === 'failed-without-effect'
        ? 'in-progress'
        : waiting.word;
  }
}

function factsOf(workflow: Workflow, waitingFor: WorkflowContext['waitingFor']): readonly string[] {
  const { status, compensation, standing, steps } = workflow;
  const undone = steps.filter(({ compensated }) => compensated?.as === 'compensated');
  const names = (list: readonly { readonly step: string }[]): string =>
    list.map(({ step }) => `"${step}"`).join(', ');
  const stands = standing.map(({ step, why }) => `"${step}" stands: ${why}`);
  switch (status) {
    case 'completed':
      return [`${steps.length} steps`];
    case 'compensating':
      return [compensation?.reason ?? '', 'what was done is being undone'];
    case 'compensated':
    case 'compensation_failed':
      return [
        compensation?.reason ?? '',
        ...(undone.length === 0 ? [] : [`undone: ${names([...undone].reverse())}`]),
        ...stands,
        ...(status === 'compensation_failed' ? ['a person is looking into it'] : []),
      ];
    case 'new':
    case 'running':
      return waitingFor === undefined
        ? []
        : [`step "${waitingFor.step}"`, waitingFor.answer.messageForModel.replace(/\.$/, '')];
  }
}

const factsMax = 1_000;

function sentence(word: AnswerWord, facts: readonly string[]): string {
  const text = answerWords[word];
  const told = facts
    .filter((fact) => fact !== '')
    .join('; ')
    .slice(0, factsMax)
    .replace(/(?<!\.)\.$/, '');
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${told === '' ? '' : ` (${told})`}.`;
}
