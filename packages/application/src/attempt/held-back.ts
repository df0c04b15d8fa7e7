// What an action waits for before it is sent: an undo under way, and what earlier epochs may still do.
import { type Action, actionIdOf, isEnded, keyHashOf, mayBeOvertaken } from '@action-ledger/domain';
import { cancelFor } from './cancel-for.ts';
import { type Parts } from '../core/parts.ts';
import { blockBy, blockedLookMs } from './send.ts';
import { completeUndo } from './undo.ts';

/** Planned behind an undo under way: it goes on when that succeeded, and is not needed otherwise. */
export async function waitsForUndoer(
  parts: Parts,
  action: Action,
  undoerId: string,
): Promise<boolean> {
  const undoer = await parts.actions.load(undoerId);
  if (undoer.kind === 'broken') return true;
  switch (undoer.action.status) {
    case 'succeeded':
      // Without its mark the epoch before would seem to stand.
      await completeUndo(parts, undoer.action);
      return false;
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return false;
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded': {
      const before = await parts.actions.load(actionIdOf(keyHashOf(action.id), action.epoch - 1));
      if (before.kind === 'action') await cancelFor(parts, action.id, before.action);
      return true;
    }
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
      blockBy(parts, undoerId, action.id);
      return true;
  }
}

/**
 * Earlier epochs decide first: a late success makes this one needless; for an absolute write no
 * earlier request may still be under way, and whatever of it is in doubt is superseded for good.
 */
export async function isHeldByEarlierEpoch(parts: Parts, action: Action): Promise<boolean> {
  if (action.epoch === 0 || action.guarantee === 'observed') return false;
  for (let epoch = action.epoch - 1; epoch >= 0; epoch -= 1) {
    const earlier = await parts.actions.load(actionIdOf(keyHashOf(action.id), epoch));
    if (earlier.kind === 'broken') {
      parts.due.set(action.id, parts.clock.nowMs() + blockedLookMs);
      return true;
    }
    if (action.guarantee === 'natural') {
      if (await isHeldByOlderValue(parts, action, earlier.action)) return true;
    } else if (action.repeatOf !== undefined || !isEnded(earlier.action)) {
      return stopsFor(parts, action, earlier.action);
    }
  }
  return false;
}

/** The nearest earlier epoch that has not ended without effect: if it stands, this one is not needed. */
async function stopsFor(parts: Parts, action: Action, earlier: Action): Promise<boolean> {
  const stands = earlier.status === 'succeeded' && earlier.undoneBy === undefined;
  if (action.repeatOf !== undefined || !stands) return false;
  await cancelFor(parts, action.id, earlier);
  return true;
}

async function isHeldByOlderValue(parts: Parts, action: Action, older: Action): Promise<boolean> {
  const watched = parts.judge.watched(older);
  if (!mayBeOvertaken(older, watched.doubtMs)) {
    blockBy(parts, older.id, action.id);
    const left =
      Math.max(...older.attempts.map(({ inFlightMs }) => inFlightMs), 0) - watched.doubtMs;
    if (older.status === 'unknown')
      parts.due.set(action.id, parts.clock.nowMs() + Math.max(1, Math.ceil(left)));
    return true;
  }
  const isLeftOver =
    older.status === 'unknown' ||
    older.status === 'ready' ||
    older.status === 'planned' ||
    older.status === 'awaiting_approval';
  if (!isLeftOver) return false;
  const performed = await parts.actions.perform(older.id, ({ status }) =>
    status === older.status ? { type: 'Supersede', by: action.id } : undefined,
  );
  if (performed.kind === 'done' && performed.events.length > 0) return false;
  blockBy(parts, older.id, action.id);
  return true;
}
