// What is to be sent and waits for the end of a pause. It is woken when that ends, whoever has ended it, and looked
// at now and then meanwhile, should that be missed.
import { type Action } from '@action-ledger/domain';
import { type DueIndex } from '../attend/due-index.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';
import { type Pauses } from './pauses.ts';

export interface HeldByPause {
  /** @returns whether it is paused on record: then it is due again when that ends, or it expires */
  hold(action: Action): boolean;
  /** It waits for nothing any more. */
  forget(actionId: string): void;
}

const pausedLookMs = 60_000;

interface HeldByPauseDeps {
  readonly pauses: Pick<Pauses, 'why' | 'onChanged'>;
  readonly clock: Pick<LedgerClock, 'nowMs'>;
  readonly due: Pick<DueIndex, 'set'>;
}

export function createHeldByPause({ pauses, clock, due }: HeldByPauseDeps): HeldByPause {
  const held = new Map<string, Pick<Action, 'tenant' | 'tool'>>();
  const isPaused = ({ tenant, tool }: Pick<Action, 'tenant' | 'tool'>): boolean =>
    pauses.why(tenant, tool) !== undefined;
  pauses.onChanged(() => {
    for (const [actionId, action] of held) {
      if (isPaused(action)) continue;
      held.delete(actionId);
      due.set(actionId, clock.nowMs());
    }
  });
  return {
    hold: (action) => {
      const { id, tenant, tool, status, validUntil } = action;
      if (!isPaused(action)) {
        held.delete(id);
        return false;
      }
      held.set(id, { tenant, tool });
      const end = status === 'unknown' ? Infinity : validUntil;
      due.set(id, Math.min(clock.nowMs() + pausedLookMs, end));
      return true;
    },
    forget: (actionId) => void held.delete(actionId),
  };
}
