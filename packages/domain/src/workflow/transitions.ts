// The life of a workflow as a table: every event in every status. A missing cell does not compile.
import { type WorkflowEventType } from './event.ts';
import { type WorkflowStatus } from './state.ts';

type Targets = readonly WorkflowStatus[];

const none: Targets = [];

/** What each event may lead to, by the status it is met in. */
const table: {
  readonly [Type in WorkflowEventType]: { readonly [From in WorkflowStatus]: Targets };
} = {
  WorkflowStarted: {
    new: ['running'],
    running: none,
    completed: none,
    compensating: none,
    compensated: none,
    compensation_failed: none,
  },
  StepPlanned: {
    new: none,
    running: ['running'],
    completed: none,
    compensating: none,
    compensated: none,
    compensation_failed: none,
  },
  // After an end only late: what had ended without effect turned out a success.
  StepSettled: {
    new: none,
    running: ['running'],
    completed: ['completed'],
    compensating: ['compensating'],
    compensated: ['compensating', 'compensated'],
    compensation_failed: ['compensating'],
  },
  CompensationStarted: {
    new: none,
    running: ['compensating'],
    completed: ['compensating'],
    compensating: ['compensating'],
    compensated: ['compensating'],
    compensation_failed: ['compensating'],
  },
  StepCompensated: {
    new: none,
    running: none,
    completed: none,
    compensating: ['compensating'],
    compensated: none,
    compensation_failed: ['compensating'],
  },
  OwnerAssigned: {
    new: none,
    running: ['running'],
    completed: none,
    compensating: ['compensating'],
    compensated: none,
    compensation_failed: ['compensation_failed'],
  },
  WorkflowEnded: {
    new: none,
    running: ['completed'],
    completed: none,
    compensating: ['compensated', 'compensation_failed'],
    compensated: none,
    compensation_failed: none,
  },
};

/** Where `type` may lead from `from`; empty where it is refused. */
export function workflowTransitions(from: WorkflowStatus, type: WorkflowEventType): Targets {
  return table[type][from];
}

/** Not so for an event that a newer version wrote, or that was tampered with. */
export function isWorkflowEventType(type: string): type is WorkflowEventType {
  return Object.hasOwn(table, type);
}

export const workflowStatuses: readonly WorkflowStatus[] = Object.keys(
  table.WorkflowStarted,
) as WorkflowStatus[];
export const workflowEventTypes = Object.keys(table) as readonly WorkflowEventType[];
