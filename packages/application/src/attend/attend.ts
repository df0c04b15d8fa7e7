// What an open action needs now: to be sent, expired, reconciled, or left until later, as far as it is a
// duty held here. Reads the stream, never a projection; a look that comes too early finds nothing due and
// says when to come.
import { type Action, streamOfWorkflow } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { afterSuccess } from '../attempt/after-success.ts';
import { completeEdit } from '../people/complete-edit.ts';
import { nextLookAt } from './due-index.ts';
import { type Loaded } from '../record/action-store.ts';
import { type Hand, handFor } from '../core/hand.ts';
import { isHeldByEarlierEpoch, waitsForUndoer } from '../attempt/held-back.ts';
import { joinedBy } from '../propose/join.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { manualRules } from '../attempt/manual-rules.ts';
import { isSecretLost, reconcile } from './reconcile.ts';
import { blockedLookMs } from '../attempt/send.ts';

/** So soon a look that broke is made again, of what is not known here: the sweep comes to all else. */
const againMs = 5_000;

/**
 * @param taking of a caller that takes on what is due; default: whoever has the tool
 * @throws StoreFault; of a plan that is in doubt nobody else knows: then it stays due
 */
export async function attendAction(parts: Parts, actionId: string, taking?: Hand): Promise<void> {
  try {
    await lookAt(parts, actionId, taking);
  } catch (fault) {
    if (fault instanceof StoreFault && parts.actions.peek(actionId) === undefined)
      parts.due.set(actionId, parts.clock.nowMs() + againMs);
    throw fault;
  }
}

async function lookAt(parts: Parts, actionId: string, taking?: Hand): Promise<void> {
  const loaded = await asItIs(parts, actionId);
  if (loaded.kind === 'broken') return;
  const { action } = loaded;
  parts.judge.see(action);
  if (action.status === 'planned' || action.status === 'ready')
    await attendPlanned(parts, action, taking);
  else if (action.status === 'compensating') wakeItsWorkflow(parts, action);
  else if (parts.duties.has('reconcile')) await settle(parts, action, taking);
}

/** What is to be sent is claimed by an append: that proves what is known of it here. */
function asItIs({ actions, duties }: Parts, actionId: string): Promise<Loaded> {
  const { status } = actions.peek(actionId) ?? {};
  const isToSend = status === 'planned' || status === 'ready';
  return isToSend && duties.has('send') ? actions.known(actionId) : actions.load(actionId);
}

/** It goes on with what undoes the action. */
function wakeItsWorkflow(parts: Parts, { workflow }: Action): void {
  if (workflow !== undefined && parts.duties.has('compensate'))
    void parts.attend(streamOfWorkflow(workflow.id));
}

async function settle(parts: Parts, action: Action, taking?: Hand): Promise<void> {
  switch (action.status) {
    case 'awaiting_approval':
      await expireIfDue(parts, action);
      return;
    case 'claimed':
    case 'dispatched':
      await attendClaim(parts, action);
      return;
    case 'unknown':
      await reconcile(parts, action, taking);
      return;
    case 'cancelled':
      await attendEdited(parts, action);
      return;
    case 'planned':
    case 'ready':
    case 'compensating':
    case 'new':
    case 'reserved':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'superseded':
    case 'compensated':
    case 'compensation_failed':
  }
}

/** Half an edit is completed; until it is, it stays due. */
async function attendEdited(parts: Parts, action: Action): Promise<void> {
  if (action.edited === undefined) return;
  parts.due.set(action.id, parts.clock.nowMs() + blockedLookMs);
  await completeEdit(parts, action);
  if (parts.recovering() === undefined) parts.due.set(action.id, undefined);
}

/** @returns whether its time is over: nothing more is to be done with it here */
async function expireIfDue(parts: Parts, action: Action): Promise<boolean> {
  const end =
    action.status === 'awaiting_approval'
      ? Math.min(action.approval?.expiresAt ?? Infinity, action.validUntil)
      : action.validUntil;
  if (parts.clock.nowMs() < end) {
    const next = nextLookAt(action, toolOf(parts, action)?.rules, parts.duties);
    // What is due now is being looked at: it is not woken again while reads for it are under way.
    const soon = parts.clock.nowMs() + blockedLookMs;
    parts.due.set(action.id, next === undefined ? undefined : Math.max(next, soon));
    return false;
  }
  if (!parts.duties.has('reconcile')) return true;
  await parts.actions.perform(action.id, () => ({ type: 'Expire' }));
  return true;
}

async function attendPlanned(parts: Parts, action: Action, taking?: Hand): Promise<void> {
  if ((await expireIfDue(parts, action)) || !parts.duties.has('send')) return;
  if (action.after !== undefined && (await waitsForUndoer(parts, action, action.after))) return;
  const tool = toolOf(parts, action);
  if (tool === undefined) return;
  const readyInMs = parts.judge.readyInMs(action);
  if (readyInMs > 0) {
    parts.due.set(action.id, parts.clock.nowMs() + readyInMs);
    return;
  }
  if (isBlocked(parts, action)) return;
  if (isSecretLost(parts, tool, action)) {
    // Who has proposed it may be about to send it.
    if (parts.crew.isShared()) return;
    const reason = 'its secret arguments were lost with their process: propose again';
    await parts.actions.perform(action.id, () => ({
      type: 'Cancel',
      by: 'ledger',
      person: false,
      reason,
    }));
    return;
  }
  if (await isHeldByEarlierEpoch(parts, action)) return;
  await (taking ?? handFor(parts, tool)).send(tool, action);
}

/** Where it is, it stays due. */
function isBlocked(parts: Parts, action: Action): boolean {
  const { id, tenant, tool, guarantee } = action;
  const isBound = guarantee !== 'observed';
  if (isBound && parts.heldByPause.hold(action)) return true;
  const isHeld =
    parts.isClosing() ||
    (isBound && parts.whyPaused(tenant, tool) !== undefined) ||
    parts.recovering() !== undefined;
  if (isHeld) parts.due.set(id, parts.clock.nowMs() + blockedLookMs);
  return isHeld;
}

/** Why a claim ended that nobody gave back. */
export const claimGone = { lease: 'its lease ended', process: 'its process ended' } as const;

/** The lease has ended, or its process has: reconcile; never send. */
async function attendClaim(parts: Parts, action: Action): Promise<void> {
  const { claim } = action;
  if (claim === undefined || parts.runs.get(action.id)?.claim === claim.revision) {
    parts.due.set(action.id, parts.clock.nowMs() + blockedLookMs);
    return;
  }
  const isOrphan = claim.caller !== true && parts.crew.isGone(claim.worker);
  if (!isOrphan && isLive(parts, action.id, claim)) return;
  const reason = isOrphan ? claimGone.process : claimGone.lease;
  const rules = toolOf(parts, action)?.rules ?? manualRules(action.tool);
  const performed = await parts.actions.perform(action.id, (current) => {
    if (current.claim?.revision !== claim.revision) return undefined;
    // Its holder may have been told since that it is extended.
    if (!isOrphan && isLive(parts, action.id, current.claim)) return undefined;
    return current.status === 'dispatched'
      ? { type: 'LoseAttempt', reason, rules, ...joinedBy(parts, action) }
      : { type: 'EndClaim', claim: claim.revision, reason, rules };
  });
  // A success that was reported while the attempt ran.
  if (performed.kind === 'done' && performed.action.status === 'succeeded')
    await afterSuccess(parts, performed.before, performed.action);
}

/** Where it is, its end is the next look. */
function isLive(
  { clock, due }: Parts,
  actionId: string,
  { leaseUntil }: NonNullable<Action['claim']>,
): boolean {
  if (clock.nowMs() >= leaseUntil) return false;
  due.set(actionId, leaseUntil);
  return true;
}
