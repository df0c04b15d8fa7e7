// The claim: a lease on an action, whose event's revision is the fencing token. Only its holder
// dispatches and records; its end may start a reconciliation, never a dispatch.
import { type CommandOf } from './command.ts';
import { accept, type Decision, type Instant, refuse, wrongStatus } from './decision.ts';
import { type ActionEvent, type EventData, type Watch } from './event.ts';
import { actionClaimed, approvalAsked, approvalRequested, denied, dispatchedData } from './plan.ts';
import { type Action, isInDoubt } from './state.ts';
import { type ToolRules } from './tool-rules.ts';
import { isKeyWindowOver, resendHindrance, watchByOperator, watchDoubt } from './waits.ts';

export function claim(action: Action, command: CommandOf<'Claim'>, now: Instant): Decision {
  switch (action.status) {
    case 'planned':
    case 'ready':
      return claimFirst(action, command, now);
    case 'unknown':
      return claimInDoubt(action, command, now);
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

/** Whoever claims an action planned `after` an undoer has seen that undoer succeed. */
function claimFirst(action: Action, command: CommandOf<'Claim'>, now: Instant): Decision {
  const { readyAt } = action;
  if (now.wallMs >= action.validUntil) return tooOld(action);
  if (now.wallMs < readyAt)
    return refuse('action.not-due', 'The action is not due yet.', action, { readyAt });
  return accept(claimed(command, now));
}

/** A resend: unknown → claimed → dispatched, where the guarantee and every wait allow it. */
function claimInDoubt(action: Action, command: CommandOf<'Claim'>, now: Instant): Decision {
  const { rules, watched, clockBehind } = command;
  const hindrance = resendHindrance(action, rules, now.wallMs, watched, clockBehind);
  if (hindrance === undefined) return accept(claimed(command, now));
  const code = hindrance === 'in flight' ? 'action.too-early' : 'action.in-doubt';
  const message = `The outcome is in doubt and must not be sent again (${hindrance}).`;
  return refuse(code, message, action, { hindrance });
}

function claimed(command: CommandOf<'Claim'>, now: Instant): ActionEvent {
  return actionClaimed(command, command.rules, now);
}

function tooOld(action: Action): Decision {
  return refuse('action.expired', 'The proposal is too old to be sent.', action);
}

/** The revision is the token; who only says that it is theirs names the worker as well. */
export function holdsClaim(
  { claim: held }: Action,
  { claim: revision, worker }: { readonly claim: number; readonly worker?: string },
): boolean {
  return held?.revision === revision && (worker === undefined || worker === held.worker);
}

export function claimLost(action: Action): Decision {
  return refuse(
    'action.claim-lost',
    'The claim has ended or passed to another; what you report is evidence.',
    action,
  );
}

/**
 * A lease that has ended is not revived before its dispatch; a running attempt may still be kept, each time
 * for no longer than it was claimed for. A caller keeps its own for one lease after its deadline at most: then
 * somebody has to look for its effect.
 */
export function extendClaim(
  action: Action,
  command: CommandOf<'ExtendClaim'>,
  now: Instant,
): Decision {
  const { claim: held } = action;
  if (held === undefined || !holdsClaim(action, command)) return claimLost(action);
  if (action.status === 'claimed' && now.wallMs >= held.leaseUntil) return leaseOver(action);
  const leaseMs = Math.min(command.leaseMs, held.leaseMs);
  const latest = latestLease(action, leaseMs);
  if (now.wallMs >= latest) return claimLost(action);
  const wished = Math.min(latest, now.wallMs + leaseMs);
  const leaseUntil = Math.max(held.leaseUntil, wished);
  // Of a caller, what lengthens it by little is not worth an event: it may ask as often as it likes.
  if (held.caller === true && leaseUntil - held.leaseUntil < leaseMs / 4) return accept();
  return accept({ type: 'ClaimExtended', data: { claim: command.claim, leaseUntil } });
}

/** The ledger ends its own attempts at their deadline by itself. */
function latestLease({ claim: held, attempts }: Action, leaseMs: number): number {
  const running = attempts.at(-1);
  return held?.caller === true && running !== undefined ? running.deadlineAt + leaseMs : Infinity;
}

function leaseOver(action: Action): Decision {
  return refuse('action.claim-lost', 'The lease has ended: nothing may be sent.', action);
}

export function endClaim(action: Action, command: CommandOf<'EndClaim'>, now: Instant): Decision {
  if (!holdsClaim(action, command)) return claimLost(action);
  if (action.status !== 'claimed') return wrongStatus(action, 'end the claim');
  const { claim: revision, reason, rules } = command;
  const ended: EventData['ClaimEnded'] = { claim: revision, reason };
  if (!isInDoubt(action)) return accept({ type: 'ClaimEnded', data: ended });
  const watch = watchDoubt(action, rules, now.wallMs, unanswered(rules));
  return accept({ type: 'ClaimEnded', data: { ...ended, ...watch } });
}

function unanswered(rules: ToolRules): { readonly answered: boolean; readonly backoffMs: number } {
  return { answered: false, backoffMs: rules.retry.backoffMinMs };
}

/** Age, policy and approval again, just before dispatch. No events where nothing stands in the way. */
export function recheck(action: Action, command: CommandOf<'Recheck'>, now: Instant): Decision {
  if (!holdsClaim(action, command)) return claimLost(action);
  if (action.status !== 'claimed') return wrongStatus(action, 'check before dispatch');
  const hurdle = hurdleBeforeDispatch(action, command, now);
  if (hurdle === undefined) return accept();
  const ended: EventData['ClaimEnded'] = { claim: command.claim, reason: hurdle.reason };
  if (!isInDoubt(action)) return accept({ type: 'ClaimEnded', data: ended }, hurdle.then);
  return accept({ type: 'ClaimEnded', data: { ...ended, ...hurdle.watch } });
}

interface Hurdle {
  readonly reason: string;
  /** What follows the end of the claim where nothing is in doubt. */
  readonly then: ActionEvent;
  /** Who looks after it where something is: it stays unknown. */
  readonly watch: Watch;
}

function hurdleBeforeDispatch(
  action: Action,
  { policy, approval, rules }: CommandOf<'Recheck'>,
  now: Instant,
): Hurdle | undefined {
  if (now.wallMs >= action.validUntil) {
    const reason = 'the proposal was valid until then';
    const then: ActionEvent = { type: 'ActionExpired', data: { reason } };
    return { reason, then, watch: watchDoubt(action, rules, now.wallMs, unanswered(rules)) };
  }
  const watch = watchByOperator(rules, now.wallMs);
  if (policy.effect === 'deny')
    return { reason: 'policy no longer allows it', then: denied(policy), watch };
  const asked = approvalAsked(policy, approval);
  if (asked === undefined || isApprovedUnder(action, policy.version, asked.votes)) return undefined;
  const then = approvalRequested(action.argumentsHash, asked, rules, policy, now);
  return { reason: 'it needs another approval', then, watch };
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
  const { claim: held, attempts, cancelRequested } = action;
  if (held?.revision !== command.claim) return claimLost(action);
  if (action.status !== 'claimed') return wrongStatus(action, 'dispatch');
  if (now.wallMs >= held.leaseUntil) return leaseOver(action);
  if (now.wallMs >= action.validUntil) return tooOld(action);
  if (cancelRequested !== undefined)
    return refuse('action.in-doubt', 'A cancel is on record: nothing is sent again.', action, {
      hindrance: 'cancelled',
    });
  const { rules, undoes } = command;
  if (held.resend && isKeyWindowOver(action, rules, now.wallMs))
    return refuse(
      'action.key-window-over',
      'The provider may have forgotten the key: nothing is sent again.',
      action,
    );
  // The provider sees one key for all attempts, even where the tool formats keys differently by now.
  const downstreamKey = action.downstreamKey ?? command.downstreamKey;
  const data = dispatchedData({ attempt: attempts.length + 1, downstreamKey, undoes }, rules, now);
  return accept({ type: 'ActionDispatched', data });
}
