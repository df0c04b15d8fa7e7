// A caller takes on an action that is due: everything that guards a send is looked at as for the ledger's
// own, then it is claimed and dispatched in the caller's name.
import { type Action } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { attendAction } from '../attend/attend.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { type Caller } from '../propose/proposal.ts';
import { blockedLookMs, claimAndDispatch } from '../attempt/send.ts';
import { handedOut, type HandedOut, isOwnAttempt } from './handed-out.ts';
import { holdDispatch, mayBeHandedAgain } from './hold-dispatch.ts';

export interface Taker extends Caller {
  /** It has the secret arguments of the action. Default: no. */
  readonly holding?: boolean;
}

/**
 * Claims and dispatches where it is due and allowed. Said again by the same caller, it is what it was,
 * as long as it may still be sent.
 * @returns undefined where there is nothing to send now
 */
export async function takeOn(
  parts: Parts,
  actionId: string,
  caller: Taker,
): Promise<HandedOut | undefined> {
  const before = await parts.actions.load(actionId);
  if (before.kind === 'broken') return undefined;
  const tool = toolOf(parts, before.action);
  if (tool?.byCaller !== true) return undefined;
  if (isOwnAttempt(before.action, caller))
    return (await mayBeHandedAgain(parts, before.action))
      ? handedOut(tool, before.action, parts.clock.nowMs())
      : undefined;
  // In its record stands what stands for them, and is never to be sent in their place.
  if (before.action.secret && caller.holding !== true) return undefined;
  let sent: Action | undefined;
  parts.offers.drop(actionId);
  parts.due.set(actionId, parts.clock.nowMs() + blockedLookMs);
  await attendAction(parts, actionId, {
    send: async (of, action) => {
      sent = await sendBy(parts, of, action, caller);
    },
    // It is offered as one.
    lookUp: async () => undefined,
  });
  return sent === undefined ? undefined : handedOut(tool, sent, parts.clock.nowMs());
}

async function sendBy(
  parts: Parts,
  tool: Tool,
  action: Action,
  { worker }: Caller,
): Promise<Action | undefined> {
  const { id: actionId, tenant, arguments: args } = action;
  const slot = parts.slots.take({ actionId, tenant, tool, arguments: args, isNew: false });
  if (slot === 'full') return undefined;
  let isGoing = false;
  try {
    const sent = await claimAndDispatch(parts, tool, action, { worker, caller: true });
    isGoing = sent !== undefined && (await holdDispatch(parts, tool, sent.action));
    return isGoing ? sent?.action : undefined;
  } finally {
    if (!isGoing && slot === 'taken') parts.slots.release(actionId);
  }
}
