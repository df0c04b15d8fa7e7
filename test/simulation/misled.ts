// Actions whose lookup has named the effect of another, while no record had that effect: the external id was
// all that the ledger could know it by. That an id which another action has proves nothing stays judged.
import { type Action, type ActionEvent } from '@action-ledger/domain';
import { type SandboxProvider } from '@action-ledger/sandbox';

export interface Misled {
  readonly ids: ReadonlySet<string>;
  readonly onMoved: (action: Action, event: ActionEvent) => void;
}

/** With a verdict; or with one that came when the action had ended, and is evidence. */
const settling: ReadonlySet<ActionEvent['type']> = new Set(['ActionReconciled', 'ActionSucceeded']);

export function createMisled(
  provider: () => SandboxProvider,
  actions: () => ReadonlyMap<string, Action>,
): Misled {
  const ids = new Set<string>();
  return {
    ids,
    onMoved: ({ id, downstreamKey, outcome }, event) => {
      const externalId = outcome?.externalId;
      if (!settling.has(event.type) || externalId === undefined) return;
      const effect = provider()
        .effects()
        .find((each) => each.id === externalId);
      if (effect === undefined || effect.key === downstreamKey) return;
      const isOnRecord = [...actions().values()].some(
        (other) => other.id !== id && other.outcome?.externalId === externalId,
      );
      if (!isOnRecord) ids.add(id);
    },
  };
}
