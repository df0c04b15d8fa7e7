// Approval: votes are events, bound to the arguments hash that the voter saw. The vote that completes
// the number, or the first rejection, carries the decision; whoever comes later learns who and when.
import { staleRevision } from './cancel.ts';
import { type CommandOf } from './command.ts';
import { accept, type Decision, type Instant, refuse, wrongStatus } from './decision.ts';
import { type ActionEvent } from './event.ts';
import { type Action, type Approval } from './state.ts';

export function vote(action: Action, command: CommandOf<'Vote'>, now: Instant): Decision {
  const { approval } = action;
  if (approval === undefined) return wrongStatus(action, 'vote');
  if (action.status !== 'awaiting_approval') return decided(action, approval);
  const expiresAt = Math.min(approval.expiresAt, action.validUntil);
  if (now.wallMs >= expiresAt) {
    const reason = 'nobody decided before the end of the vote';
    const refused = refuse('action.expired', 'The time to vote is over.', action, { expiresAt });
    return { kind: 'accepted', events: [{ type: 'ActionExpired', data: { reason } }], refused };
  }
  return castVote(action, approval, command, now);
}

function castVote(
  action: Action,
  approval: Approval,
  command: CommandOf<'Vote'>,
  now: Instant,
): Decision {
  const { voter } = command;
  if (command.argumentsHash !== approval.argumentsHash) {
    return refuse(
      'action.approval-other-arguments',
      'The vote is for other arguments than these.',
      action,
    );
  }
  if (!approval.ownVote && voter === action.by) {
    return refuse(
      'action.approval-own-vote',
      'Nobody votes on an action proposed in their own name.',
      action,
    );
  }
  const before = approval.votes.find((each) => each.voter === voter);
  if (before !== undefined) {
    if (before.vote === command.vote) return accept();
    return refuse('action.approval-voted', `${voter} has voted to ${before.vote} already.`, action);
  }
  const { revisionSeen } = command;
  if (revisionSeen !== undefined && revisionSeen !== action.revision)
    return staleRevision(action, revisionSeen);
  const reason = command.reason === undefined ? {} : { reason: command.reason };
  const voted: ActionEvent = {
    type: 'ApprovalVoted',
    data: { voter, vote: command.vote, ...reason },
  };
  if (command.vote === 'reject')
    return accept(voted, { type: 'ActionRejected', data: { by: voter, ...reason } });
  const voters = [...approval.votes.map((each) => each.voter), voter];
  if (voters.length < approval.votesNeeded) return accept(voted);
  const readyAt = approval.undoWindowMs > 0 ? { readyAt: now.wallMs + approval.undoWindowMs } : {};
  return accept(voted, { type: 'ActionApproved', data: { voters, ...readyAt } });
}

function decided(action: Action, approval: Approval): Decision {
  const as = approval.decided?.as ?? action.status;
  const byVote = as === 'approved' || as === 'rejected';
  const by = byVote ? approval.votes.at(-1)?.voter : undefined;
  const who = by === undefined ? '' : ` by ${by}`;
  return refuse('action.approval-decided', `Already decided: ${as}${who}.`, action, {
    as,
    at: approval.decided?.at ?? action.updatedAt,
    ...(by === undefined ? {} : { by }),
  });
}
