// Sends an action that is due: claim, ask policy and approval again, dispatch, run. Each step is an
// append; whoever loses one of them stops there.
import { type Action, downstreamKeyOf } from '@action-ledger/domain';
import { formatDownstreamKey, needsApproval, type Tool } from '@action-ledger/tools';
import { runAttempt } from './attempt.ts';
import { type Parts } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { undoneByThis } from './undo.ts';

/** How soon something blocked by another action is looked at again, if nothing wakes it. */
export const blockedLookMs = 1_000;

/** Whoever waits for room is woken when there is some. It looks by itself so late, should that be missed. */
const roomLookMs = 60_000;

/** Where there is room: claim, ask policy and approval again, dispatch. Resolves when the attempt runs. */
export async function send(parts: Parts, tool: Tool, action: Action): Promise<void> {
  const { id: actionId, tenant, arguments: args } = action;
  const now = parts.clock.nowMs();
  const end = action.status === 'unknown' ? Infinity : action.validUntil;
  parts.due.set(actionId, Math.min(now + roomLookMs, end));
  const slot = parts.slots.take({ actionId, tenant, tool, arguments: args, isNew: false });
  if (slot === 'full') return;
  parts.due.set(actionId, now + blockedLookMs);
  let isSent = false;
  try {
    isSent = await sendNow(parts, tool, action);
  } finally {
    // The attempt gives its slot back when it ends.
    if (slot === 'taken' && !isSent) parts.slots.release(actionId);
  }
}

/** @returns whether an attempt runs now: it is not waited for */
async function sendNow(parts: Parts, tool: Tool, action: Action): Promise<boolean> {
  const sent = await claimAndDispatch(parts, tool, action, { worker: parts.worker });
  if (sent === undefined) return false;
  // What is in doubt is sent again to settle it.
  const duty = action.status === 'unknown' ? 'reconcile' : 'send';
  void runAttempt(parts, tool, sent.action, sent.startedMono, duty);
  return true;
}

/** Who is to send: this process, or a caller. */
export interface Claimant {
  readonly worker: string;
  readonly caller?: true;
}

export interface Dispatched {
  readonly action: Action;
  /** Monotonic ms, before the dispatch was appended. */
  readonly startedMono: number;
}

/** Each step is an append. @returns undefined where one of them was lost, or is not allowed */
export async function claimAndDispatch(
  parts: Parts,
  tool: Tool,
  action: Action,
  claimant: Claimant,
): Promise<Dispatched | undefined> {
  const claimed = await parts.actions.perform(action.id, (current) =>
    current.revision === action.revision
      ? {
          type: 'Claim',
          ...claimant,
          rules: tool.rules,
          watched: parts.judge.watched(current),
          clockBehind: parts.clock.isBehind(),
        }
      : undefined,
  );
  if (claimed.kind !== 'done' || claimed.events.length === 0) return undefined;
  const claim = claimed.action.claim;
  if (claim?.worker !== claimant.worker) return undefined;
  await parts.passed('claimed', action.id);
  if (!(await isStillAllowed(parts, tool, claimed.action, claim.revision))) return undefined;
  const startedMono = parts.clock.monoMs();
  const undoes = undoneByThis(parts, tool, action.tenant, action.arguments);
  const downstreamKey = action.downstreamKey ?? downstreamKeyFor(parts, tool, action.id);
  const dispatched = await parts.actions.perform(action.id, () => ({
    type: 'Dispatch',
    claim: claim.revision,
    downstreamKey,
    rules: tool.rules,
    ...(undoes.length === 0 ? {} : { undoes }),
  }));
  if (dispatched.kind === 'done' && dispatched.action.claim?.revision === claim.revision)
    return { action: dispatched.action, startedMono };
  if (dispatched.kind === 'refusal')
    await giveBack(parts, tool, action.id, claim.revision, dispatched.message);
  return undefined;
}

export function downstreamKeyFor(
  parts: Pick<Parts, 'sha256'>,
  tool: Tool,
  actionId: string,
): string {
  return formatDownstreamKey(tool.downstreamKeyFormat, downstreamKeyOf(parts.sha256, actionId));
}

async function isStillAllowed(
  parts: Parts,
  tool: Tool,
  action: Action,
  claim: number,
): Promise<boolean> {
  const policy = policyFor(tool, action.tenant, action.arguments);
  const approval = tool.approval;
  const asks = approval !== undefined && needsApproval(tool, action.arguments);
  const rechecked = await parts.actions.perform(
    action.id,
    () => ({
      type: 'Recheck',
      claim,
      policy,
      rules: tool.rules,
      ...(asks ? { approval: approval.rules } : {}),
    }),
    // By the dispatch.
    { isProvenNext: true },
  );
  if (rechecked.kind !== 'done') return false;
  return rechecked.action.status === 'claimed' && rechecked.action.claim?.revision === claim;
}

async function giveBack(
  parts: Parts,
  tool: Tool,
  actionId: string,
  claim: number,
  reason: string,
): Promise<void> {
  await parts.actions.perform(actionId, (action) =>
    action.status === 'claimed' && action.claim?.revision === claim
      ? { type: 'EndClaim', claim, reason, rules: tool.rules }
      : undefined,
  );
}

export function blockBy(parts: Parts, blocker: string, actionId: string): void {
  const waiting = parts.dependents.get(blocker) ?? new Set<string>();
  waiting.add(actionId);
  parts.dependents.set(blocker, waiting);
  parts.due.set(actionId, parts.clock.nowMs() + blockedLookMs);
}
