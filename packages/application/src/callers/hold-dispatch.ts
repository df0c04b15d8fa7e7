// The last look before a dispatch is handed to a caller, as before each send of the ledger's own.
import { type Action } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { mayGoOn } from '../attempt.ts';
import { type Parts } from '../parts.ts';

/** Before it is handed out: an epoch before may stand after all. @returns whether it may be sent */
export async function holdDispatch(parts: Parts, tool: Tool, action: Action): Promise<boolean> {
  await parts.passed('dispatched', action.id);
  const { claim, attempts } = action;
  if (claim === undefined) return false;
  return mayGoOn(parts, tool, action, { claim: claim.revision, attempt: attempts.length });
}
