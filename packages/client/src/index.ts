export * from './create-ledger-options.ts';
export * from './create-ledger.ts';
export { LedgerError, type LedgerErrorCode, ledgerErrorCodes } from './ledger-error.ts';
export { viewsPathOf } from './open-index.ts';
export {
  type Answer,
  type AnswerWord,
  answerWords,
  type Notice,
  type WritePoint,
  writePoints,
} from '@action-ledger/application';
export {
  defineTool,
  inDoubt,
  notSent,
  NotSent,
  refused,
  succeeded,
  type ToolDefinition,
} from '@action-ledger/tools';
