export { type LoadedWorkflow } from './workflow-store.ts';
export { type CompensateRequest } from './operate-workflows.ts';
export { type StartedWorkflow, type StepAnswer } from './program.ts';
export { workflowIdsOf } from './recover-workflows.ts';
export { type WorkflowDoor } from './workflow-door.ts';
export {
  listWorkflows,
  type WorkflowFilter,
  type WorkflowRow,
  workflowRowOf,
  workflowsListedUsual,
} from '@action-ledger/read-models';
export {
  refusedWorkflow,
  type StepOutcome,
  workflowOutcome,
  type WorkflowOutcome,
} from '@action-ledger/domain';
export {
  type CompensationRequest,
  type StepRequest,
  type WorkflowRequest,
} from './workflow-request.ts';
