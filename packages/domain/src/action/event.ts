// The facts of one action, in its stream. Past tense; a meaning never changes, a shape changes only
// with a new version and an upcaster. Times are wall-clock milliseconds since the Unix epoch.
import { type CallOrigin } from '../identity/declaration.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { type TraceContext } from '../trace-context.ts';
import { type RecordedResult, type Watch } from './recorded-result.ts';
import { type Observed } from './observed.ts';
import { type Action } from './state.ts';
import { type ActionGuarantee } from './tool-rules.ts';

export { type Owner, type RecordedResult, type Watch } from './recorded-result.ts';

export interface ActionPlanned {
  readonly tenant: string;
  readonly tool: string;
  readonly epoch: number;
  /** The caller's own key; absent where the key is derived. */
  readonly key?: string;
  readonly identityVersion: number;
  readonly arguments: JsonObject;
  readonly argumentsHash: string;
  readonly guarantee: ActionGuarantee;
  readonly validUntil: number;
  /** When it was proposed, where it waited in a log before it was planned. */
  readonly saidAt?: number;
  /** The call that created the action. */
  readonly call?: CallOrigin;
  /** On whose behalf. */
  readonly by?: string;
  /** The end of the undo window, where there is one. */
  readonly readyAt?: number;
  /** Waits until this undoer of the epoch before has settled. */
  readonly after?: string;
  readonly policy?: { readonly version: string; readonly reason?: string };
  readonly repeatOf?: { readonly action: string; readonly reason: string; readonly by: string };
  /** A person's edit of an action that had not been sent; its callers get this one's outcome. */
  readonly editOf?: { readonly action: string; readonly reason: string; readonly by: string };
  /** The action whose effect this one undoes on behalf of a workflow. */
  readonly compensates?: string;
  /** The step of a workflow that it carries out, or (with `compensates`) undoes. */
  readonly workflow?: { readonly id: string; readonly step: string };
  /** Secret arguments are held by the proposing process alone. */
  readonly secret?: true;
  /** Of the proposal that created it: in no key and no hash of arguments. */
  readonly trace?: TraceContext;
  /** The ledger only observed the call. */
  readonly observed?: Observed;
}

export interface EventData {
  readonly ActionPlanned: ActionPlanned;
  readonly ActionDenied: { readonly policyVersion: string; readonly reason: string };
  readonly ApprovalRequested: {
    readonly votes: number;
    readonly ownVote: boolean;
    readonly expiresAt: number;
    readonly argumentsHash: string;
    readonly undoWindowMs?: number;
    readonly policyVersion?: string;
    readonly reason?: string;
  };
  readonly ApprovalVoted: {
    readonly voter: string;
    readonly vote: 'approve' | 'reject';
    readonly reason?: string;
  };
  readonly ActionApproved: { readonly voters: readonly string[]; readonly readyAt?: number };
  readonly ActionRejected: { readonly by: string; readonly reason?: string };
  readonly ActionExpired: { readonly reason: string };
  readonly ActionCancelled: {
    readonly by: string;
    /** By a person's wish: it stands until an operator's repeat. */
    readonly person: boolean;
    readonly reason: string;
    /** The action whose outcome the callers of this one get. */
    readonly supersededBy?: string;
    /** By an edit: the arguments that the other one is created with. */
    readonly edited?: JsonObject;
  };
  readonly ActionClaimed: {
    readonly worker: string;
    readonly leaseUntil: number;
    /** On behalf of a caller that carries it out in a process of its own. */
    readonly caller?: true;
  };
  readonly ClaimExtended: { readonly claim: number; readonly leaseUntil: number };
  readonly ClaimEnded: { readonly claim: number; readonly reason: string } & Partial<Watch>;
  readonly ActionDispatched: {
    readonly attempt: number;
    readonly downstreamKey: string;
    readonly deadlineAt: number;
    readonly inFlightMs: number;
    /** The actions whose effects this one undoes when it succeeds: the latest of each matching identity. */
    readonly undoes?: readonly string[];
  };
  /** The store went back in time: an attempt that it has no record of may have been dispatched. */
  readonly AttemptPresumed: Watch & {
    readonly attempt: number;
    readonly downstreamKey: string;
    readonly inFlightMs: number;
    /** The stream of the recovery. */
    readonly recovery: string;
    /** The record is whole up to then: it was dispatched after that, if at all. */
    readonly knownUntil: number;
    readonly undoes?: readonly string[];
  };
  readonly RetryPlanned: AttemptEnd & { readonly notBefore: number };
  readonly AttemptNotSent: AttemptEnd & { readonly notBefore: number } & Partial<Watch>;
  readonly AttemptRefused: AttemptEnd & Watch;
  readonly ActionSucceeded: RecordedResult & {
    /** Absent where no attempt of ours is known to have made the effect. */
    readonly attempt?: number;
    readonly source?: string;
  };
  readonly ActionFailed: {
    readonly attempt?: number;
    readonly reason: string;
    readonly code?: string;
    readonly detail?: JsonValue;
    /** An operator's decision against the doubt, which is kept on record. */
    readonly forced?: { readonly by: string };
  };
  readonly ActionOutcomeUnknown: Watch & {
    readonly attempt: number;
    readonly reason: string;
    /** The provider replied: the request is not under way any more. */
    readonly answered: boolean;
    /** Not said by the claim's holder: the lease ended, or the holder did. */
    readonly lost?: true;
  };
  readonly ReconciliationChecked: Watch & {
    readonly check: number;
    readonly verdict: 'absent' | 'ambiguous' | 'error';
    readonly reason: string;
  };
  readonly ActionReconciled: {
    readonly verdict: 'found' | 'absent';
    readonly by: string;
    readonly reason?: string;
    readonly result?: JsonValue;
    readonly externalId?: string;
    readonly digest?: string;
    readonly notes?: readonly string[];
    /** `absent`: when the next attempt may start. */
    readonly notBefore?: number;
  };
  readonly OwnerAssigned: Watch & { readonly reason: string };
  readonly EvidenceRecorded: {
    readonly source: string;
    readonly claims: 'success' | 'refusal' | 'note';
    /** The reporter's own id of what it says. */
    readonly id?: string;
    readonly attempt?: number;
    readonly externalId?: string;
    /** It waited for its action since then, wall-clock ms since the epoch. */
    readonly saidAt?: number;
    readonly data?: JsonValue;
    /** Of `data` only a part is kept. */
    readonly digest?: string;
    readonly notes?: readonly string[];
  };
  readonly DuplicateEffectDetected: Watch & {
    readonly externalIds: readonly string[];
    readonly other?: string;
    /** What an operator may do about it. */
    readonly proposal: string;
  };
  readonly CallJoined: { readonly call: CallOrigin };
  readonly ActionUndone: { readonly by: string };
  readonly CompensationPlanned: { readonly by: string };
  readonly ActionCompensated: { readonly by: string };
  readonly CompensationFailed: Watch & { readonly by: string; readonly reason: string };
  readonly CancelRequested: {
    readonly by: string;
    readonly person: boolean;
    readonly reason: string;
  };
  readonly ActionSuperseded: { readonly by: string };
  readonly IncidentOpened: Watch & { readonly incident: string; readonly reason: string };
  readonly IncidentClosed: {
    readonly incident: string;
    readonly by: string;
    readonly reason: string;
  };
  /** Nothing is left to happen, and its events up to here are in a file: the stream may begin here. */
  readonly ActionArchived: {
    /** Its own id: a stream that begins here is known by it. */
    readonly action: string;
    /** The name of the file. */
    readonly file: string;
    /** The last revision that is in it, and its hash: what this event is chained to. */
    readonly through: number;
    readonly previousHash: string;
    /** Where its first event stood among all. */
    readonly position: number;
    /** All that is kept of what they led to. */
    readonly state: ArchivedState;
    /** Of these only a part is kept. */
    readonly cut?: readonly ('arguments' | 'result')[];
  };
  /** The whole content of a stream that only keeps an older name of an action from being taken. */
  readonly NameReserved: { readonly action: string };
}

/** A state without what its event tells, and without what is as in an action that has just begun. */
export type ArchivedState = Partial<Omit<Action, 'id' | 'revision' | 'archived' | 'status'>> &
  Pick<Action, 'status'>;

export interface AttemptEnd {
  readonly attempt: number;
  readonly reason: string;
  readonly code?: string;
}

export type EventType = keyof EventData;

export type ActionEvent = {
  readonly [Type in EventType]: { readonly type: Type; readonly data: EventData[Type] };
}[EventType];

/** Where an event stands: its revision in the stream and the wall-clock time of its append. */
export interface EventPlace {
  readonly revision: number;
  readonly at: number;
}
