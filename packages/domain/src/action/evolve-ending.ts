// Endings without effect, and what every ending closes: the claim, the watch and an open vote.
import { type ActionEvent, type EventData, type Watch } from './event.ts';
import { type Action, type ActionStatus, type Ending } from './state.ts';

type EndingEvent = Extract<
  ActionEvent,
  { type: 'ActionDenied' | 'ActionExpired' | 'ActionRejected' | 'ActionCancelled' }
>;

export function ending(action: Action, event: EndingEvent, at: number): Action {
  switch (event.type) {
    case 'ActionDenied': {
      const { reason, policyVersion } = event.data;
      return ended(action, 'denied', { at, reason, stands: true, policyVersion });
    }
    case 'ActionExpired': {
      const { reason } = event.data;
      return ended(action, 'expired', { at, reason, stands: false }, 'expired');
    }
    case 'ActionRejected': {
      const { reason = 'rejected', by } = event.data;
      return ended(action, 'rejected', { at, reason, by, stands: true }, 'rejected');
    }
    case 'ActionCancelled':
      return cancelled(action, event.data, at);
  }
}

function cancelled(action: Action, data: EventData['ActionCancelled'], at: number): Action {
  const { by, person, reason, supersededBy, edited } = data;
  const stands = person && supersededBy === undefined;
  const done = ended(action, 'cancelled', { at, reason, by, stands });
  if (supersededBy === undefined) return done;
  return edited === undefined ? { ...done, supersededBy } : { ...done, supersededBy, edited };
}

export function ended(
  action: Action,
  status: ActionStatus,
  how: Ending,
  decided?: 'rejected' | 'expired',
): Action {
  const { claim: _claim, watch: _watch, unknownSince: _since, ...rest } = action;
  return { ...closeApproval(rest, decided ?? 'ended', how.at), status, ending: how };
}

export function closeApproval(
  action: Action,
  as: 'rejected' | 'expired' | 'ended',
  at: number,
): Action {
  if (action.approval === undefined || action.approval.decided !== undefined) return action;
  return { ...action, approval: { ...action.approval, decided: { as, at } } };
}

export function watchOf({ owner, nextCheckAt }: Watch): Watch {
  return { owner, nextCheckAt };
}
