// What an action is, as folded from its stream. A projection of its events and nothing else.
import { type CallOrigin } from '../identity/declaration.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { type Observed } from './observed.ts';
import { type RecordedResult, type Watch } from './recorded-result.ts';
import { type TraceContext } from '../trace-context.ts';
import { type ActionGuarantee } from './tool-rules.ts';

export type ActionStatus =
  | 'new'
  | 'reserved'
  | 'planned'
  | 'awaiting_approval'
  | 'ready'
  | 'claimed'
  | 'dispatched'
  | 'unknown'
  | 'succeeded'
  | 'failed'
  | 'denied'
  | 'rejected'
  | 'expired'
  | 'cancelled'
  | 'superseded'
  | 'compensating'
  | 'compensated'
  | 'compensation_failed';

export interface Attempt {
  readonly attempt: number;
  readonly dispatchedAt: number;
  readonly deadlineAt: number;
  readonly inFlightMs: number;
  /** `running` under the claim it was dispatched by; doubt belongs to attempts, not to the action. */
  readonly state: 'running' | 'in doubt' | 'succeeded' | 'no effect';
  /** The provider replied to it. */
  readonly answered: boolean;
  /** The revision of the claim that it was dispatched under; absent where it is presumed. */
  readonly claim?: number;
  /** Who held that claim. */
  readonly worker?: string;
  /** Its claim ended before the holder had said what became of it. */
  readonly lost?: true;
  /** It may never have been: its time was lost from the record, and this recovery presumes it. */
  readonly presumed?: string;
}

export interface Claim {
  /** The fencing token: the revision of the claim's event. */
  readonly revision: number;
  readonly worker: string;
  readonly leaseUntil: number;
  /** What it was claimed for: no extension lasts longer. */
  readonly leaseMs: number;
  /** The action was in doubt when it was claimed: the claim's end leads to unknown, never to ready. */
  readonly resend: boolean;
  /** Held by a process that is no part of the ledger: it ends with its lease, not with the ledger's process. */
  readonly caller?: true;
}

export interface Vote {
  readonly voter: string;
  readonly vote: 'approve' | 'reject';
  readonly at: number;
}

export interface Approval {
  readonly votesNeeded: number;
  readonly ownVote: boolean;
  readonly expiresAt: number;
  readonly argumentsHash: string;
  readonly undoWindowMs: number;
  readonly policyVersion?: string;
  readonly reason?: string;
  readonly votes: readonly Vote[];
  readonly decided?: {
    readonly as: 'approved' | 'rejected' | 'expired' | 'ended';
    readonly at: number;
  };
}

export interface Ending {
  readonly at: number;
  readonly reason: string;
  readonly code?: string;
  readonly detail?: JsonValue;
  readonly by?: string;
  /** Stands against new calls until an operator's repeat (denied: until the policy version changes). */
  readonly stands: boolean;
  readonly policyVersion?: string;
}

export interface Incident extends Watch {
  readonly incident: string;
  readonly reason: string;
}

/** More than one effect of this action, or one that a later epoch repeated. */
export interface Duplicate {
  readonly externalIds: readonly string[];
  readonly other?: string;
}

export interface EvidenceItem {
  readonly source: string;
  readonly claims: 'success' | 'refusal' | 'note';
  readonly at: number;
  readonly id?: string;
  readonly attempt?: number;
  readonly externalId?: string;
  /** Before `at`, where it waited for its action. */
  readonly saidAt?: number;
  readonly data?: JsonValue;
  readonly digest?: string;
  readonly notes?: readonly string[];
}

export interface Archived {
  /** The name of the file that holds its events. */
  readonly file: string;
  /** The last revision in it. */
  readonly through: number;
  readonly at: number;
  /** Of these only a part is kept here. */
  readonly cut: readonly ('arguments' | 'result')[];
}

export interface Action {
  readonly status: ActionStatus;
  /** Of the last event; -1 for a stream without events. */
  readonly revision: number;
  readonly id: string;
  readonly tenant: string;
  readonly tool: string;
  readonly epoch: number;
  readonly key?: string;
  readonly identityVersion: number;
  readonly arguments: JsonObject;
  readonly argumentsHash: string;
  readonly guarantee: ActionGuarantee;
  readonly by?: string;
  readonly plannedAt: number;
  readonly updatedAt: number;
  readonly validUntil: number;
  /** When it was proposed, where it waited in a log before it was planned. */
  readonly saidAt?: number;
  readonly readyAt: number;
  readonly after?: string;
  readonly secret: boolean;
  readonly policyVersion?: string;
  readonly repeatOf?: string;
  readonly editOf?: string;
  readonly compensates?: string;
  readonly workflow?: { readonly id: string; readonly step: string };
  /** The call that created it first, then those that joined on record. */
  readonly calls: readonly CallOrigin[];
  readonly attempts: readonly Attempt[];
  readonly downstreamKey?: string;
  readonly undoes: readonly string[];
  readonly claim?: Claim | undefined;
  readonly approval?: Approval;
  readonly watch?: Watch | undefined;
  readonly checks: number;
  readonly unknownSince?: number | undefined;
  /** A verdict `absent` has been recorded at some time. */
  readonly absentBefore: boolean;
  readonly outcome?: RecordedResult & { readonly at: number };
  /** A success reported while an attempt runs; it decides when that attempt settles. */
  readonly reportedSuccess?:
    (RecordedResult & { readonly source: string; readonly attempt?: number }) | undefined;
  readonly ending?: Ending | undefined;
  readonly undoneBy?: string;
  readonly undoneAt?: number;
  readonly supersededBy?: string;
  /** What an edit made of its arguments: those of `supersededBy`, which the sweep creates if need be. */
  readonly edited?: JsonObject;
  readonly cancelRequested?: {
    readonly by: string;
    readonly person: boolean;
    readonly reason: string;
  };
  readonly compensatedBy?: string;
  readonly evidence: readonly EvidenceItem[];
  readonly incidents: readonly Incident[];
  /** Every one that was ever detected; its incident may be closed. */
  readonly duplicates: readonly Duplicate[];
  readonly reservedFor?: string;
  readonly trace?: TraceContext;
  /** The ledger only observed its call. */
  readonly observed?: Observed;
  readonly archived?: Archived;
}

export function newAction(id: string): Action {
  return {
    status: 'new',
    revision: -1,
    id,
    tenant: '',
    tool: '',
    epoch: 0,
    identityVersion: 1,
    arguments: {},
    argumentsHash: '',
    guarantee: 'manual',
    plannedAt: 0,
    updatedAt: 0,
    validUntil: 0,
    readyAt: 0,
    secret: false,
    calls: [],
    attempts: [],
    undoes: [],
    checks: 0,
    absentBefore: false,
    evidence: [],
    incidents: [],
    duplicates: [],
  };
}

/** Attempts that are neither succeeded nor proven without effect, the running one included. */
export function doubtful(action: Action): readonly Attempt[] {
  return action.attempts.filter(({ state }) => state === 'running' || state === 'in doubt');
}

export function isInDoubt(action: Pick<Action, 'attempts'>): boolean {
  return action.attempts.some(({ state }) => state === 'running' || state === 'in doubt');
}

/** How often it is known to have been dispatched. */
export function dispatches(action: Action): number {
  return action.attempts.filter(({ presumed }) => presumed === undefined).length;
}

export type EndedStatus = 'failed' | 'denied' | 'rejected' | 'expired' | 'cancelled';

/** Ended without effect, as far as is known. */
export function isEnded<Known extends Pick<Action, 'status'>>(
  action: Known,
): action is Known & { readonly status: EndedStatus } {
  switch (action.status) {
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return true;
    case 'new':
    case 'reserved':
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
    case 'succeeded':
    case 'superseded':
    case 'compensating':
    case 'compensated':
    case 'compensation_failed':
      return false;
  }
}

/** Something still has to happen: the action is in the due index. */
export function isOpen(action: Pick<Action, 'status'>): boolean {
  switch (action.status) {
    case 'planned':
    case 'awaiting_approval':
    case 'ready':
    case 'claimed':
    case 'dispatched':
    case 'unknown':
    case 'compensating':
      return true;
    case 'new':
    case 'reserved':
    case 'succeeded':
    case 'failed':
    case 'denied':
    case 'rejected':
    case 'expired':
    case 'cancelled':
    case 'superseded':
    case 'compensated':
    case 'compensation_failed':
      return false;
  }
}
