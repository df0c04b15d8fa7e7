// How a program takes a step, and how it names what undoes it.
import { type Outcome, type LedgerTool } from './ledger-tool.ts';

/** Stands for what a step brings about, in the arguments of its compensation. */
export interface Reference {
  readonly $from: string;
}

/** A member of the step's result: `fromOutcome("reservation.id")`. Without a path: the whole result. */
export function fromOutcome(path?: string): Reference {
  return { $from: path === undefined ? 'outcome' : `outcome.${path}` };
}

/** An argument of the step. */
export function fromArguments(path: string): Reference {
  return { $from: `arguments.${path}` };
}

/** The provider's id of what the step has made. */
export function fromExternalId(): Reference {
  return { $from: 'externalId' };
}

export type Referring<Value> =
  | Value
  | Reference
  | (Value extends object ? { readonly [Member in keyof Value]: Referring<Value[Member]> } : never);

export interface Compensation<Args> {
  readonly tool: Pick<LedgerTool<Args>, 'name' | 'call'>;
  /** Known now, but for references to what the step brings about. */
  readonly arguments: Referring<Args>;
}

export interface StepOptions<UndoArgs = never> {
  /**
   * How it is undone, recorded before it is sent. Default: what its tool declares; a step of a tool that
   * declares nothing must say.
   */
  readonly compensate?: Compensation<UndoArgs> | 'not needed' | 'impossible';
  /** `step`: workflow and step make the action. `tool`: its tool's own identity, which others may share. */
  readonly identity?: 'step' | 'tool';
  readonly waitMs?: number;
}

type ToolToCall<Args, Result> = Pick<LedgerTool<Args, Result>, 'name' | 'call'>;

export interface Step {
  /**
   * @returns the result of the tool, now or as recorded
   * @throws StepFailed it ended without effect; the workflow is being undone
   * @throws WorkflowInterrupted nothing more can be done now: let it pass
   */
  <Args, Result, UndoArgs = never>(
    name: string,
    tool: ToolToCall<Args, Result>,
    args: Args,
    options?: StepOptions<UndoArgs>,
  ): Promise<Result>;
  /**
   * A step whose failure does not fail the workflow: the program looks at `state` and goes on.
   * @throws WorkflowInterrupted nothing more can be done now: let it pass
   */
  mayFail<Args, Result, UndoArgs = never>(
    name: string,
    tool: ToolToCall<Args, Result>,
    args: Args,
    options?: StepOptions<UndoArgs>,
  ): Promise<Outcome<Result>>;
}

/** A step ended without effect. What was done before it is undone, whether or not this is caught. */
export class StepFailed extends Error {
  readonly step: string;
  readonly outcome: Outcome<unknown>;

  constructor(step: string, outcome: Outcome<unknown>) {
    super(`Step "${step}": ${outcome.messageForModel}`);
    this.name = 'StepFailed';
    this.step = step;
    this.outcome = outcome;
  }
}

/**
 * The program cannot go on now: a step's outcome is not known yet, the workflow is being undone, or the
 * program differs from what is on record. Every later step of this run throws it too.
 */
export class WorkflowInterrupted extends Error {
  constructor(why: string) {
    super(why);
    this.name = 'WorkflowInterrupted';
  }
}
