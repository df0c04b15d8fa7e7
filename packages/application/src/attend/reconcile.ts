// Settles what is not known: by a lookup, by sending again where the guarantee allows it, else by an
// operator. `absent` is judged in the domain; an error is never taken for it.
import {
  type Action,
  actionIdOf,
  isEnded,
  isInDoubt,
  keyHashOf,
  mayBeOvertaken,
  resendHindrance,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { isHeldByEarlierEpoch, waitsForUndoer } from '../attempt/held-back.ts';
import { type Hand, handFor } from '../core/hand.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { blockBy, blockedLookMs } from '../attempt/send.ts';

const operatorLooksAfterMs = 24 * 3_600_000;

/** @param taking of a caller that takes on what is due; default: whoever has the tool */
export async function reconcile(parts: Parts, action: Action, taking?: Hand): Promise<void> {
  const now = parts.clock.nowMs();
  const dueAt = action.watch?.nextCheckAt ?? now;
  if (now < dueAt) {
    parts.due.set(action.id, dueAt);
    return;
  }
  const tool = toolOf(parts, action);
  if (tool === undefined) {
    await toOperator(parts, action, 'nobody here serves the tool');
    return;
  }
  if (await isSuperseded(parts, action)) return;
  if (taking === undefined && isLeftAlone(parts, tool, action)) {
    const nextCheckAt = now + tool.rules.checks.intervalMaxMs;
    await toOperator(parts, action, 'no process that has the tool has answered', nextCheckAt);
    return;
  }
  await settleOrSend(parts, tool, action, taking ?? handFor(parts, tool));
}

/** Offered to callers for so long that a person is to know of it; it stays offered. */
function isLeftAlone({ clock }: Parts, { byCaller, rules }: Tool, action: Action): boolean {
  if (byCaller !== true || action.watch?.owner === 'operator') return false;
  return clock.nowMs() - (action.unknownSince ?? Infinity) >= rules.checks.escalateAfterMs;
}

async function settleOrSend(parts: Parts, tool: Tool, action: Action, hand: Hand): Promise<void> {
  const hindrance = hindranceOf(parts, tool, action);
  const lookFirst = tool.rules.canLookUp && (hindrance !== undefined || action.checks === 0);
  if (lookFirst && !isSecretLost(parts, tool, action)) {
    await hand.lookUp(tool, action);
    return;
  }
  if (hindrance === undefined && maySend(parts, action)) {
    if (await isNotYetDue(parts, action)) return;
    await hand.send(tool, action);
    return;
  }
  await wait(parts, tool, action, hindrance);
}

/** Those of a caller are where it is: it takes on only what it still holds. */
export function isSecretLost({ secrets }: Parts, { byCaller }: Tool, action: Action): boolean {
  return action.secret && byCaller !== true && !secrets.has(action.id);
}

/** What was never dispatched by this record has not waited yet for what comes before it. */
async function isNotYetDue(parts: Parts, action: Action): Promise<boolean> {
  if (action.attempts.some(({ presumed }) => presumed === undefined)) return false;
  if (action.after !== undefined && (await waitsForUndoer(parts, action, action.after)))
    return true;
  return action.guarantee === 'natural' && (await isHeldByEarlierEpoch(parts, action));
}

function hindranceOf(parts: Parts, tool: Tool, action: Action): ReturnType<typeof resendHindrance> {
  if (isSecretLost(parts, tool, action)) return 'guarantee';
  return resendHindrance(
    action,
    tool.rules,
    parts.clock.nowMs(),
    parts.judge.watched(action),
    parts.clock.isBehind(),
  );
}

function maySend(parts: Parts, action: Action): boolean {
  return (
    parts.recovering() === undefined &&
    !parts.isClosing() &&
    parts.whyPaused(action.tenant, action.tool) === undefined
  );
}

/**
 * An absolute write is never sent again after a later value, which takes its place when that one is sent. One that
 * ended without effect has taken nothing.
 */
async function isSuperseded(parts: Parts, action: Action): Promise<boolean> {
  if (action.guarantee !== 'natural') return false;
  const later = await laterValue(parts, action);
  if (later === undefined) return false;
  if (isToBeSent(later) || !mayBeOvertaken(action, parts.judge.watched(action).doubtMs)) {
    blockBy(parts, later.id, action.id);
    return true;
  }
  await parts.actions.perform(action.id, ({ status }) =>
    status === 'unknown' ? { type: 'Supersede', by: later.id } : undefined,
  );
  return true;
}

/** Of the epochs after it the first that has, or may have, or is to have an effect. */
async function laterValue(parts: Parts, { id, epoch }: Action): Promise<Action | undefined> {
  for (let next = epoch + 1; ; next += 1) {
    const later = await parts.actions.load(actionIdOf(keyHashOf(id), next));
    if (later.kind === 'broken' || later.action.status === 'new') return undefined;
    if (!isEnded(later.action) || isInDoubt(later.action)) return later.action;
  }
}

function isToBeSent({ status }: Action): boolean {
  return status === 'planned' || status === 'awaiting_approval' || status === 'ready';
}

async function wait(
  parts: Parts,
  tool: Tool,
  action: Action,
  hindrance: ReturnType<typeof resendHindrance>,
): Promise<void> {
  const now = parts.clock.nowMs();
  if (hindrance === 'in flight') {
    const left = tool.rules.inFlightMs - parts.judge.watched(action).doubtMs;
    parts.due.set(action.id, now + Math.max(1, Math.ceil(left)));
    return;
  }
  if (hindrance === undefined) {
    if (parts.heldByPause.hold(action)) return;
    parts.due.set(action.id, now + blockedLookMs);
    return;
  }
  await toOperator(
    parts,
    action,
    `it cannot be sent again (${hindrance}) and there is nothing to ask`,
  );
}

async function toOperator(
  parts: Parts,
  action: Action,
  reason: string,
  nextCheckAt = parts.clock.nowMs() + operatorLooksAfterMs,
): Promise<void> {
  await parts.actions.perform(action.id, (current) =>
    current.revision === action.revision
      ? { type: 'AssignOwner', owner: 'operator', nextCheckAt, reason }
      : undefined,
  );
}
