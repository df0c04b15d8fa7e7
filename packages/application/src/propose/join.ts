// Calls that join an action which exists already: counted beside the streams, and on record where the
// chain of epochs can move on after a success and the call may be met again.
import { type Action, type CallOrigin, isOpen } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from './proposal.ts';

export function noteJoin(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
  newCall: boolean,
): void {
  parts.sides.add({
    at: parts.clock.nowMs(),
    tenant: action.tenant,
    tool: tool.name,
    action: action.id,
    kind: 'duplicate',
    reason: action.status,
    call: proposal.origin,
  });
  if (!newCall || !isOpen(action) || !advancesAfterSuccess(tool)) return;
  const joins = parts.joins.get(action.id) ?? [];
  if (joins.length < joinsHeldMax) joins.push(proposal.origin);
  parts.joins.set(action.id, joins);
}

/** For the command that may bring the success: they go on record in the same append. */
export function joinedBy(
  parts: Parts,
  actionId: string,
): { readonly joined?: readonly CallOrigin[] } {
  const joined = parts.joins.get(actionId);
  return joined === undefined ? {} : { joined };
}

/** More than one append holds, and whoever joined while it was made. */
export async function recordJoins(parts: Parts, action: Action): Promise<void> {
  const joins = parts.joins.get(action.id) ?? [];
  parts.joins.delete(action.id);
  for (const call of joins)
    await parts.actions.perform(action.id, () => ({ type: 'JoinCall', call }));
}

const joinsHeldMax = 1_000;

/** Only then can a call that joined be met again when the chain has moved on. */
function advancesAfterSuccess(tool: Tool): boolean {
  return tool.rules.guarantee === 'natural' || tool.rules.undoneBy.length > 0;
}

/** Whether a call that joins the action is kept with it. */
export function isJoinRecorded(tool: Tool, action: Action): boolean {
  return advancesAfterSuccess(tool) && action.status === 'succeeded';
}

export async function recordJoin(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
): Promise<void> {
  if (!isJoinRecorded(tool, action)) return;
  await parts.actions.perform(action.id, () => ({ type: 'JoinCall', call: proposal.origin }));
}
