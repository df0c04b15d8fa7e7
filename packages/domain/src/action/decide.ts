// decide(state, command, now) → events or a refusal: the only place where the lifecycle's rules live.
// Pure: no clock, no randomness, no I/O. One function per command, in the files named after them.
import { archiveAction } from './archive.ts';
import { type ActionCommand } from './command.ts';
import { cancel, expire } from './cancel.ts';
import { claim, dispatch, endClaim, extendClaim, recheck } from './claim.ts';
import { type Decision, type Instant } from './decision.ts';
import { closeIncident, detectDuplicate, reportEvidence } from './evidence.ts';
import {
  joinCalls,
  markUndone,
  planCompensation,
  recordCompensation,
  supersede,
  withJoined,
} from './links.ts';
import { loseAttempt, recordOutcome } from './outcome.ts';
import { planAction, reserveName } from './plan.ts';
import { presumeAttempt } from './presume.ts';
import { assignOwner, checkNow, recordVerdict, settle } from './reconcile.ts';
import { type Action } from './state.ts';
import { vote } from './vote.ts';

export function decide(action: Action, command: ActionCommand, now: Instant): Decision {
  switch (command.type) {
    case 'PlanAction':
      return planAction(action, command, now);
    case 'ReserveName':
      return reserveName(action, command);
    case 'Vote':
      return vote(action, command, now);
    case 'Expire':
      return expire(action, now);
    case 'Cancel':
      return cancel(action, command);
    case 'Claim':
      return claim(action, command, now);
    case 'PresumeAttempt':
      return presumeAttempt(action, command, now);
    case 'ExtendClaim':
      return extendClaim(action, command, now);
    case 'EndClaim':
      return endClaim(action, command, now);
    case 'Recheck':
      return recheck(action, command, now);
    case 'Dispatch':
      return dispatch(action, command, now);
    case 'RecordOutcome':
      return recordOutcome(action, command, now);
    case 'LoseAttempt':
      return withJoined(action, command, loseAttempt(action, command, now));
    case 'RecordVerdict':
      return withJoined(action, command, recordVerdict(action, command, now));
    case 'Settle':
      return withJoined(action, command, settle(action, command, now));
    case 'CheckNow':
      return checkNow(action, command, now);
    case 'AssignOwner':
      return assignOwner(action, command);
    case 'ReportEvidence':
      return withJoined(action, command, reportEvidence(action, command, now));
    case 'DetectDuplicate':
      return detectDuplicate(action, command, now);
    case 'JoinCalls':
      return joinCalls(action, command);
    case 'MarkUndone':
      return markUndone(action, command);
    case 'Supersede':
      return supersede(action, command);
    case 'PlanCompensation':
      return planCompensation(action, command);
    case 'RecordCompensation':
      return recordCompensation(action, command, now);
    case 'CloseIncident':
      return closeIncident(action, command);
    case 'ArchiveAction':
      return archiveAction(action, command, now);
  }
}
