// How an action begins: planned, and in the same append denied, waiting for approval, or (for a
// caller that executes in its own process) claimed and dispatched.
import { type CommandOf, type PlanAction, type PolicyDecision } from './command.ts';
import { accept, type Decision, type Instant, refuse } from './decision.ts';
import { type ActionEvent, type ActionPlanned, type EventData } from './event.ts';
import { expiredByAge } from './cancel.ts';
import { attemptPresumed } from './presume.ts';
import { type Action } from './state.ts';
import { type ApprovalRules, defaultTimes, type ToolRules } from './tool-rules.ts';

export function planAction(action: Action, command: PlanAction, now: Instant): Decision {
  if (action.status !== 'new')
    return refuse('action.exists', 'This epoch has its action already.', action);
  const { policy, rules, cancelled } = command;
  const approval = approvalAsked(policy, command.approval);
  const data = plannedData(command, approval === undefined, now);
  const planned: ActionEvent = { type: 'ActionPlanned', data };
  const ending = cancelled && { by: 'ledger', person: false, reason: cancelled.reason };
  // A doubt is ended by no policy and waits for no approval; both are asked again before a send.
  if (command.presumed !== undefined) {
    const doubt = attemptPresumed(action, command.presumed, rules, now);
    return ending === undefined
      ? accept(planned, doubt)
      : accept(planned, doubt, { type: 'CancelRequested', data: ending });
  }
  if (ending !== undefined) return accept(planned, { type: 'ActionCancelled', data: ending });
  if (policy.effect === 'deny') return accept(planned, denied(policy));
  if (data.validUntil <= now.wallMs) return accept(planned, expiredByAge);
  if (approval !== undefined)
    return accept(planned, approvalRequested(data.argumentsHash, approval, rules, policy, now));
  const waits = data.readyAt !== undefined || data.after !== undefined;
  if (command.dispatch === undefined || waits) return accept(planned);
  return accept(planned, ...claimedAndDispatched(command.dispatch, rules, now));
}

function plannedData(
  { plan, policy, rules, saidAt }: PlanAction,
  unasked: boolean,
  now: Instant,
): ActionPlanned {
  const { version, reason } = policy;
  const planned: ActionPlanned = {
    ...plan,
    guarantee: rules.guarantee,
    validUntil: Math.min(saidAt ?? now.wallMs, now.wallMs) + rules.validForMs,
    policy: reason === undefined ? { version } : { version, reason },
    ...(saidAt === undefined || saidAt >= now.wallMs ? {} : { saidAt }),
  };
  // With an approval the undo window begins when it is granted.
  return unasked && rules.undoWindowMs > 0
    ? { ...planned, readyAt: now.wallMs + rules.undoWindowMs }
    : planned;
}

function claimedAndDispatched(
  dispatch: NonNullable<PlanAction['dispatch']>,
  rules: ToolRules,
  now: Instant,
): readonly ActionEvent[] {
  const { downstreamKey, undoes } = dispatch;
  const data = dispatchedData({ attempt: 1, downstreamKey, undoes }, rules, now);
  return [actionClaimed(dispatch, rules, now), { type: 'ActionDispatched', data }];
}

export function actionClaimed(
  { worker, caller }: { readonly worker: string; readonly caller?: true },
  rules: ToolRules,
  now: Instant,
): ActionEvent {
  const data = { worker, leaseUntil: now.wallMs + rules.leaseMs };
  return { type: 'ActionClaimed', data: caller === undefined ? data : { ...data, caller } };
}

export function dispatchedData(
  of: {
    readonly attempt: number;
    readonly downstreamKey: string;
    readonly undoes: readonly string[] | undefined;
  },
  rules: ToolRules,
  now: Instant,
): EventData['ActionDispatched'] {
  const { attempt, downstreamKey, undoes } = of;
  const { timeoutMs, inFlightMs } = rules;
  const data = { attempt, downstreamKey, deadlineAt: now.wallMs + timeoutMs, inFlightMs };
  return undoes === undefined ? data : { ...data, undoes };
}

export function denied(policy: PolicyDecision): ActionEvent {
  const reason = policy.reason ?? 'denied by policy';
  return { type: 'ActionDenied', data: { policyVersion: policy.version, reason } };
}

/** What a policy that asks for approval gets where the tool declares no rules of its own. */
const oneVote: ApprovalRules = {
  votes: 1,
  ownVote: false,
  expiresAfterMs: defaultTimes.approvalMs,
};

/** The votes that are needed, by the tool's rules or because the policy asks; undefined for none. */
export function approvalAsked(
  policy: PolicyDecision,
  approval: ApprovalRules | undefined,
): ApprovalRules | undefined {
  return approval ?? (policy.effect === 'ask' ? oneVote : undefined);
}

export function approvalRequested(
  argumentsHash: string,
  approval: ApprovalRules,
  rules: ToolRules,
  policy: PolicyDecision,
  now: Instant,
): ActionEvent {
  return {
    type: 'ApprovalRequested',
    data: {
      votes: approval.votes,
      ownVote: approval.ownVote,
      expiresAt: now.wallMs + approval.expiresAfterMs,
      argumentsHash,
      policyVersion: policy.version,
      ...(rules.undoWindowMs > 0 ? { undoWindowMs: rules.undoWindowMs } : {}),
      ...(policy.reason === undefined ? {} : { reason: policy.reason }),
    },
  };
}

export function reserveName(action: Action, command: CommandOf<'ReserveName'>): Decision {
  if (action.status === 'reserved' && action.reservedFor === command.action) return accept();
  if (action.status !== 'new') return refuse('action.exists', 'This name is taken.', action);
  return accept({ type: 'NameReserved', data: { action: command.action } });
}
