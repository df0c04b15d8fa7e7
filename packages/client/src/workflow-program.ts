// One run of a program: its steps in the order in which it asks for them, held against the record. A
// program that has changed is stopped before anything of it is sent.
import type { Answer, Ledger, StepAnswer } from '@action-ledger/application';
import { type Difference, refusal, type Refusal, type Workflow } from '@action-ledger/domain';
import { type Outcome } from './ledger-tool.ts';
import { type Step, StepFailed, type StepOptions, WorkflowInterrupted } from './workflow-step.ts';

export type RanProgram =
  | { readonly kind: 'ended'; readonly workflow: Workflow; readonly thrown?: unknown }
  | { readonly kind: 'waiting'; readonly step: string; readonly answer: Answer }
  | Refused;

interface Refused {
  readonly kind: 'refused';
  readonly refusal: Refusal;
  readonly differs?: readonly Difference[];
}

type Interruption = Exclude<RanProgram, { readonly kind: 'ended' }> | { readonly kind: 'stopped' };

interface Core {
  readonly workflows: Pick<Ledger['workflows'], 'step' | 'complete' | 'fail' | 'rest'>;
}

interface Run {
  readonly core: Core;
  readonly workflow: Workflow;
  readonly waitMs: number | undefined;
  readonly asked: Set<string>;
  /** On record, and not asked for yet by this run. */
  readonly unreached: Set<string>;
  readonly pending: Set<Promise<unknown>>;
  interruption: Interruption | undefined;
}

export async function runProgram<Result>(
  core: Core,
  workflow: Workflow,
  program: (step: Step) => Promise<Result> | Result,
  waitMs: number | undefined,
): Promise<RanProgram> {
  const run: Run = {
    core,
    workflow,
    waitMs,
    asked: new Set(),
    unreached: new Set(workflow.steps.map(({ step }) => step)),
    pending: new Set(),
    interruption: undefined,
  };
  let returned: { readonly result: Result } | { readonly thrown: unknown };
  try {
    returned = { result: await program(stepsOf(run)) };
    await Promise.allSettled(run.pending);
  } catch (thrown) {
    returned = { thrown };
  }
  const { interruption } = run;
  if (interruption !== undefined && interruption.kind !== 'stopped') return interruption;
  if ('thrown' in returned) return failed(run, returned.thrown);
  return completed(run, returned.result);
}

async function failed({ core, workflow }: Run, thrown: unknown): Promise<RanProgram> {
  const ended = await asRecorded(core, workflow, core.workflows.fail(workflow.id, textOf(thrown)));
  return 'code' in ended
    ? { kind: 'refused', refusal: ended }
    : { kind: 'ended', workflow: ended, thrown };
}

async function completed(run: Run, result: unknown): Promise<RanProgram> {
  const { core, workflow, unreached, interruption } = run;
  const [left] = unreached;
  if (left !== undefined && interruption === undefined) return differs(left, 'the end');
  const ended = await asRecorded(core, workflow, core.workflows.complete(workflow.id, result));
  return 'code' in ended ? { kind: 'refused', refusal: ended } : { kind: 'ended', workflow: ended };
}

/** Another run of the same program was first: what it has brought about is the outcome of this one too. */
async function asRecorded(
  { workflows }: Core,
  { id }: Workflow,
  ending: Promise<Workflow | Refusal>,
): Promise<Workflow | Refusal> {
  const ended = await ending;
  if (!('code' in ended) || !isOvertaken(ended.code)) return ended;
  const recorded = await workflows.rest(id, 0);
  return recorded?.status === 'completed' ? recorded : ended;
}

function isOvertaken(code: string): boolean {
  return code === 'workflow.status' || code === 'workflow.differs';
}

function textOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `the program threw ${String(thrown)}`;
  return thrown.message === '' ? thrown.name : thrown.message;
}

function stepsOf(run: Run): Step {
  const take = (
    mayFail: boolean,
    name: string,
    tool: { readonly name: string },
    args: unknown,
    options: StepOptions = {},
  ): Promise<Outcome<unknown>> => {
    const work = takeStep(run, mayFail, name, tool, args, options);
    run.pending.add(work);
    // Whoever does not wait for its step hears of it at the end.
    work.catch(() => undefined).finally(() => run.pending.delete(work));
    return work;
  };
  const step = async (...call: Parameters<Step>): Promise<unknown> => {
    const outcome = await take(false, ...(call as unknown as Call));
    return outcome.result;
  };
  const mayFail = (...call: Parameters<Step>): Promise<unknown> =>
    take(true, ...(call as unknown as Call));
  return Object.assign(step, { mayFail }) as unknown as Step;
}

type Call = [string, { readonly name: string }, unknown, StepOptions?];

async function takeStep(
  run: Run,
  mayFail: boolean,
  name: string,
  tool: { readonly name: string },
  args: unknown,
  options: StepOptions,
): Promise<Outcome<unknown>> {
  const { core, workflow, waitMs } = run;
  await admit(run, name);
  const { compensate, identity, waitMs: stepWaitMs = waitMs } = options;
  const answer = await core.workflows.step(workflow.id, {
    step: name,
    tool: tool.name,
    arguments: args,
    ...(mayFail ? { mayFail } : {}),
    ...(identity === undefined ? {} : { identity }),
    ...(stepWaitMs === undefined ? {} : { waitMs: stepWaitMs }),
    ...(compensate === undefined ? {} : { compensate: compensationOf(compensate) }),
  });
  return outcomeOf(run, mayFail, name, answer);
}

function compensationOf(
  given: NonNullable<StepOptions['compensate']>,
):
  | 'not needed'
  | 'impossible'
  | { readonly tool: string; readonly arguments: Record<string, unknown> } {
  if (typeof given !== 'object') return given;
  const { tool, arguments: args } = given;
  return { tool: tool.name, arguments: args as unknown as Record<string, unknown> };
}

/** Turns of the event loop in which other branches of the program can ask for what is on record. */
const turnsForOthers = 50;

async function admit(run: Run, name: string): Promise<void> {
  if (run.interruption !== undefined) throw interrupted(run.interruption);
  if (run.asked.has(name)) {
    const message = `The program asks for two steps called "${name}". Give each a name of its own.`;
    throw interrupt(run, { kind: 'refused', refusal: refusal('workflow.step-twice', message) });
  }
  run.asked.add(name);
  if (run.unreached.delete(name)) return;
  for (let turn = 0; turn < turnsForOthers && run.unreached.size > 0; turn += 1)
    await new Promise((resolve) => setImmediate(resolve));
  const [left] = run.unreached;
  if (left !== undefined) throw interrupt(run, differs(left, `"${name}"`));
}

function differs(recorded: string, asked: string): Refused {
  const message = `The record goes on with step "${recorded}", the program with ${asked}. Nothing of that was sent.`;
  return {
    kind: 'refused',
    refusal: refusal('workflow.differs', message, { step: recorded }),
    differs: [{ path: 'steps', note: `"${recorded}" before, ${asked} now` }],
  };
}

function outcomeOf(run: Run, mayFail: boolean, name: string, answer: StepAnswer): Outcome<unknown> {
  switch (answer.kind) {
    case 'settled': {
      const { state } = answer.answer;
      if (mayFail || answer.answer.result !== undefined || state === 'superseded')
        return answer.answer;
      throw new StepFailed(name, answer.answer);
    }
    case 'waiting':
      throw interrupt(run, { kind: 'waiting', step: name, answer: answer.answer });
    case 'stopped':
      throw interrupt(run, { kind: 'stopped' });
    case 'refused':
      throw interrupt(run, {
        kind: 'refused',
        refusal: answer.refusal,
        ...(answer.differs === undefined ? {} : { differs: answer.differs }),
      });
  }
}

function interrupt(run: Run, why: Interruption): WorkflowInterrupted {
  run.interruption ??= why;
  return interrupted(why);
}

function interrupted(why: Interruption): WorkflowInterrupted {
  switch (why.kind) {
    case 'waiting':
      return new WorkflowInterrupted(`Step "${why.step}": ${why.answer.messageForModel}`);
    case 'refused':
      return new WorkflowInterrupted(why.refusal.message);
    case 'stopped':
      return new WorkflowInterrupted(
        'The workflow does not go on: it is being undone, or has ended.',
      );
  }
}
