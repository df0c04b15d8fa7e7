// What a success brings about beyond its own stream: what it undid is marked, and an epoch that was
// opened because this one had ended without effect is stopped, or the second effect is reported.
import { type Action, actionIdOf, epochOf, isEnded, keyHashOf } from '@action-ledger/domain';
import { cancelFor } from './cancel-for.ts';
import { type Parts } from './parts.ts';
import { completeUndo } from './undo.ts';

export async function afterSuccess(parts: Parts, before: Action, action: Action): Promise<void> {
  if (action.undoes.length > 0) await completeUndo(parts, action);
  if (isEnded(before) || before.status === 'superseded') await stopNextEpoch(parts, action);
}

/** The late success is appended; now the next epoch is read from the store itself. */
async function stopNextEpoch(parts: Parts, action: Action): Promise<void> {
  const next = actionIdOf(keyHashOf(action.id), epochOf(action.id) + 1);
  const loaded = await parts.actions.load(next, { fresh: true });
  if (loaded.kind === 'broken' || loaded.action.status === 'new') return;
  if (loaded.action.attempts.length === 0) {
    await cancelFor(parts, next, action);
    const again = await parts.actions.load(next, { fresh: true });
    if (again.kind === 'action' && again.action.attempts.length === 0) return;
  }
  const ids = [action.outcome?.externalId, loaded.action.outcome?.externalId].filter(
    (id) => id !== undefined,
  );
  await parts.actions.perform(action.id, () => ({
    type: 'DetectDuplicate',
    externalIds: ids,
    other: next,
    proposal:
      'This action succeeded late, after the next epoch had been dispatched: undo one of the two.',
  }));
}
