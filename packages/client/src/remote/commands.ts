// What people and other systems do about an action, and an action as it stands. Each is answered as the
// embedded ledger answers: done, refused, or damaged.
import type {
  CancelRequest,
  CheckNowRequest,
  EvidenceReport,
  EvidenceRequest,
  Ledger as Core,
  SettleRequest,
  VoteRequest,
  Waits,
} from '@action-ledger/application';
import {
  type ActionRefusalCode,
  checkJson,
  type JsonValue,
  newAction,
  type Refusal,
  refusal,
} from '@action-ledger/domain';
import { type Clock } from '@action-ledger/runtime';
import { type Ask, type Told } from './ask.ts';
import { noNames, type WithoutNames } from './names-by-key.ts';
import { unnamed } from './proposals.ts';
import { refusalOf, thrownFor } from './read-answer.ts';
import { actionOf, given, type RemoteAction } from './shown.ts';
import { held, pathOf, waitMsMax } from './until-rested.ts';

export interface Damaged {
  readonly kind: 'broken';
  readonly actionId: string;
  readonly reason: string;
}

export type RemoteLoaded = { readonly kind: 'action'; readonly action: RemoteAction } | Damaged;

export type RemotePerformed =
  { readonly kind: 'done'; readonly action: RemoteAction } | Refusal<ActionRefusalCode> | Damaged;

type CloseIncidentRequest = Parameters<Core['closeIncident']>[0];

export interface Commanding {
  vote(request: WithoutNames<VoteRequest>): Promise<RemotePerformed>;
  cancel(request: WithoutNames<CancelRequest>): Promise<RemotePerformed>;
  settle(request: WithoutNames<SettleRequest>): Promise<RemotePerformed>;
  checkNow(request: WithoutNames<CheckNowRequest>): Promise<RemotePerformed>;
  closeIncident(request: WithoutNames<CloseIncidentRequest>): Promise<RemotePerformed>;
  /** `source` stands on record behind the name of the key. */
  report(actionId: string, report: EvidenceReport): Promise<RemotePerformed>;
  /** By what its provider knows the action by; what matches none yet waits for it. */
  reportAbout(request: WithoutNames<EvidenceRequest>): Promise<RemotePerformed | Waits>;
  load(actionId: string): Promise<RemoteLoaded>;
  /** Waits until nothing is expected to happen to it within `waitMs`. */
  rest(actionId: string, waitMs: number): Promise<RemoteAction | undefined>;
}

export function commanding(ask: Ask, clock: Clock): Commanding {
  const command = async (
    what: string,
    request: { readonly actionId: string },
    path: string,
    body: object,
  ): Promise<RemotePerformed> => {
    noNames(what, request);
    const { actionId } = request;
    if (typeof actionId !== 'string') return unnamed('actionId');
    const told = await ask({ method: 'POST', path: pathOf(actionId, path), body });
    return performedOf(actionId, told);
  };
  return {
    vote: async (request) => {
      const { vote, argumentsHash, reason, revisionSeen } = request;
      const body = given({ vote, argumentsHash, reason, revisionSeen });
      return command('a vote', request, '/votes', body);
    },
    cancel: async (request) => command('a cancellation', request, '/cancel', seenBy(request)),
    settle: async (request) => {
      const { verdict, forced, externalId, result } = request;
      const plain = plainOf('result', result);
      if ('code' in plain) return plain;
      const more = given({ verdict, forced, externalId, result: plain.value });
      return command('a settlement', request, '/settle', { ...seenBy(request), ...more });
    },
    checkNow: async (request) =>
      command('a check', request, '/check', given({ revisionSeen: request.revisionSeen })),
    closeIncident: async (request) => {
      const path = `/incidents/${encodeURIComponent(request.incident)}/close`;
      return command('the end of an incident', request, path, seenBy(request));
    },
    report: async (actionId, report) => {
      const told = await reported(ask, { ...report, action: actionId });
      if (told.kind === 'waits') throw new Error('a report that names its action does not wait');
      return told;
    },
    reportAbout: async (request) => {
      noNames('a report', request);
      return reported(ask, request);
    },
    load: async (actionId) =>
      loadedOf(actionId, await ask({ method: 'GET', path: pathOf(actionId) })),
    rest: (actionId, waitMs) => rested(ask, clock, actionId, waitMs),
  };
}

function seenBy({ reason, revisionSeen }: { reason: string; revisionSeen: number }): object {
  return given({ reason, revisionSeen });
}

function invalid(member: string, wanted: string): Refusal<ActionRefusalCode> {
  const message = `Nothing was recorded: "${member}" must be ${wanted}.`;
  return refusal('action.request-invalid', message, { member });
}

/** JSON would drop or change what is no plain data, without a word. */
function plainOf(
  member: string,
  value: unknown,
): Refusal<ActionRefusalCode> | { readonly value: JsonValue | undefined } {
  if (value === undefined) return { value: undefined };
  const plain = checkJson(value);
  return plain.kind === 'refusal' ? invalid(member, `plain JSON. ${plain.message}`) : plain;
}

async function reported(
  ask: Ask,
  report: WithoutNames<EvidenceRequest>,
): Promise<RemotePerformed | Waits> {
  const { action, tool, downstreamKey, reference, id } = report;
  const { source, claims, proven, neverHadEffect, attempt, externalId } = report;
  const plain = plainOf('data', report.data);
  if ('code' in plain) return plain;
  const about = { action, tool, downstreamKey, reference };
  const said = { source, claims, proven, neverHadEffect, id, attempt, externalId };
  const told = await ask({
    method: 'POST',
    path: 'v1/evidence',
    body: given({ ...about, ...said, data: plain.value }),
  });
  if (told.kind !== 'answer') return performedOf(action ?? '', told);
  const { waitsUntil } = told.body;
  return typeof waitsUntil === 'number'
    ? { kind: 'waits', until: waitsUntil }
    : { kind: 'done', action: actionOf(told.body['action']) };
}

/** @throws RemoteFault, StoreFault, LedgerError where nothing is known to be refused */
function performedOf(actionId: string, told: Told): RemotePerformed {
  if (told.kind === 'answer') {
    const { vote, ...shown } = told.body;
    const action = actionOf(shown);
    return tooLate(vote, action) ?? { kind: 'done', action };
  }
  if (told.kind === 'fault') throw thrownFor(told);
  return damagedOr(actionId, told) ?? refusalOf(told);
}

/** A vote after the decision is told who decided, and when; it is no vote all the same. */
function tooLate(
  vote: unknown,
  { id: action, revision, status }: RemoteAction,
): Refusal<ActionRefusalCode> | undefined {
  const { counted, message, decided } = (vote ?? {}) as {
    readonly counted?: boolean;
    readonly message?: string;
    readonly decided?: Refusal['detail'];
  };
  if (counted !== false) return undefined;
  const detail = { action, revision, status, ...decided };
  return refusal('action.approval-decided', message ?? 'The approval was decided before.', detail);
}

function damagedOr(actionId: string, told: Told): Damaged | undefined {
  if (told.kind !== 'problem' || told.problem.code !== 'stream.broken') return undefined;
  return { kind: 'broken', actionId, reason: told.problem.detail ?? told.problem.title };
}

/** As an embedded ledger loads it: an action that is not there is new. */
function loadedOf(actionId: string, told: Told): RemoteLoaded {
  if (told.kind === 'answer') return { kind: 'action', action: actionOf(told.body) };
  if (told.kind === 'problem' && told.problem.code === 'action.unknown')
    return { kind: 'action', action: notThere(actionId) };
  const damaged = damagedOr(actionId, told);
  if (damaged === undefined) throw thrownFor(told);
  return damaged;
}

function notThere(actionId: string): RemoteAction {
  const { absentBefore: _absent, secret: _secret, ...shown } = newAction(actionId);
  return shown;
}

async function rested(
  ask: Ask,
  clock: Clock,
  actionId: string,
  waitMs: number,
): Promise<RemoteAction | undefined> {
  const until = clock.monoMs() + waitMs;
  for (;;) {
    const left = Math.max(0, Math.min(until - clock.monoMs(), waitMsMax));
    const look = { method: 'GET', path: pathOf(actionId), waitMs: left } as const;
    const { told, isHeldOnly } = await held(ask, clock, look);
    const loaded = loadedOf(actionId, told);
    if (loaded.kind === 'broken') return undefined;
    if (!isHeldOnly || clock.monoMs() >= until) return loaded.action;
  }
}
