// Folds events into the state of an action. Pure; the only place where an event gets its meaning.
import { type CallOrigin } from '../identity/declaration.ts';
import {
  type ActionEvent,
  type ActionPlanned,
  type EventData,
  type EventPlace,
  type Watch,
} from './event.ts';
import { type Action, type ActionStatus, type Attempt, type Ending, isInDoubt } from './state.ts';
import { transitionsFrom } from './transitions.ts';

/** The stream holds an event that cannot follow what came before: damaged, or written by a bug. */
export class ImpossibleEvent extends Error {
  constructor(action: Action, event: ActionEvent) {
    super(
      `${event.type} cannot follow in status ${action.status} (${action.id}, revision ${action.revision})`,
    );
    this.name = 'ImpossibleEvent';
  }
}

/** @throws ImpossibleEvent where the lifecycle table does not allow the event. */
export function evolve(action: Action, event: ActionEvent, place: EventPlace): Action {
  const next = apply(action, event, place);
  if (!transitionsFrom(action.status, event.type).includes(next.status)) {
    throw new ImpossibleEvent(action, event);
  }
  return { ...next, revision: place.revision, updatedAt: place.at };
}

function apply(action: Action, event: ActionEvent, { revision, at }: EventPlace): Action {
  switch (event.type) {
    case 'ActionPlanned':
      return planned(action, event.data, at);
    case 'NameReserved':
      return { ...action, status: 'reserved', reservedFor: event.data.action };
    case 'ActionDenied':
      return ended(action, 'denied', {
        at,
        reason: event.data.reason,
        stands: true,
        policyVersion: event.data.policyVersion,
      });
    case 'ActionExpired':
      return ended(action, 'expired', { at, reason: event.data.reason, stands: false }, 'expired');
    case 'ActionCancelled':
      return cancelled(action, event.data, at);
    case 'ActionRejected':
      return ended(
        action,
        'rejected',
        { at, reason: event.data.reason ?? 'rejected', by: event.data.by, stands: true },
        'rejected',
      );
    case 'ApprovalRequested':
    case 'ApprovalVoted':
    case 'ActionApproved':
      return approval(action, event, at);
    case 'ActionClaimed':
    case 'ClaimExtended':
    case 'ClaimEnded':
    case 'ActionDispatched':
      return claim(action, event, { revision, at });
    case 'RetryPlanned':
    case 'AttemptNotSent':
    case 'AttemptRefused':
    case 'ActionSucceeded':
    case 'ActionFailed':
    case 'ActionOutcomeUnknown':
      return outcome(action, event, at);
    case 'ReconciliationChecked':
      return { ...action, checks: event.data.check, watch: watchOf(event.data) };
    case 'ActionReconciled':
      return reconciled(action, event.data, at);
    case 'OwnerAssigned':
      return { ...action, watch: watchOf(event.data) };
    case 'EvidenceRecorded':
      return evidence(action, event.data, at);
    case 'CallJoined':
      return { ...action, calls: [...action.calls, event.data.call] };
    case 'CancelRequested':
      return { ...action, cancelRequested: event.data };
    case 'DuplicateEffectDetected':
    case 'IncidentOpened':
    case 'IncidentClosed':
      return incidents(action, event, revision);
    case 'ActionUndone':
    case 'ActionSuperseded':
    case 'CompensationPlanned':
    case 'ActionCompensated':
    case 'CompensationFailed':
      return links(action, event, at);
  }
}

function planned(action: Action, data: ActionPlanned, at: number): Action {
  const waits = data.readyAt !== undefined || data.after !== undefined;
  return {
    ...action,
    status: waits ? 'planned' : 'ready',
    tenant: data.tenant,
    tool: data.tool,
    epoch: data.epoch,
    identityVersion: data.identityVersion,
    arguments: data.arguments,
    argumentsHash: data.argumentsHash,
    guarantee: data.guarantee,
    plannedAt: at,
    validUntil: data.validUntil,
    readyAt: data.readyAt ?? at,
    secret: data.secret === true,
    calls: data.call === undefined ? noCalls : [data.call],
    ...(data.key === undefined ? none : { key: data.key }),
    ...(data.by === undefined ? none : { by: data.by }),
    ...(data.after === undefined ? none : { after: data.after }),
    ...(data.policy === undefined ? none : { policyVersion: data.policy.version }),
    ...(data.repeatOf === undefined ? none : { repeatOf: data.repeatOf.action }),
    ...(data.compensates === undefined ? none : { compensates: data.compensates }),
  };
}

const none = {};
const noCalls: readonly CallOrigin[] = [];

function ended(
  action: Action,
  status: ActionStatus,
  ending: Ending,
  decided?: 'rejected' | 'expired',
): Action {
  const { claim: _claim, watch: _watch, unknownSince: _since, ...rest } = action;
  return { ...closeApproval(rest, decided ?? 'ended', ending.at), status, ending };
}

function closeApproval(action: Action, as: 'rejected' | 'expired' | 'ended', at: number): Action {
  if (action.approval === undefined || action.approval.decided !== undefined) return action;
  return { ...action, approval: { ...action.approval, decided: { as, at } } };
}

function cancelled(action: Action, data: EventData['ActionCancelled'], at: number): Action {
  const { by, person, reason, supersededBy } = data;
  const done = ended(action, 'cancelled', {
    at,
    reason,
    by,
    stands: person && supersededBy === undefined,
  });
  return supersededBy === undefined ? done : { ...done, supersededBy };
}

function approval(
  action: Action,
  event: Extract<ActionEvent, { type: 'ApprovalRequested' | 'ApprovalVoted' | 'ActionApproved' }>,
  at: number,
): Action {
  if (event.type === 'ApprovalRequested') {
    const { votes, undoWindowMs, ...rest } = event.data;
    return {
      ...action,
      status: 'awaiting_approval',
      approval: { ...rest, votesNeeded: votes, undoWindowMs: undoWindowMs ?? 0, votes: [] },
    };
  }
  if (action.approval === undefined) throw new ImpossibleEvent(action, event);
  if (event.type === 'ApprovalVoted') {
    const { voter, vote } = event.data;
    return {
      ...action,
      approval: { ...action.approval, votes: [...action.approval.votes, { voter, vote, at }] },
    };
  }
  const readyAt = event.data.readyAt;
  return {
    ...action,
    status: readyAt === undefined ? 'ready' : 'planned',
    readyAt: readyAt ?? at,
    approval: { ...action.approval, decided: { as: 'approved', at } },
  };
}

function claim(
  action: Action,
  event: Extract<
    ActionEvent,
    { type: 'ActionClaimed' | 'ClaimExtended' | 'ClaimEnded' | 'ActionDispatched' }
  >,
  { revision, at }: EventPlace,
): Action {
  switch (event.type) {
    case 'ActionClaimed': {
      const { worker, leaseUntil } = event.data;
      return {
        ...action,
        status: 'claimed',
        claim: { revision, worker, leaseUntil, resend: isInDoubt(action) },
      };
    }
    case 'ClaimExtended':
      if (action.claim === undefined) throw new ImpossibleEvent(action, event);
      return { ...action, claim: { ...action.claim, leaseUntil: event.data.leaseUntil } };
    case 'ClaimEnded': {
      const { claim: _claim, ...rest } = action;
      const { owner, nextCheckAt } = event.data;
      if (!isInDoubt(action)) return { ...rest, status: 'ready' };
      return owner === undefined || nextCheckAt === undefined
        ? { ...rest, status: 'unknown' }
        : { ...rest, status: 'unknown', watch: { owner, nextCheckAt } };
    }
    case 'ActionDispatched': {
      const { attempt, deadlineAt, inFlightMs, downstreamKey, undoes } = event.data;
      const running: Attempt = {
        attempt,
        dispatchedAt: at,
        deadlineAt,
        inFlightMs,
        state: 'running',
        answered: false,
      };
      const next: Action = {
        ...action,
        status: 'dispatched',
        downstreamKey,
        attempts: [...action.attempts, running],
      };
      return undoes === undefined ? next : { ...next, undoes };
    }
  }
}

type OutcomeEvent = Extract<
  ActionEvent,
  {
    type:
      | 'RetryPlanned'
      | 'AttemptNotSent'
      | 'AttemptRefused'
      | 'ActionSucceeded'
      | 'ActionFailed'
      | 'ActionOutcomeUnknown';
  }
>;

function outcome(action: Action, event: OutcomeEvent, at: number): Action {
  switch (event.type) {
    case 'RetryPlanned':
      return {
        ...released(settle(action, event.data.attempt, 'no effect')),
        status: 'ready',
        readyAt: event.data.notBefore,
      };
    case 'AttemptNotSent': {
      const next = released(settle(action, event.data.attempt, 'no effect'));
      return isInDoubt(next)
        ? inDoubtAgain(next, event.data, at)
        : { ...next, status: 'ready', readyAt: event.data.notBefore };
    }
    case 'AttemptRefused':
      return inDoubtAgain(
        released(settle(action, event.data.attempt, 'no effect')),
        event.data,
        at,
      );
    case 'ActionSucceeded':
      return succeeded(action, event.data, at);
    case 'ActionFailed': {
      const { attempt, reason, code, detail, forced } = event.data;
      const refused = attempt === undefined ? action : settle(action, attempt, 'no effect');
      const ending: Ending = {
        at,
        reason,
        stands: forced !== undefined,
        ...(code === undefined ? none : { code }),
        ...(detail === undefined ? none : { detail }),
        ...(forced === undefined ? none : { by: forced.by }),
      };
      return ended(refused, 'failed', ending);
    }
    case 'ActionOutcomeUnknown': {
      const { attempt, answered } = event.data;
      return inDoubtAgain(released(settle(action, attempt, 'in doubt', answered)), event.data, at);
    }
  }
}

function succeeded(action: Action, data: EventData['ActionSucceeded'], at: number): Action {
  const { attempt, source: _source, ...result } = data;
  const proven = attempt === undefined ? action : settle(action, attempt, 'succeeded');
  return successful({ ...proven, outcome: { ...result, at } }, at);
}

/** One effect explains every attempt of the action: no doubt is left. */
function successful(action: Action, at: number): Action {
  const {
    claim: _claim,
    watch: _watch,
    unknownSince: _since,
    reportedSuccess: _reported,
    ending: _ending,
    ...rest
  } = action;
  const attempts = rest.attempts.map((each) =>
    each.state === 'running' || each.state === 'in doubt'
      ? { ...each, state: 'succeeded' as const }
      : each,
  );
  return { ...closeApproval(rest, 'ended', at), status: 'succeeded', attempts };
}

function settle(action: Action, attempt: number, state: Attempt['state'], answered = true): Action {
  const attempts = action.attempts.map((each) =>
    each.attempt === attempt ? { ...each, state, answered: each.answered || answered } : each,
  );
  return { ...action, attempts };
}

function released(action: Action): Action {
  const { claim: _claim, ...rest } = action;
  return rest;
}

function inDoubtAgain(action: Action, watch: Partial<Watch>, at: number): Action {
  const next: Action = { ...action, status: 'unknown', unknownSince: action.unknownSince ?? at };
  const { owner, nextCheckAt } = watch;
  return owner === undefined || nextCheckAt === undefined
    ? next
    : { ...next, watch: { owner, nextCheckAt } };
}

function watchOf({ owner, nextCheckAt }: Watch): Watch {
  return { owner, nextCheckAt };
}

function reconciled(action: Action, data: EventData['ActionReconciled'], at: number): Action {
  if (data.verdict === 'found') {
    const { result, externalId, digest, notes } = data;
    const found = {
      result: result ?? null,
      at,
      ...(externalId === undefined ? none : { externalId }),
      ...(digest === undefined ? none : { digest }),
      ...(notes === undefined ? none : { notes }),
    };
    return successful({ ...action, outcome: found }, at);
  }
  const { watch: _watch, unknownSince: _since, ...rest } = action;
  const attempts = rest.attempts.map((each) =>
    each.state === 'in doubt' ? { ...each, state: 'no effect' as const } : each,
  );
  return {
    ...rest,
    status: 'ready',
    attempts,
    checks: 0,
    absentBefore: true,
    readyAt: data.notBefore ?? at,
  };
}

function evidence(action: Action, data: EventData['EvidenceRecorded'], at: number): Action {
  const { source, claims, externalId } = data;
  const next: Action = { ...action, evidence: [...action.evidence, { ...data, at }] };
  if (
    claims !== 'success' ||
    action.status !== 'dispatched' ||
    action.reportedSuccess !== undefined
  )
    return next;
  const result = data.data ?? null;
  return {
    ...next,
    reportedSuccess: externalId === undefined ? { source, result } : { source, result, externalId },
  };
}

function incidents(
  action: Action,
  event: Extract<
    ActionEvent,
    { type: 'DuplicateEffectDetected' | 'IncidentOpened' | 'IncidentClosed' }
  >,
  revision: number,
): Action {
  if (event.type === 'IncidentClosed') {
    return {
      ...action,
      incidents: action.incidents.filter(({ incident }) => incident !== event.data.incident),
    };
  }
  const { owner, nextCheckAt } = event.data;
  const opened =
    event.type === 'IncidentOpened'
      ? { incident: event.data.incident, reason: event.data.reason, owner, nextCheckAt }
      : { incident: `duplicate-${revision}`, reason: event.data.proposal, owner, nextCheckAt };
  return { ...action, incidents: [...action.incidents, opened] };
}

function links(
  action: Action,
  event: Extract<
    ActionEvent,
    {
      type:
        | 'ActionUndone'
        | 'ActionSuperseded'
        | 'CompensationPlanned'
        | 'ActionCompensated'
        | 'CompensationFailed';
    }
  >,
  at: number,
): Action {
  const { by } = event.data;
  switch (event.type) {
    case 'ActionUndone':
      return { ...action, undoneBy: by, undoneAt: at };
    case 'ActionSuperseded': {
      const { watch: _watch, ...rest } = action;
      return { ...rest, status: 'superseded', supersededBy: by };
    }
    case 'CompensationPlanned': {
      const { watch: _watch, ...rest } = action;
      return { ...rest, status: 'compensating', compensatedBy: by };
    }
    case 'ActionCompensated':
      return { ...action, status: 'compensated', undoneAt: at };
    case 'CompensationFailed':
      return { ...action, status: 'compensation_failed', watch: watchOf(event.data) };
  }
}
