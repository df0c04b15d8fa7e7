// Waits until there is something to say about an action: it is settled, or nothing will happen within
// the time that the caller gives.
import { type Action, isOpen } from '@action-ledger/domain';
import { type Parts } from '../core/parts.ts';

/** @returns the action as it then is, or undefined where its stream is broken */
export async function awaitRest(
  parts: Parts,
  actionId: string,
  waitMs: number,
  signal?: AbortSignal,
): Promise<Action | undefined> {
  const until = parts.clock.monoMs() + waitMs;
  // Whoever waits for nothing gets what was met or created just now.
  const isFresh = !parts.crew.isShared() || waitMs <= 0;
  for (;;) {
    // From the look at the state to the start of the wait nothing may be awaited: an append in
    // between would wake nobody.
    const held = isFresh ? parts.actions.peek(actionId) : undefined;
    const left = until - parts.clock.monoMs();
    if (held === undefined) {
      const loaded = await parts.actions.load(actionId);
      if (loaded.kind === 'broken') return undefined;
      if (isOver(parts, loaded.action, left, signal)) return loaded.action;
      if (hasMovedSince(parts, loaded.action)) continue;
      await parts.waiters.wait(actionId, Math.min(left, unheldLookMs), signal);
    } else {
      if (isOver(parts, held, left, signal)) return held;
      await parts.waiters.wait(actionId, left, signal);
    }
  }
}

/** What is kept by now is newer, or will tell when it moves. */
function hasMovedSince({ actions, crew }: Parts, { id, revision }: Action): boolean {
  const held = actions.peek(id);
  return held !== undefined && (!crew.isShared() || held.revision > revision);
}

/** A state that is not kept can move unseen, and so can one that others move; it is looked at so often. */
const unheldLookMs = 1_000;

function isOver(parts: Parts, action: Action, left: number, signal?: AbortSignal): boolean {
  if (left <= 0 || signal?.aborted === true || parts.beingRecorded.has(action.id)) return true;
  return isAtRest(parts, action, left);
}

/** Nothing is expected to happen to it within `leftMs`. */
function isAtRest(parts: Parts, action: Action, leftMs: number): boolean {
  if (!isOpen(action)) return true;
  const by = parts.clock.nowMs() + leftMs;
  switch (action.status) {
    case 'awaiting_approval':
      return true;
    case 'planned':
      return action.after !== undefined || action.readyAt > by;
    case 'ready':
      return action.readyAt > by;
    case 'unknown':
      // An attempt of this process that lost its claim may still bring the answer.
      if (parts.runs.has(action.id)) return false;
      return (
        action.watch === undefined ||
        action.watch.owner === 'operator' ||
        action.watch.nextCheckAt > by
      );
    case 'claimed':
    case 'dispatched':
      return false;
    case 'compensating':
    case 'new':
    case 'reserved':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'compensated':
    case 'compensation_failed':
      return true;
  }
}
