// What a core does first when it takes up a duty: whatever may have been left behind by those who had it
// before. With the first one it makes sure of what it will act on.
import { actionOfStream } from '@action-ledger/domain';
import { type StoreTail } from '../record/read-tail.ts';
import { type Duty } from './duties.ts';
import { type Parts } from './parts.ts';
import { sideBySide } from './side-by-side.ts';
import { presumeOpen } from '../attend/presumed.ts';
import { completeUndo } from '../attempt/undo.ts';
import { type CompensatorDeps } from '../workflow/compensator-deps.ts';
import { recoverWorkflows } from '../workflow/recover-workflows.ts';

/** Before anything is acted on. */
export async function prepareDuties(parts: Parts, tail: StoreTail): Promise<void> {
  await presumeOpen(parts, parts.index.openActions());
  await sideBySide(actionsIn(tail), async ([actionId, revision]) => {
    const loaded = await parts.actions.load(actionId);
    if (loaded.kind === 'action' && loaded.action.revision < revision)
      await parts.quarantine.open(actionId, `revision ${revision} is not found by its name`);
  });
}

/** Everything open is looked at; half-told undos and edits are completed; workflows go on. */
export async function takeUpDuty(
  deps: CompensatorDeps,
  tail: StoreTail,
  duty: Duty,
): Promise<void> {
  const { parts } = deps;
  if (duty === 'compensate') {
    await recoverWorkflows(deps, tail.ends.keys());
    return;
  }
  if (duty === 'reconcile') await completeHalves(parts, tail);
  for (const actionId of inOwnOrder(parts, parts.index.openActions()))
    parts.due.set(actionId, parts.clock.nowMs());
}

/**
 * Of several that begin together each meets what no other has begun: in one order, wherever it begins, the one
 * behind comes up to the one before it, passes over what it has heard of, and meets it again and again.
 */
function inOwnOrder({ crew, runtime }: Parts, open: readonly string[]): readonly string[] {
  if (!crew.isShared()) return open;
  return open
    .map((actionId) => ({ actionId, at: runtime.randomness.next() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ actionId }) => actionId);
}

async function completeHalves(parts: Parts, tail: StoreTail): Promise<void> {
  await sideBySide(actionsIn(tail), async ([actionId]) => {
    const loaded = await parts.actions.load(actionId);
    if (loaded.kind === 'broken') return;
    if (loaded.action.undoes.length > 0) await completeUndo(parts, loaded.action);
    if (loaded.action.edited !== undefined) parts.due.set(actionId, parts.clock.nowMs());
  });
}

function actionsIn({ ends }: StoreTail): readonly (readonly [string, number])[] {
  return [...ends].flatMap(([stream, revision]) => {
    const actionId = actionOfStream(stream);
    return actionId === undefined ? [] : [[actionId, revision] as const];
  });
}
