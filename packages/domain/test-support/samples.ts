// Events and commands of one sample action, a refund, each with the defaults that a test need not say.
import {
  type Action,
  type ActionCommand,
  type ActionEvent,
  type ActionStatus,
  type CommandOf,
  defaultChecks,
  defaultRetry,
  type EventData,
  type EventType,
  type Guarantee,
  type PolicyDecision,
  type Presumption,
  type ToolRules,
  type Watched,
} from '../src/index.ts';

export const start = 1_700_000_000_000;
export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

export function rulesFor(guarantee: Guarantee, changes: Partial<ToolRules> = {}): ToolRules {
  return {
    tool: 'refund',
    guarantee,
    timeoutMs: 30 * second,
    inFlightMs: minute,
    leaseMs: 40 * second,
    settleMs: guarantee === 'lookup' ? 10 * second : 0,
    keyWindowMs: guarantee === 'idempotent' ? day : 0,
    validForMs: day,
    undoWindowMs: 0,
    retry: defaultRetry,
    checks: defaultChecks,
    undoneBy: [],
    canLookUp: guarantee === 'lookup',
    ...changes,
  };
}

export const rules = rulesFor('idempotent');
export const allowed: PolicyDecision = { effect: 'allow', version: 'v1' };
export const denied: PolicyDecision = { effect: 'deny', version: 'v1', reason: 'too much' };
export const notWatched: Watched = { doubtMs: 0, firstDispatchMs: 0 };
export const watchedFor = (doubtMs: number): Watched => ({ doubtMs, firstDispatchMs: doubtMs });
export const watch = { owner: 'reconciler', nextCheckAt: start + minute } as const;

export const plan: CommandOf<'PlanAction'>['plan'] = {
  tenant: 't1',
  tool: 'refund',
  epoch: 0,
  identityVersion: 1,
  arguments: { order: 'o-1', amount: 1250 },
  argumentsHash: 'hash-1',
  call: { run: 'r-1', turn: '1', call: 'c-1' },
  by: 'pat',
};

const defaults: { readonly [Type in EventType]: EventData[Type] } = {
  ActionPlanned: { ...plan, guarantee: 'idempotent', validUntil: start + day },
  ActionDenied: { policyVersion: 'v1', reason: 'too much' },
  ApprovalRequested: {
    votes: 1,
    ownVote: false,
    expiresAt: start + hour,
    argumentsHash: 'hash-1',
    policyVersion: 'v1',
  },
  ApprovalVoted: { voter: 'ann', vote: 'approve' },
  ActionApproved: { voters: ['ann'] },
  ActionRejected: { by: 'ann' },
  ActionExpired: { reason: 'too old' },
  ActionCancelled: { by: 'pat', person: true, reason: 'changed my mind' },
  ActionClaimed: { worker: 'w-1', leaseUntil: start + 40 * second },
  ClaimExtended: { claim: 1, leaseUntil: start + 80 * second },
  ClaimEnded: { claim: 1, reason: 'stopped' },
  ActionDispatched: {
    attempt: 1,
    downstreamKey: 'key-1',
    deadlineAt: start + 30 * second,
    inFlightMs: minute,
  },
  AttemptPresumed: {
    attempt: 1,
    downstreamKey: 'key-1',
    inFlightMs: minute,
    recovery: 'recovery-0',
    knownUntil: start - hour,
    ...watch,
  },
  RetryPlanned: { attempt: 1, reason: 'busy', notBefore: start },
  AttemptNotSent: { attempt: 1, reason: 'too late', notBefore: start },
  AttemptRefused: { attempt: 2, reason: 'declined', ...watch },
  ActionSucceeded: { attempt: 1, result: { refund: 'r-77' }, externalId: 'r-77' },
  ActionFailed: { attempt: 1, reason: 'declined' },
  ActionOutcomeUnknown: { attempt: 1, reason: 'timeout', answered: false, ...watch },
  ReconciliationChecked: { check: 1, verdict: 'error', reason: 'lookup is down', ...watch },
  ActionReconciled: { verdict: 'absent', by: 'reconciler' },
  OwnerAssigned: { owner: 'operator', nextCheckAt: start + hour, reason: 'nobody serves it' },
  EvidenceRecorded: { source: 'webhook', claims: 'note' },
  DuplicateEffectDetected: {
    externalIds: ['r-77', 'r-78'],
    proposal: 'undo one',
    owner: 'operator',
    nextCheckAt: start + day,
  },
  CallJoined: { call: { run: 'r-1', turn: '2', call: 'c-2' } },
  ActionUndone: { by: 'undoer' },
  CompensationPlanned: { by: 'undo-1' },
  ActionCompensated: { by: 'undo-1' },
  CompensationFailed: {
    by: 'undo-1',
    reason: 'declined',
    owner: 'operator',
    nextCheckAt: start + day,
  },
  CancelRequested: { by: 'pat', person: true, reason: 'changed my mind' },
  ActionSuperseded: { by: 'next' },
  IncidentOpened: {
    incident: 'late-success-3',
    reason: 'late',
    owner: 'operator',
    nextCheckAt: start + day,
  },
  IncidentClosed: { incident: 'late-success-3', by: 'ann', reason: 'undone by hand' },
  ActionArchived: {
    action: 'action-1',
    file: 'archive-1.ndjson',
    through: 3,
    previousHash: 'hash-of-3',
    position: 1,
    state: { status: 'succeeded' },
  },
  NameReserved: { action: 'other' },
};

/** An event with its sample data, changed where the test says so. */
export function event<Type extends EventType>(
  type: Type,
  data: Partial<EventData[Type]> = {},
): ActionEvent {
  return { type, data: { ...defaults[type], ...data } } as unknown as ActionEvent;
}

export const plannedFor = (guarantee: Guarantee): ActionEvent =>
  event('ActionPlanned', { guarantee });

const dispatched = [event('ActionPlanned'), event('ActionClaimed'), event('ActionDispatched')];
const asked = [event('ActionPlanned'), event('ApprovalRequested')];
const unknown = [...dispatched, event('ActionOutcomeUnknown')];
const succeeded = [...dispatched, event('ActionSucceeded')];

/** Dispatched for the second time, the first attempt still in doubt. */
export const resent: readonly ActionEvent[] = [
  ...unknown,
  event('ActionClaimed', { worker: 'w-2', leaseUntil: start + hour }),
  event('ActionDispatched', { attempt: 2, deadlineAt: start + hour }),
];

/** An operator's decision against the doubt, which stays. */
export const forcedFailed: readonly ActionEvent[] = [
  ...unknown,
  { type: 'ActionFailed', data: { reason: 'asked the bank', forced: { by: 'ann' } } },
];

/** The shortest honest stream that ends in each status. */
export const inStatus: { readonly [Status in ActionStatus]: readonly ActionEvent[] } = {
  new: [],
  reserved: [event('NameReserved')],
  planned: [event('ActionPlanned', { readyAt: start + minute })],
  awaiting_approval: asked,
  ready: [event('ActionPlanned')],
  claimed: [event('ActionPlanned'), event('ActionClaimed')],
  dispatched,
  unknown,
  succeeded,
  failed: [...dispatched, event('ActionFailed')],
  denied: [event('ActionPlanned'), event('ActionDenied')],
  rejected: [...asked, event('ApprovalVoted', { vote: 'reject' }), event('ActionRejected')],
  expired: [event('ActionPlanned'), event('ActionExpired')],
  cancelled: [event('ActionPlanned'), event('ActionCancelled')],
  superseded: [plannedFor('natural'), ...unknown.slice(1), event('ActionSuperseded')],
  compensating: [...succeeded, event('CompensationPlanned')],
  compensated: [...succeeded, event('CompensationPlanned'), event('ActionCompensated')],
  compensation_failed: [...succeeded, event('CompensationPlanned'), event('CompensationFailed')],
};

export type Asked = ActionCommand | ((action: Action) => ActionCommand);
type Changes<Type extends ActionCommand['type']> = Partial<Omit<CommandOf<Type>, 'type'>>;

export const planAction = (changes: Changes<'PlanAction'> = {}): ActionCommand => ({
  type: 'PlanAction',
  plan,
  policy: allowed,
  rules,
  ...changes,
});

export const vote = (changes: Changes<'Vote'> = {}): ActionCommand => ({
  type: 'Vote',
  voter: 'ann',
  vote: 'approve',
  argumentsHash: 'hash-1',
  ...changes,
});

export const cancel = (changes: Changes<'Cancel'> = {}): ActionCommand => ({
  type: 'Cancel',
  by: 'pat',
  person: true,
  reason: 'changed my mind',
  ...changes,
});

export const claim = (changes: Changes<'Claim'> = {}): ActionCommand => ({
  type: 'Claim',
  worker: 'w-2',
  rules,
  watched: notWatched,
  clockBehind: false,
  ...changes,
});

const held = (action: Action): number => action.claim?.revision ?? 0;

/** The record ends an hour before the recovery. */
export const lost: Presumption = {
  recovery: 'recovery-0',
  knownUntil: start - hour,
  downstreamKey: 'key-1',
};

export const presume = (changes: Changes<'PresumeAttempt'> = {}): ActionCommand => ({
  type: 'PresumeAttempt',
  rules,
  ...lost,
  ...changes,
});

export const extend =
  (changes: Changes<'ExtendClaim'> = {}): Asked =>
  (action) => ({ type: 'ExtendClaim', claim: held(action), leaseMs: minute, ...changes });

export const endClaim =
  (changes: Changes<'EndClaim'> = {}): Asked =>
  (action) => ({ type: 'EndClaim', claim: held(action), reason: 'stopped', rules, ...changes });

export const recheck =
  (changes: Changes<'Recheck'> = {}): Asked =>
  (action) => ({ type: 'Recheck', claim: held(action), policy: allowed, rules, ...changes });

export const dispatch =
  (changes: Changes<'Dispatch'> = {}): Asked =>
  (action) => ({
    type: 'Dispatch',
    claim: held(action),
    downstreamKey: 'key-1',
    rules,
    ...changes,
  });

export const done = { kind: 'succeeded', result: { refund: 'r-77' }, externalId: 'r-77' } as const;
export const refused = { kind: 'no effect', reason: 'declined', retryable: false } as const;
export const busy = { kind: 'no effect', reason: 'busy', retryable: true } as const;
export const timeout = { kind: 'in doubt', reason: 'timeout', answered: false } as const;
export const notSent = { kind: 'not sent', reason: 'the deadline had passed' } as const;

export const record =
  (
    outcome: CommandOf<'RecordOutcome'>['outcome'],
    changes: Omit<Changes<'RecordOutcome'>, 'outcome'> = {},
  ): Asked =>
  (action) => ({
    type: 'RecordOutcome',
    claim: held(action),
    attempt: action.attempts.length,
    outcome,
    rules,
    jitter: 0.5,
    ...changes,
  });

export const lose = (changes: Changes<'LoseAttempt'> = {}): ActionCommand => ({
  type: 'LoseAttempt',
  reason: 'its lease ended',
  rules,
  ...changes,
});

export const verdict =
  (
    kind: 'found' | 'absent' | 'ambiguous' | 'error',
    changes: Omit<Changes<'RecordVerdict'>, 'verdict'> = {},
  ): Asked =>
  (action) => {
    const common = { revisionRead: action.revision, watched: notWatched, rules, ...changes };
    switch (kind) {
      case 'found':
        return { type: 'RecordVerdict', verdict: { ...done, kind }, ...common };
      case 'absent':
        return { type: 'RecordVerdict', verdict: { kind }, ...common };
      case 'ambiguous':
      case 'error':
        return { type: 'RecordVerdict', verdict: { kind, reason: 'it says' }, ...common };
    }
  };

export const settle =
  (changes: Changes<'Settle'> = {}): Asked =>
  (action) => ({
    type: 'Settle',
    by: 'ann',
    reason: 'asked the bank',
    revisionSeen: action.revision,
    verdict: { kind: 'absent' },
    watched: notWatched,
    rules,
    ...changes,
  });

/** Of what could be asked about, but for `changes`. */
export const checkNow =
  (changes: Changes<'CheckNow'> = {}): Asked =>
  (action) => ({
    type: 'CheckNow',
    revisionSeen: action.revision,
    rules,
    watched: notWatched,
    clockBehind: false,
    ...changes,
  });

export const archive =
  (changes: Changes<'ArchiveAction'> = {}): Asked =>
  (action) => ({
    type: 'ArchiveAction',
    file: 'archive-1.ndjson',
    revisionSeen: action.revision,
    previousHash: 'hash-before',
    position: 1,
    settledBefore: start + 100 * day,
    ...changes,
  });

export const report = (changes: Changes<'ReportEvidence'> = {}): ActionCommand => ({
  type: 'ReportEvidence',
  source: 'webhook',
  claims: 'success',
  proven: true,
  externalId: 'r-77',
  rules,
  ...changes,
});
