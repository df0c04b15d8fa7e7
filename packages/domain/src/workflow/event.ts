// The facts of one workflow, in its stream `workflow-<id>`: what it set out to do, in which order, and how
// each step would be undone, each recorded before it is acted on. Times are wall-clock milliseconds.
import { type Watch } from '../action/event.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';

/** Where one compensation has failed for good: hold back those of earlier steps, or undo them all the same. */
export type OnFailedCompensation = 'stop' | 'go on';

/** How a step is undone. Recorded before the step is dispatched. */
export type StepCompensation =
  /** There is nothing to undo: the step reads, or leaves nothing behind. */
  | { readonly kind: 'not needed' }
  /** What it does stays done; the end of the workflow names it. */
  | { readonly kind: 'impossible' }
  /** `arguments`: as they are, but for references `{"$from": "outcome.id"}` to what the step brings about. */
  | { readonly kind: 'tool'; readonly tool: string; readonly arguments: JsonObject }
  /** By the rule in the declaration of the step's own tool. */
  | { readonly kind: 'declared'; readonly tool: string };

/** What makes a step's action the same one again. */
export type StepIdentity =
  /** Workflow and step. */
  | { readonly kind: 'step' }
  /** What its tool declares: then it may be one that others have asked for. */
  | { readonly kind: 'tool' };

/** The action that undoes a step. */
export interface Undo {
  readonly tool: string;
  readonly arguments: JsonObject;
}

export interface WorkflowStarted {
  readonly tenant: string;
  /** The caller's id; without it the workflow is the one of its run. */
  readonly name?: string;
  readonly run?: string;
  readonly conversation?: string;
  /** What the program was started with; must be equal when it is started again. */
  readonly input?: JsonValue;
  readonly by?: string;
  readonly onFailedCompensation: OnFailedCompensation;
  /** Without a new event for so long, a running workflow is taken for abandoned. */
  readonly abandonedAfterMs: number;
  readonly whenAbandoned: 'operator' | 'compensate';
}

export interface StepPlanned {
  readonly step: string;
  readonly tool: string;
  /** As they may be stored: secrets are digests. */
  readonly arguments: JsonObject;
  readonly argumentsHash: string;
  readonly compensation: StepCompensation;
  readonly identity: StepIdentity;
  /** Its ending without effect does not fail the workflow. */
  readonly mayFail?: true;
  readonly secret?: true;
}

export interface StepSettled {
  readonly step: string;
  /** The action that settled; not always the first of the step, where a person edited that one. */
  readonly action: string;
  readonly as: 'succeeded' | 'without effect';
  /** The workflow's own; another's effect is never undone here. */
  readonly owned: boolean;
  /** Of the action: what became of it. */
  readonly reason?: string;
  /** `succeeded`: what would undo it, computed when its outcome was known. */
  readonly undo?: Undo;
  /** Why that could not be computed. */
  readonly undoFault?: string;
}

export interface WorkflowEventData {
  readonly WorkflowStarted: WorkflowStarted;
  readonly StepPlanned: StepPlanned;
  readonly StepSettled: StepSettled;
  readonly CompensationStarted: {
    readonly by: string;
    readonly reason: string;
    /** The steps from this one on, in the order of planning; without it all. */
    readonly from?: string;
    /** The step that ended without effect and so failed the workflow. */
    readonly failedStep?: string;
    readonly onFailedCompensation?: OnFailedCompensation;
  };
  readonly StepCompensated: {
    readonly step: string;
    readonly as: 'compensated' | 'failed';
    /** The compensating action; or whatever else has undone the step. */
    readonly by?: string;
    readonly reason?: string;
  };
  readonly OwnerAssigned: Watch & { readonly reason: string };
  readonly WorkflowEnded: {
    readonly as: 'completed' | 'compensated' | 'compensation_failed';
    /** What the program returned. */
    readonly result?: JsonValue;
    readonly notes?: readonly string[];
    readonly digest?: string;
    /** Steps whose effect stands although the workflow was undone, by name and why. */
    readonly standing?: readonly { readonly step: string; readonly why: string }[];
  } & Partial<Watch>;
}

export type WorkflowEventType = keyof WorkflowEventData;

export type WorkflowEvent = {
  readonly [Type in WorkflowEventType]: {
    readonly type: Type;
    readonly data: WorkflowEventData[Type];
  };
}[WorkflowEventType];
