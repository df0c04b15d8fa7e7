// What approval and claims make of an action: who may act, and until when.
import { type ActionEvent, type EventData, type EventPlace } from './event.ts';
import { closeApproval, watchOf } from './evolve-ending.ts';
import { ImpossibleEvent } from './impossible-event.ts';
import { type Action, type Attempt, isInDoubt } from './state.ts';

export function approval(
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
  const { readyAt } = event.data;
  const waits = readyAt !== undefined || action.after !== undefined;
  return {
    ...action,
    status: waits ? 'planned' : 'ready',
    readyAt: readyAt ?? at,
    approval: { ...action.approval, decided: { as: 'approved', at } },
  };
}

export function claim(
  action: Action,
  event: Extract<
    ActionEvent,
    {
      type:
        'ActionClaimed' | 'ClaimExtended' | 'ClaimEnded' | 'ActionDispatched' | 'AttemptPresumed';
    }
  >,
  { revision, at }: EventPlace,
): Action {
  switch (event.type) {
    case 'ActionClaimed': {
      const lease = { leaseMs: event.data.leaseUntil - at, resend: isInDoubt(action) };
      return { ...action, status: 'claimed', claim: { revision, ...event.data, ...lease } };
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
    case 'ActionDispatched':
      return dispatched(action, event.data, at);
    case 'AttemptPresumed':
      return presumed(action, event.data, at);
  }
}

/** In doubt like one that was dispatched when the record ends; a claim of that time means nothing. */
function presumed(action: Action, data: EventData['AttemptPresumed'], at: number): Action {
  const { attempt, knownUntil, inFlightMs, recovery, downstreamKey, undoes } = data;
  const { claim: _claim, ...rest } = closeApproval(action, 'ended', at);
  const lost: Attempt = {
    attempt,
    dispatchedAt: knownUntil,
    deadlineAt: at,
    inFlightMs,
    state: 'in doubt',
    answered: false,
    presumed: recovery,
  };
  const next: Action = {
    ...rest,
    status: 'unknown',
    downstreamKey,
    attempts: [...action.attempts, lost],
    watch: watchOf(data),
    unknownSince: action.unknownSince ?? at,
  };
  return undoes === undefined ? next : { ...next, undoes };
}

function heldBy(claim: Action['claim']): Pick<Attempt, 'claim' | 'worker'> {
  return claim === undefined ? {} : { claim: claim.revision, worker: claim.worker };
}

function dispatched(action: Action, data: EventData['ActionDispatched'], at: number): Action {
  const { attempt, deadlineAt, inFlightMs, downstreamKey, undoes } = data;
  const running: Attempt = {
    attempt,
    dispatchedAt: at,
    deadlineAt,
    inFlightMs,
    state: 'running',
    answered: false,
    ...heldBy(action.claim),
  };
  const next: Action = {
    ...action,
    status: 'dispatched',
    downstreamKey,
    attempts: [...action.attempts, running],
  };
  return undoes === undefined ? next : { ...next, undoes };
}
