// What a caller is told when nothing new can be recorded: the store is away, or the ledger takes
// nothing. It says no more than is known: what could not be read may have been done before, and what
// could not be written may be there all the same.
import { StoreFault } from '@action-ledger/event-store';
import { type Answer, refusedAnswer } from './answer.ts';
import { type AnswerCode } from './answer-codes.ts';
import { declaredTool, hasSecrets, type Parts } from '../core/parts.ts';
import { type Proposal } from '../propose/proposal.ts';

const uncertainPlanLookMs = 5_000;

/** While the store looks older than it was, or all is paused, nothing new is recorded. */
export function notRecordable(parts: Parts, proposal: Proposal): Answer | undefined {
  const recovering = parts.recovering();
  // What is gone from the store may have been done: the word must not invite another try.
  if (recovering !== undefined) {
    const reason = `The ledger is recovering: ${recovering} Nothing was recorded.`;
    return refused(proposal, 'checking', 'ledger.recovering', reason);
  }
  if (parts.isClosing()) {
    const reason = 'The ledger is closing. Nothing was recorded.';
    return refused(proposal, 'failed-without-effect', 'ledger.closing', reason);
  }
  const { tenant, tool } = proposal;
  if (parts.observes(tenant, tool)) return undefined;
  const paused = parts.whyPaused(tenant, tool);
  // No other arguments would end the pause: the word must not invite to try them.
  if (paused !== undefined)
    return refused(proposal, 'refused', 'ledger.paused', `${paused} Nothing was recorded.`);
  if (!isLostOnOthers(parts, proposal)) return undefined;
  const reason = `Another process carries out "${tool}", and its secret arguments are not stored for it. Nothing was recorded.`;
  return refused(proposal, 'refused', 'tool.takes-secrets', reason);
}

/** Its secret arguments are in no stream, and who would send it is another process. */
function isLostOnOthers(parts: Parts, { tenant, tool: name }: Proposal): boolean {
  if (parts.duties.has('send') || !parts.crew.isShared()) return false;
  const tool = declaredTool(parts, tenant, name);
  return tool !== undefined && tool.byCaller !== true && hasSecrets(tool);
}

/** It is not known what this call meets, so it must not be told that nothing was done. */
export function notRead(parts: Parts, proposal: Proposal, fault: unknown): Answer {
  if (fault instanceof StoreFault && parts.isClosing()) {
    const reason = 'The ledger is closed. Nothing was recorded by this call.';
    return refused(proposal, 'checking', 'ledger.closing', reason);
  }
  const { message } = storeFault(parts, 'read', proposal.tool, fault);
  const reason = `The store could not be used (${message}). Nothing was recorded by this call; whether it was done before is not known.`;
  return refused(proposal, 'checking', 'ledger.store-unavailable', reason);
}

/** The plan is certainly not there: what there is can still be read, and answer the call. */
export function wasNotStored(fault: unknown): boolean {
  return fault instanceof StoreFault && fault.retry !== 'unsafe';
}

/** Where the plan may have got there all the same, it is looked for later; nothing was sent. */
export function notStored(
  parts: Parts,
  proposal: Proposal,
  actionId: string,
  fault: unknown,
): Answer {
  const why = storeFault(parts, 'plan', actionId, fault);
  if (why.retry !== 'unsafe') {
    const reason = `The store could not be written (${why.message}). Nothing was recorded.`;
    return refused(proposal, 'failed-without-effect', 'ledger.store-unavailable', reason);
  }
  parts.due.set(actionId, parts.clock.nowMs() + uncertainPlanLookMs);
  const reason =
    'The store did not say whether the plan was recorded; nothing was sent by this call.';
  return refused(proposal, 'checking', 'ledger.store-uncertain', reason, actionId);
}

/** @throws the fault where it is not the store's */
function storeFault(parts: Parts, way: 'read' | 'plan', of: string, fault: unknown): StoreFault {
  if (!(fault instanceof StoreFault)) throw fault;
  parts.onFault(`${way} of ${of}`, fault);
  return fault;
}

function refused(
  { tenant, tool }: Proposal,
  word: 'checking' | 'failed-without-effect' | 'refused',
  code: AnswerCode,
  reason: string,
  actionId?: string,
): Answer {
  const of = actionId === undefined ? {} : { actionId };
  return refusedAnswer({ tenant, tool, word, code, reason, ...of });
}
