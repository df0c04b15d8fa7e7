// One event of an action as a sentence: what it adds to what its type says.
import {
  type ActionEvent,
  type CallOrigin,
  type EventData,
  type EventType,
  type ToldObserved,
} from '@action-ledger/domain';
import { printable, printableJson } from '../format/printable.ts';
import { dateTime, duration } from '../format/time.ts';
import { shortId } from '../ledger-file/find-action.ts';

/** @param at when the event was recorded, wall-clock ms */
export function eventText(event: ActionEvent, at: number): string {
  const text = texts[event.type] as ((data: ActionEvent['data'], at: number) => string) | undefined;
  // A type that only a newer version knows has no text here.
  return printable(text?.(event.data, at) ?? '');
}

type Texts = { readonly [Type in EventType]: (data: EventData[Type], at: number) => string };

const texts: Texts = {
  ActionPlanned: plannedText,
  ActionDenied: ({ policyVersion, reason }) => `by policy ${policyVersion}: ${reason}`,
  ApprovalRequested: ({ votes, expiresAt, reason }, at) =>
    `${votes === 1 ? '1 vote' : `${votes} votes`} needed within ${duration(expiresAt - at)}${because(reason)}`,
  ApprovalVoted: ({ voter, vote, reason }) => `${voter} votes to ${vote}${because(reason)}`,
  ActionApproved: ({ voters, readyAt }, at) =>
    `by ${voters.join(', ')}${readyAt === undefined ? '' : `, after an undo window of ${duration(readyAt - at)}`}`,
  ActionRejected: ({ by, reason }) => `by ${by}${because(reason)}`,
  ActionExpired: ({ reason }) => reason,
  ActionCancelled: ({ by, reason, supersededBy }) =>
    `by ${by}: ${reason}${supersededBy === undefined ? '' : `; its callers get ${shortId(supersededBy)}`}`,
  ActionClaimed: ({ worker, leaseUntil }, at) =>
    `by worker ${worker.slice(0, 8)}, lease ${duration(leaseUntil - at)}`,
  ClaimExtended: ({ leaseUntil }, at) => `lease now ${duration(leaseUntil - at)}`,
  ClaimEnded: ({ reason }) => reason,
  ActionDispatched: dispatchedText,
  AttemptPresumed: ({ attempt, recovery, knownUntil }) =>
    `attempt ${attempt} may have been dispatched after ${dateTime(knownUntil)} UTC, where the record of ${recovery} ends`,
  RetryPlanned: (data, at) =>
    `${withoutEffect(data)}, again after ${duration(data.notBefore - at)}`,
  AttemptNotSent: (data, at) =>
    `attempt ${data.attempt}: ${data.reason}, again after ${duration(data.notBefore - at)}`,
  AttemptRefused: withoutEffect,
  ActionSucceeded: ({ attempt, source, ...result }) =>
    `${attemptOf(attempt)}${resultText(result)}${source === undefined ? '' : `, told by ${source}`}`,
  ActionFailed: ({ attempt, reason, forced }) =>
    `${attemptOf(attempt)}${reason}${forced === undefined ? '' : ` (forced by ${forced.by}; its doubt is kept)`}`,
  ActionOutcomeUnknown: ({ attempt, reason, answered }) =>
    `attempt ${attempt}: ${reason}${answered ? '' : ' (unanswered)'}`,
  ReconciliationChecked: ({ check, verdict, reason }) => `check ${check}: ${verdict}, ${reason}`,
  ActionReconciled: ({ verdict, by, reason, result, externalId }) =>
    `${verdict} by ${by}${because(reason)}${verdict === 'found' ? `; ${resultText({ result: result ?? null, externalId })}` : ''}`,
  OwnerAssigned: ({ owner, reason }) => `${owner}: ${reason}`,
  EvidenceRecorded: ({ source, claims, externalId }) =>
    `${source} reports a ${claims}${externalIdText(externalId)}`,
  DuplicateEffectDetected: ({ externalIds, other, proposal }) =>
    `effects ${externalIds.join(' and ')}${other === undefined ? '' : ` with ${shortId(other)}`}; ${proposal}`,
  CallJoined: ({ call }) => `${callText(call)} gets the same outcome`,
  ActionUndone: byAction,
  CompensationPlanned: byAction,
  ActionCompensated: byAction,
  CompensationFailed: ({ by, reason }) => `${shortId(by)}: ${reason}`,
  CancelRequested: ({ by, reason }) => `by ${by}: ${reason}; kept until the doubt is settled`,
  ActionSuperseded: byAction,
  IncidentOpened: ({ incident, reason }) => `${incident}: ${reason}`,
  IncidentClosed: ({ incident, by, reason }) => `${incident} by ${by}: ${reason}`,
  ActionArchived: ({ through, file, cut = [] }) =>
    `up to revision ${through} in ${file}${cut.length === 0 ? '' : `; ${cut.join(' and ')} kept in part`}`,
  NameReserved: ({ action }) => `an older name of ${shortId(action)}`,
};

function plannedText(data: EventData['ActionPlanned'], at: number): string {
  const parts = [
    `${data.tool} ${printableJson(data.arguments)}`,
    data.call === undefined ? undefined : callText(data.call),
    data.key === undefined ? undefined : `key ${data.key}`,
    data.by === undefined ? undefined : `for ${data.by}`,
    data.epoch === 0 ? undefined : `epoch ${data.epoch}`,
    data.repeatOf === undefined
      ? undefined
      : `repeats ${shortId(data.repeatOf.action)} for ${data.repeatOf.by}: ${data.repeatOf.reason}`,
    data.editOf === undefined
      ? undefined
      : `an edit of ${shortId(data.editOf.action)} by ${data.editOf.by}: ${data.editOf.reason}`,
    data.compensates === undefined ? undefined : `compensates ${shortId(data.compensates)}`,
    data.after === undefined ? undefined : `waits for ${shortId(data.after)}`,
    data.observed === undefined ? undefined : observedText(data.observed),
    data.readyAt === undefined ? undefined : `undo window ${duration(data.readyAt - at)}`,
    `valid for ${duration(data.validUntil - at)}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** `only observed: would be duplicate with h3kx81AbQz.0 (succeeded)`. */
export function observedText({ would, action, reason }: ToldObserved): string {
  if (would === 'send') return 'only observed';
  const of = action === undefined ? '' : ` with ${shortId(action)}`;
  return `only observed: would be ${would}${of}${reason === undefined ? '' : ` (${reason})`}`;
}

function dispatchedText(data: EventData['ActionDispatched'], at: number): string {
  const undoes = data.undoes ?? [];
  const undoing = undoes.length === 0 ? '' : `, undoes ${undoes.map(shortId).join(', ')}`;
  return `attempt ${data.attempt} under downstream key ${data.downstreamKey.slice(0, 12)}…, deadline ${duration(data.deadlineAt - at)}${undoing}`;
}

/** `run r1, turn 2, call c7`. */
export function callText(call: CallOrigin): string {
  return (['conversation', 'run', 'turn', 'call'] as const)
    .flatMap((part) => (call[part] === undefined ? [] : [`${part} ${call[part]}`]))
    .join(', ');
}

function resultText(data: {
  readonly result: unknown;
  readonly externalId?: string | undefined;
}): string {
  const result = data.result === null ? 'no result' : printableJson(data.result);
  return `${result}${externalIdText(data.externalId)}`;
}

function byAction({ by }: { readonly by: string }): string {
  return `by ${shortId(by)}`;
}

function withoutEffect({ attempt, reason }: EventData['AttemptRefused' | 'RetryPlanned']): string {
  return `attempt ${attempt} without effect: ${reason}`;
}

function externalIdText(id: string | undefined): string {
  return id === undefined ? '' : ` (external id ${id})`;
}

function attemptOf(attempt: number | undefined): string {
  return attempt === undefined ? '' : `attempt ${attempt}: `;
}

function because(reason: string | undefined): string {
  return reason === undefined ? '' : `: ${reason}`;
}
