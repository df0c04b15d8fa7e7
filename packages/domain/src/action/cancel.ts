// Ending an action before it acts: cancel (a wish that is kept while the outcome is in doubt) and age.
import { type CommandOf } from './command.ts';
import {
  accept,
  type ActionRefusalCode,
  type Decision,
  type Instant,
  refuse,
  wrongStatus,
} from './decision.ts';
import { type ActionEvent } from './event.ts';
import { type Refusal } from '../refusal.ts';
import { type Action, isInDoubt } from './state.ts';

export function cancel(action: Action, command: CommandOf<'Cancel'>): Decision {
  const { by, person, reason, revisionSeen, supersededBy, edited } = command;
  if (revisionSeen !== undefined && revisionSeen !== action.revision)
    return staleRevision(action, revisionSeen);
  switch (action.status) {
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
      if (isInDoubt(action)) return requestCancel(action, command);
      return accept({
        type: 'ActionCancelled',
        data: {
          by,
          person,
          reason,
          ...(supersededBy === undefined ? {} : { supersededBy }),
          ...(edited === undefined ? {} : { edited }),
        },
      });
    case 'dispatched':
    case 'unknown':
      return requestCancel(action, command);
    case 'cancelled':
      // Another edit came first: its action exists, and a second one must not.
      if (supersededBy !== undefined && supersededBy !== action.supersededBy)
        return wrongStatus(action, 'replace it');
      return accept();
    case 'new':
    case 'reserved':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'superseded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return wrongStatus(action, 'cancel');
  }
}

/** Kept until the doubt is settled. A person's wish counts for more than the system's: it stands. */
function requestCancel(action: Action, command: CommandOf<'Cancel'>): Decision {
  const { by, person, reason, supersededBy } = command;
  if (supersededBy !== undefined)
    return refuse('action.in-doubt', 'It may have been done: it cannot be replaced.', action);
  const { cancelRequested } = action;
  if (cancelRequested !== undefined && (cancelRequested.person || !person)) return accept();
  return accept({ type: 'CancelRequested', data: { by, person, reason } });
}

/** The author of a command has seen another state than it would change. */
export function staleRevision(action: Action, seen: number): Refusal<ActionRefusalCode> {
  return refuse(
    'action.stale-revision',
    `You saw revision ${seen}; the action has moved on: it is ${action.status} at revision ${action.revision}.`,
    action,
    { seen },
  );
}

/** Planned, waiting or retrying, and too old (or nobody voted in time): nothing was done. */
export function expire(action: Action, now: Instant): Decision {
  switch (action.status) {
    case 'awaiting_approval':
      if (action.approval !== undefined && now.wallMs >= action.approval.expiresAt) {
        return accept({
          type: 'ActionExpired',
          data: { reason: 'nobody decided before the end of the vote' },
        });
      }
      return tooOld(action, now);
    case 'planned':
    case 'ready':
      return tooOld(action, now);
    case 'expired':
      return accept();
    case 'new':
    case 'reserved':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'cancelled':
    case 'superseded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return wrongStatus(action, 'expire');
  }
}

function tooOld(action: Action, now: Instant): Decision {
  if (now.wallMs < action.validUntil) {
    return refuse('action.not-due', 'The action is still valid.', action, {
      validUntil: action.validUntil,
    });
  }
  return accept(expiredByAge);
}

export const expiredByAge: ActionEvent = {
  type: 'ActionExpired',
  data: { reason: 'the proposal was valid until then' },
};
