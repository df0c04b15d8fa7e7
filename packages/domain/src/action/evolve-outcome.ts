// What becomes of attempts, and of the action through them: outcomes, verdicts and evidence. Doubt
// belongs to attempts; only a success or a verdict `absent` clears that of all.
import { closeApproval, ended } from './evolve-ending.ts';
import { type ActionEvent, type EventData, type Watch } from './event.ts';
import { type Action, type Attempt, type Ending, isInDoubt } from './state.ts';

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

export function outcome(action: Action, event: OutcomeEvent, at: number): Action {
  switch (event.type) {
    case 'RetryPlanned': {
      const next = released(settle(action, event.data.attempt, 'no effect'));
      return { ...next, status: 'ready', readyAt: event.data.notBefore };
    }
    case 'AttemptNotSent': {
      const next = released(settle(action, event.data.attempt, 'no effect'));
      return isInDoubt(next)
        ? inDoubtAgain(next, event.data, at)
        : { ...next, status: 'ready', readyAt: event.data.notBefore };
    }
    case 'AttemptRefused': {
      const next = released(settle(action, event.data.attempt, 'no effect'));
      return inDoubtAgain(next, event.data, at);
    }
    case 'ActionSucceeded': {
      const { attempt, source: _source, ...result } = event.data;
      const proven = attempt === undefined ? action : settle(action, attempt, 'succeeded');
      return successful({ ...proven, outcome: { ...result, at } }, at);
    }
    case 'ActionFailed':
      return failed(action, event.data, at);
    case 'ActionOutcomeUnknown': {
      const { attempt, answered, lost } = event.data;
      const doubted = settle(action, attempt, 'in doubt', answered);
      const next = lost === true ? markLost(doubted, attempt) : doubted;
      return inDoubtAgain(released(next), event.data, at);
    }
  }
}

function failed(action: Action, data: EventData['ActionFailed'], at: number): Action {
  const { attempt, reason, code, detail, forced } = data;
  const refused = attempt === undefined ? action : settle(action, attempt, 'no effect');
  const how: Ending = {
    at,
    reason,
    stands: forced !== undefined,
    ...(code === undefined ? none : { code }),
    ...(detail === undefined ? none : { detail }),
    ...(forced === undefined ? none : { by: forced.by }),
  };
  return ended(refused, 'failed', how);
}

const none = {};

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

function markLost(action: Action, attempt: number): Action {
  const attempts = action.attempts.map((each) =>
    each.attempt === attempt ? { ...each, lost: true as const } : each,
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

export function reconciled(
  action: Action,
  data: EventData['ActionReconciled'],
  at: number,
): Action {
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
    // An undo window that a presumed attempt has not let begin.
    readyAt: data.notBefore ?? Math.max(at, rest.readyAt),
  };
}

/** While an attempt runs, a proven success settles its own attempt and waits for the running one. */
export function evidence(action: Action, data: EventData['EvidenceRecorded'], at: number): Action {
  const { source, claims, externalId, attempt, digest, notes } = data;
  const next: Action = { ...action, evidence: [...action.evidence, { ...data, at }] };
  if (claims !== 'success' || action.status !== 'dispatched') return next;
  const running = action.attempts.at(-1)?.attempt;
  const settled =
    attempt === undefined || attempt === running ? next : settle(next, attempt, 'succeeded');
  if (action.reportedSuccess !== undefined) return settled;
  const reportedSuccess = {
    source,
    result: data.data ?? null,
    ...(externalId === undefined ? none : { externalId }),
    ...(digest === undefined ? none : { digest }),
    ...(notes === undefined ? none : { notes }),
    ...(attempt === undefined ? none : { attempt }),
  };
  return { ...settled, reportedSuccess };
}
