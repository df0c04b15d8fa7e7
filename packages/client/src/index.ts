export * from './create-ledger-options.ts';
export * from './create-ledger.ts';
export * from './ledger-tool.ts';
export {
  type LedgerWorkflows,
  type WorkflowOptions,
  type WorkflowOutcome,
  type WorkflowProgram,
} from './workflow.ts';
export * from './workflow-step.ts';
export { LedgerError, type LedgerErrorCode, ledgerErrorCodes } from './ledger-error.ts';
export { viewsPathOf } from './open-index.ts';
export {
  type Answer,
  type AnswerWord,
  answerWords,
  type ActionRow,
  type CancelRequest,
  type CheckNowRequest,
  type EditRequest,
  type EvidenceReport,
  type ListFilter,
  type Loaded,
  type BurstLimit,
  type CompensateRequest,
  type Notice,
  type Pause,
  type PauseRequest,
  type PauseScope,
  type ResumeRequest,
  type Performed,
  type Proposal,
  RegistrationRefused,
  type RepeatRequest,
  type SettleRequest,
  type SideEntry,
  type UnknownFilter,
  type StepOutcome,
  type VoteRequest,
  type WorkflowFilter,
  type WorkflowRow,
  usualBurst,
  type WritePoint,
  writePoints,
} from '@action-ledger/application';
export {
  type Action,
  type ActionStatus,
  type CallOrigin,
  type Workflow,
  type WorkflowStatus,
} from '@action-ledger/domain';
export { StoreFault, type StoreFaultCode } from '@action-ledger/event-store';
export {
  type ApprovalDeclaration,
  type AttemptContext,
  defineTool,
  type ExecuteContext,
  httpTool,
  httpToolFile,
  inDoubt,
  inputFromJsonSchema,
  type LookupVerdict,
  notSent,
  NotSent,
  type Policy,
  refused,
  succeeded,
  type Tool,
  type ToolDeclarationCode,
  ToolDeclarationError,
  type ToolDefinition,
  type TypedTool,
} from '@action-ledger/tools';
