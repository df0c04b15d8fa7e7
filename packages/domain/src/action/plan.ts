// How an action begins: planned, and in the same append denied, waiting for approval, or (for a
// caller that executes in its own process) claimed and dispatched.
import { type CommandOf, type PlanAction } from './command.ts';
import { accept, type Decision, refuse } from './decision.ts';
import { type Instant } from './decide.ts';
import { type ActionEvent, type ActionPlanned, type EventData } from './event.ts';
import { type Action } from './state.ts';
import { type ApprovalRules, type ToolRules } from './tool-rules.ts';

export function planAction(action: Action, command: PlanAction, now: Instant): Decision {
  if (action.status !== 'new')
    return refuse('action.exists', 'This epoch has its action already.', action);
  const { plan, policy, rules, approval, dispatch } = command;
  const asks = approval !== undefined || policy.effect === 'ask';
  const waitsForUndo = rules.undoWindowMs > 0 && !asks;
  const data: ActionPlanned = {
    ...plan,
    guarantee: rules.guarantee,
    validUntil: now.wallMs + rules.validForMs,
    policy:
      policy.reason === undefined
        ? { version: policy.version }
        : { version: policy.version, reason: policy.reason },
    ...(waitsForUndo ? { readyAt: now.wallMs + rules.undoWindowMs } : {}),
  };
  const planned: ActionEvent = { type: 'ActionPlanned', data };
  if (policy.effect === 'deny') {
    const reason = policy.reason ?? 'denied by policy';
    return accept(planned, {
      type: 'ActionDenied',
      data: { policyVersion: policy.version, reason },
    });
  }
  if (asks)
    return accept(
      planned,
      approvalRequested(data.argumentsHash, approval ?? oneVote, rules, policy, now),
    );
  if (dispatch === undefined || waitsForUndo || plan.after !== undefined) return accept(planned);
  const leaseUntil = now.wallMs + rules.leaseMs;
  const dispatched: EventData['ActionDispatched'] = {
    attempt: 1,
    downstreamKey: dispatch.downstreamKey,
    deadlineAt: now.wallMs + rules.timeoutMs,
    inFlightMs: rules.inFlightMs,
    ...(dispatch.undoes === undefined ? {} : { undoes: dispatch.undoes }),
  };
  return accept(
    planned,
    { type: 'ActionClaimed', data: { worker: dispatch.worker, leaseUntil } },
    { type: 'ActionDispatched', data: dispatched },
  );
}

/** What a policy that asks for approval gets where the tool declares no rules of its own. */
const oneVote: ApprovalRules = { votes: 1, ownVote: false, expiresAfterMs: 24 * 3_600_000 };

export function approvalRequested(
  argumentsHash: string,
  approval: ApprovalRules,
  rules: ToolRules,
  policy: { readonly version: string; readonly reason?: string },
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
