// The claim: a lease on an action, whose event's revision is the fencing token. Only its holder
// dispatches and records; its end may start a reconciliation, never a dispatch.
import { type CommandOf } from './command.ts';
import { accept, type Decision, refuse, wrongStatus } from './decision.ts';
import { type Instant } from './decide.ts';
import { type ActionEvent, type EventData } from './event.ts';
import { approvalRequested } from './plan.ts';
import { type Action, isInDoubt } from './state.ts';
import { resendHindrance, watchByOperator, watchDoubt } from './waits.ts';

export function claim(action: Action, command: CommandOf<'Claim'>, now: Instant): Decision {
  const leaseUntil = now.wallMs + command.rules.leaseMs;
  const claimed: ActionEvent = {
    type: 'ActionClaimed',
    data: { worker: command.worker, leaseUntil },
  };
  switch (action.status) {
    case 'planned':
    case 'ready':
      if (now.wallMs >= action.validUntil)
        return refuse('action.expired', 'The proposal is too old to be sent.', action);
      if (now.wallMs < action.readyAt)
        return refuse('action.not-due', 'The action is not due yet.', action, {
          readyAt: action.readyAt,
        });
      return accept(claimed);
    case 'unknown': {
      const hindrance = resendHindrance(
        action,
        command.rules,
        now.wallMs,
        command.watched,
        command.clockBehind,
      );
      if (hindrance === undefined) return accept(claimed);
      const code = hindrance === 'in flight' ? 'action.too-early' : 'action.in-doubt';
      return refuse(
        code,
        `The outcome is in doubt and must not be sent again (${hindrance}).`,
        action,
        { hindrance },
      );
    }
    case 'new':
    case 'reserved':
    case 'awaiting_approval':
    case 'claimed':
    case 'dispatched':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return wrongStatus(action, 'claim');
  }
}

export function holdsClaim(action: Action, claimRevision: number): boolean {
  return action.claim?.revision === claimRevision;
}

export function claimLost(action: Action): Decision {
  return refuse(
    'action.claim-lost',
    'The claim has ended or passed to another; what you report is evidence.',
    action,
  );
}

export function extendClaim(
  action: Action,
  command: CommandOf<'ExtendClaim'>,
  now: Instant,
): Decision {
  if (!holdsClaim(action, command.claim)) return claimLost(action);
  const data = { claim: command.claim, leaseUntil: now.wallMs + command.leaseMs };
  return accept({ type: 'ClaimExtended', data });
}

export function endClaim(action: Action, command: CommandOf<'EndClaim'>, now: Instant): Decision {
  if (!holdsClaim(action, command.claim)) return claimLost(action);
  if (action.status !== 'claimed') return wrongStatus(action, 'end the claim');
  return accept(claimEnded(action, command, now));
}

function claimEnded(
  action: Action,
  command: CommandOf<'EndClaim'> | CommandOf<'Recheck'>,
  now: Instant,
  toOperator = false,
): ActionEvent {
  const reason =
    command.type === 'EndClaim' ? command.reason : 'policy or approval no longer allow it';
  const base: EventData['ClaimEnded'] = { claim: command.claim, reason };
  if (!isInDoubt(action)) return { type: 'ClaimEnded', data: base };
  const { rules } = command;
  const watch = toOperator
    ? watchByOperator(rules, now.wallMs)
    : watchDoubt(action, rules, now.wallMs, {
        answered: false,
        backoffMs: rules.retry.backoffMinMs,
      });
  return { type: 'ClaimEnded', data: { ...base, ...watch } };
}

/** Policy and approval again, just before dispatch. No events where nothing stands in the way. */
export function recheck(action: Action, command: CommandOf<'Recheck'>, now: Instant): Decision {
  if (!holdsClaim(action, command.claim)) return claimLost(action);
  const { policy, approval, rules } = command;
  if (policy.effect === 'deny') {
    const ended = claimEnded(action, command, now, true);
    if (isInDoubt(action)) return accept(ended);
    const data = { policyVersion: policy.version, reason: policy.reason ?? 'denied by policy' };
    return accept(ended, { type: 'ActionDenied', data });
  }
  const asks = approval !== undefined || policy.effect === 'ask';
  if (!asks || isApprovedUnder(action, policy.version, approval?.votes ?? 1)) return accept();
  const ended = claimEnded(action, command, now, true);
  if (isInDoubt(action)) return accept(ended);
  const voting = approval ?? { votes: 1, ownVote: false, expiresAfterMs: 24 * 3_600_000 };
  return accept(ended, approvalRequested(action.argumentsHash, voting, rules, policy, now));
}

function isApprovedUnder(action: Action, policyVersion: string, votes: number): boolean {
  const { approval } = action;
  return (
    approval?.decided?.as === 'approved' &&
    approval.policyVersion === policyVersion &&
    approval.votesNeeded >= votes
  );
}

export function dispatch(action: Action, command: CommandOf<'Dispatch'>, now: Instant): Decision {
  const { claim: held } = action;
  if (held?.revision !== command.claim) return claimLost(action);
  if (action.status !== 'claimed') return wrongStatus(action, 'dispatch');
  if (now.wallMs >= held.leaseUntil)
    return refuse('action.claim-lost', 'The lease has ended: nothing may be sent.', action);
  if (now.wallMs >= action.validUntil)
    return refuse('action.expired', 'The proposal is too old to be sent.', action);
  const { downstreamKey, rules, undoes } = command;
  const data: EventData['ActionDispatched'] = {
    attempt: action.attempts.length + 1,
    downstreamKey,
    deadlineAt: now.wallMs + rules.timeoutMs,
    inFlightMs: rules.inFlightMs,
  };
  return accept({
    type: 'ActionDispatched',
    data: undoes === undefined ? data : { ...data, undoes },
  });
}
