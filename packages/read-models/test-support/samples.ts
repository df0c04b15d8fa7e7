// Sample data for every event that can move an action, chosen by a number: small pools, so that
// orders, runs and external ids meet.
import {
  type Action,
  type ActionEvent,
  type EventData,
  type EventType,
  isInDoubt,
} from '@action-ledger/domain';

export const tenants = ['t-1', 't-2'] as const;
export const tools = ['book', 'pay'] as const;
export const orders = ['o-1', 'o-2'] as const;
export const runs = ['r-1', 'r-2'] as const;
export const externalIds = ['x-1', 'x-2', 'x-3'] as const;

function pick<Value>(pool: readonly [Value, ...Value[]], choice: number): Value {
  return pool[choice % pool.length] ?? pool[0];
}

const watch = { owner: 'reconciler', nextCheckAt: 5_000 } as const;
const operator = { owner: 'operator', nextCheckAt: 9_000 } as const;
const call = (choice: number) => ({ run: pick(runs, choice), turn: '1', call: `c-${choice}` });

export function planned(choice = 0): EventData['ActionPlanned'] {
  return {
    tenant: pick(tenants, choice),
    tool: pick(tools, choice >> 1),
    epoch: 0,
    identityVersion: 1,
    arguments: { order: pick(orders, choice >> 2) },
    argumentsHash: 'hash',
    guarantee: 'natural',
    validUntil: 1_000_000,
    ...(choice % 5 === 0 ? {} : { call: call(choice >> 3) }),
  };
}

type Samples = {
  readonly [Type in EventType]: (choice: number, action: Action) => EventData[Type];
};

const success = (choice: number) => ({
  result: { ok: true },
  ...(choice % 3 === 0 ? {} : { externalId: pick(externalIds, choice) }),
});
const last = (action: Action): number => action.attempts.at(-1)?.attempt ?? 1;

const samples: Samples = {
  ActionPlanned: planned,
  ActionDenied: () => ({ policyVersion: '1', reason: 'no' }),
  ApprovalRequested: () => ({ votes: 1, ownVote: false, expiresAt: 1, argumentsHash: 'hash' }),
  ApprovalVoted: () => ({ voter: 'ann', vote: 'approve' }),
  ActionApproved: () => ({ voters: ['ann'] }),
  ActionRejected: () => ({ by: 'ann' }),
  ActionExpired: () => ({ reason: 'old' }),
  ActionCancelled: () => ({ by: 'ann', person: true, reason: 'no' }),
  ActionClaimed: () => ({ worker: 'w', leaseUntil: 1 }),
  ClaimExtended: (_, { claim }) => ({ claim: claim?.revision ?? 0, leaseUntil: 2 }),
  ClaimEnded: (_, action) => ({
    claim: action.claim?.revision ?? 0,
    reason: 'over',
    ...(isInDoubt(action) ? watch : {}),
  }),
  ActionDispatched: (_, action) => ({
    attempt: action.attempts.length + 1,
    downstreamKey: 'key',
    deadlineAt: 1,
    inFlightMs: 1,
  }),
  AttemptPresumed: (_, action) => ({
    attempt: action.attempts.length + 1,
    downstreamKey: 'key',
    inFlightMs: 1,
    recovery: 'recovery-0',
    knownUntil: 0,
    ...watch,
  }),
  RetryPlanned: (_, action) => ({ attempt: last(action), reason: 'busy', notBefore: 1 }),
  AttemptNotSent: (_, action) => ({ attempt: last(action), reason: 'late', notBefore: 1 }),
  AttemptRefused: (_, action) => ({ attempt: last(action), reason: 'no', ...watch }),
  ActionSucceeded: (choice, action) => ({ attempt: last(action), ...success(choice) }),
  ActionFailed: (_, action) => ({ attempt: last(action), reason: 'no' }),
  ActionOutcomeUnknown: (_, action) => ({
    attempt: last(action),
    reason: 'timeout',
    answered: false,
    ...watch,
  }),
  ReconciliationChecked: () => ({ check: 1, verdict: 'error', reason: 'down', ...watch }),
  ActionReconciled: (choice) =>
    choice % 2 === 0
      ? { verdict: 'found', by: 'reconciler', ...success(choice) }
      : { verdict: 'absent', by: 'reconciler' },
  OwnerAssigned: () => ({ reason: 'nobody', ...operator }),
  EvidenceRecorded: () => ({ source: 'webhook', claims: 'note' }),
  DuplicateEffectDetected: () => ({ externalIds: ['x-1'], proposal: 'undo', ...operator }),
  CallJoined: (choice) => ({ call: call(choice) }),
  ActionUndone: () => ({ by: 'undoer' }),
  CompensationPlanned: () => ({ by: 'undoer' }),
  ActionCompensated: () => ({ by: 'undoer' }),
  CompensationFailed: () => ({ by: 'undoer', reason: 'no', ...operator }),
  CancelRequested: () => ({ by: 'ann', person: true, reason: 'no' }),
  ActionSuperseded: () => ({ by: 'later' }),
  IncidentOpened: () => ({ incident: 'late', reason: 'late', ...operator }),
  IncidentClosed: () => ({ incident: 'late', by: 'ann', reason: 'seen' }),
  ActionArchived: (_, { id, revision, status, tenant, tool, plannedAt }) => ({
    action: id,
    file: 'archive.ndjson',
    through: revision,
    previousHash: 'hash',
    position: 1,
    state: { status, tenant, tool, plannedAt },
  }),
  NameReserved: () => ({ action: 'other' }),
};

export function sampleEvent(type: EventType, choice: number, action: Action): ActionEvent {
  return { type, data: samples[type](choice, action) } as ActionEvent;
}
