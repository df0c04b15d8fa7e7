// `@action-ledger/client/remote`: a ledger in another process, and nothing of one in this: neither SQLite nor
// the application is loaded; what runs tools is, once it is given some. For that, types of other packages are taken by `import type`: a list of types in
// braces alone would still load its module.
import { openRemoteLedger, type RemoteLedger } from './remote-ledger.ts';
import { type RemoteLedgerOptions, type RemoteTools } from './remote-options.ts';

/**
 * @throws LedgerError `ledger.options` an option is unknown or malformed
 * @throws ToolDeclarationError, RegistrationRefused a tool cannot be declared to this ledger
 * @throws RemoteFault, StoreFault the tools could not be declared
 */
export async function createLedger<Tools extends RemoteTools = RemoteTools>(
  options: RemoteLedgerOptions<Tools>,
): Promise<RemoteLedger<Tools>> {
  return openRemoteLedger(options);
}

export { LedgerError, type LedgerErrorCode } from '../ledger-error.ts';
export { type Outcome } from '../ledger-tool.ts';
export { type WorkflowOptions, type WorkflowOutcome, type WorkflowProgram } from '../workflow.ts';
export * from '../workflow-step.ts';
export {
  type Commanding,
  type Damaged,
  type RemoteLoaded,
  type RemotePerformed,
} from './commands.ts';
export { type WithoutNames } from './names-by-key.ts';
export { type NotRemote } from './not-remote.ts';
export { type Proposing, type RemoteExplainRequest, type RemoteProposal } from './proposals.ts';
export * from './reading.ts';
export { RemoteFault, type RemoteFaultCode, remoteFaultCodes } from './remote-fault.ts';
export { type RemoteCallContext, type RemoteLedger, type RemoteTool } from './remote-ledger.ts';
export { type RemoteLedgerOptions, type RemoteTools, type Secret } from './remote-options.ts';
export { type RemoteAction } from './shown.ts';
export { type RemoteWorkflows } from './workflows.ts';
export { type Answer, type AnswerWord, answerWords } from '@action-ledger/domain';
export { StoreFault, type StoreFaultCode } from '@action-ledger/event-store';
