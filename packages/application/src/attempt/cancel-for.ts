// An epoch that is not needed after all, because the one before it had its effect: it ends, and its
// callers get that outcome.
import { type Action } from '@action-ledger/domain';
import { type Parts } from '../core/parts.ts';

export async function cancelFor(parts: Parts, actionId: string, instead: Action): Promise<void> {
  await parts.actions.perform(actionId, ({ status }) =>
    status === 'ready' || status === 'planned' || status === 'awaiting_approval'
      ? {
          type: 'Cancel',
          by: 'ledger',
          person: false,
          reason: 'the epoch before succeeded after all',
          supersededBy: instead.id,
        }
      : undefined,
  );
}
