// What can be asked of a workflow. Imperative; every command carries the facts it is judged by.
import { type RecordedResult, type Watch } from '../action/event.ts';
import {
  type OnFailedCompensation,
  type StepPlanned,
  type StepSettled,
  type WorkflowStarted,
} from './event.ts';

export type WorkflowCommand =
  | { readonly type: 'StartWorkflow'; readonly start: WorkflowStarted }
  | { readonly type: 'PlanStep'; readonly plan: StepPlanned }
  | { readonly type: 'SettleStep'; readonly settled: StepSettled }
  | {
      readonly type: 'StartCompensation';
      readonly by: string;
      readonly reason: string;
      readonly from?: string;
      readonly revisionSeen?: number;
      readonly onFailedCompensation?: OnFailedCompensation;
      /** Only where it is still running: its program, or nobody, says so. */
      readonly onlyRunning?: true;
    }
  | {
      readonly type: 'RecordStepCompensation';
      readonly step: string;
      readonly as: 'compensated' | 'failed';
      readonly by?: string;
      readonly reason?: string;
    }
  | { readonly type: 'CompleteWorkflow'; readonly result: Omit<RecordedResult, 'externalId'> }
  /** Where nothing is left to undo. */
  | { readonly type: 'EndCompensation' }
  | ({ readonly type: 'AssignWorkflowOwner'; readonly reason: string } & Watch);

export type WorkflowCommandOf<Type extends WorkflowCommand['type']> = Extract<
  WorkflowCommand,
  { readonly type: Type }
>;
