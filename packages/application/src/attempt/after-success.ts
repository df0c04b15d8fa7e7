// What a success brings about beyond its own stream: who joined it and what it
// undid is marked, and an epoch that was
// opened because this one had ended without effect is stopped, or the second effect is reported.
import { type Action, actionIdOf, epochOf, isEnded, keyHashOf } from '@action-ledger/domain';
import { cancelFor } from './cancel-for.ts';
import { epochsMax } from '../propose/chain-of-epochs.ts';
import { recordJoins } from '../propose/join.ts';
import { type Parts } from '../core/parts.ts';
import { completeUndo } from './undo.ts';

export async function afterSuccess(parts: Parts, before: Action, action: Action): Promise<void> {
  await recordJoins(parts, action);
  if (action.undoes.length > 0) await completeUndo(parts, action);
  if (isEnded(before) || before.status === 'superseded') await stopLaterEpochs(parts, action);
}

/** The late success is appended; now every later epoch is read from the store itself. */
async function stopLaterEpochs(parts: Parts, action: Action): Promise<void> {
  const keyHash = keyHashOf(action.id);
  for (let epoch = epochOf(action.id) + 1; epoch < epochsMax; epoch += 1) {
    const later = actionIdOf(keyHash, epoch);
    const loaded = await parts.actions.load(later, { fresh: true });
    if (loaded.kind === 'broken') continue;
    if (loaded.action.status === 'new' || isNewerValue(action, loaded.action)) return;
    if (loaded.action.attempts.length === 0) await cancelFor(parts, later, action);
    const stopped = await parts.actions.load(later, { fresh: true });
    if (stopped.kind === 'action' && mayHaveActed(stopped.action)) {
      if (action.guarantee === 'natural') return;
      await reportSecondEffect(parts, action, stopped.action);
    }
  }
}

/** Of an absolute write: it stands, whatever becomes known of an older one. */
function isNewerValue({ guarantee, argumentsHash }: Action, later: Action): boolean {
  return guarantee === 'natural' && later.argumentsHash !== argumentsHash;
}

/** Something of it was sent that is not proven to be without effect. */
function mayHaveActed({ attempts }: Action): boolean {
  return attempts.some(({ state }) => state !== 'no effect');
}

async function reportSecondEffect(parts: Parts, action: Action, later: Action): Promise<void> {
  const ids = [action.outcome?.externalId, later.outcome?.externalId];
  await parts.actions.perform(action.id, () => ({
    type: 'DetectDuplicate',
    externalIds: ids.filter((id) => id !== undefined),
    other: later.id,
    proposal:
      'This action succeeded late, after a later epoch had been dispatched: undo one of the two.',
  }));
}
