// The last look before a dispatch is handed to a caller, as before each send of the ledger's own.
import { type Action } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { earlierEpochs, mayGoOn } from '../attempt/attempt.ts';
import { type Parts } from '../core/parts.ts';

/** Before it is handed out: an epoch before may stand after all. @returns whether it may be sent */
export async function holdDispatch(parts: Parts, tool: Tool, action: Action): Promise<boolean> {
  await parts.passed('dispatched', action.id);
  const { claim, attempts } = action;
  if (claim === undefined) return false;
  return mayGoOn(parts, tool, action, { claim: claim.revision, attempt: attempts.length });
}

/**
 * A dispatch whose answer was lost, before it is handed out once more. Nothing is recorded where it is
 * not: a first copy may have been sent, and what becomes of that is found out when its lease ends.
 */
export async function mayBeHandedAgain(parts: Parts, action: Action): Promise<boolean> {
  const { cancelRequested, reportedSuccess, attempts, tenant, tool, guarantee } = action;
  if (cancelRequested !== undefined || reportedSuccess !== undefined) return false;
  if (parts.clock.nowMs() >= (attempts.at(-1)?.deadlineAt ?? 0)) return false;
  if (parts.recovering() !== undefined) return false;
  if (guarantee !== 'observed' && parts.whyPaused(tenant, tool) !== undefined) return false;
  return (await earlierEpochs(parts, action)).kind === 'without effect';
}
