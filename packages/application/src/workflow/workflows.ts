// What the workflows of one running ledger share: the store, the index, and which steps a program of this
// process is waiting for right now.
import { type WorkflowIndex } from '@action-ledger/read-models';
import { type WorkflowStore } from './workflow-store.ts';

export interface Workflows {
  readonly store: WorkflowStore;
  readonly index: WorkflowIndex;
  /** A program of this process is between the plan of the step and its answer. */
  readonly isUnderWay: (workflowId: string, step: string) => boolean;
  readonly hasUnderWay: (workflowId: string) => boolean;
  readonly during: <Result>(
    workflowId: string,
    step: string,
    work: () => Promise<Result>,
  ) => Promise<Result>;
}

export function createWorkflows(store: WorkflowStore, index: WorkflowIndex): Workflows {
  /** Steps under way, by workflow; a step may be waited for more than once. */
  const under = new Map<string, string[]>();
  return {
    store,
    index,
    isUnderWay: (workflowId, step) => under.get(workflowId)?.includes(step) === true,
    hasUnderWay: (workflowId) => under.has(workflowId),
    during: async (workflowId, step, work) => {
      under.set(workflowId, [...(under.get(workflowId) ?? []), step]);
      try {
        return await work();
      } finally {
        const left = [...(under.get(workflowId) ?? [])];
        left.splice(left.indexOf(step), 1);
        if (left.length === 0) under.delete(workflowId);
        else under.set(workflowId, left);
      }
    },
  };
}
