// What can be asked of an action. Imperative; every command carries the facts it is judged by, so
// that deciding needs no clock, no randomness and no I/O.
import { type CallOrigin } from '../identity/declaration.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { type ActionPlanned, type RecordedResult } from './event.ts';
import { type ApprovalRules, type ToolRules } from './tool-rules.ts';

/** What the policy port said, before recording or again before dispatch. */
export interface PolicyDecision {
  readonly effect: 'allow' | 'deny' | 'ask';
  readonly version: string;
  readonly reason?: string;
}

/**
 * How long the judge (the process that decides about a second dispatch) has watched, by its own
 * monotonic clock. Both start again with the process.
 */
export interface Watched {
  /** Since it first saw the last dispatch in doubt (for a verdict: until the lookup was sent). */
  readonly doubtMs: number;
  /** Since it first saw the first dispatch of the action. */
  readonly firstDispatchMs: number;
}

export type AttemptOutcome =
  | ({ readonly kind: 'succeeded' } & RecordedResult)
  | {
      readonly kind: 'no effect';
      readonly reason: string;
      readonly code?: string;
      readonly detail?: JsonValue;
      readonly retryable: boolean;
      readonly retryAfterMs?: number;
      /** As the provider says: no request with our key has ever had an effect. */
      readonly neverHadEffect?: boolean;
    }
  | {
      readonly kind: 'in doubt';
      readonly reason: string;
      readonly answered: boolean;
      readonly retryAfterMs?: number;
    }
  | { readonly kind: 'not sent'; readonly reason: string };

/** What is taken to have been dispatched after `knownUntil`, in a time that the store has lost. */
export interface Presumption {
  /** The stream of the recovery. */
  readonly recovery: string;
  readonly knownUntil: number;
  readonly downstreamKey: string;
  readonly undoes?: readonly string[];
}

export interface PlanAction {
  readonly type: 'PlanAction';
  readonly plan: Omit<ActionPlanned, 'validUntil' | 'readyAt' | 'guarantee' | 'policy'>;
  readonly policy: PolicyDecision;
  readonly rules: ToolRules;
  readonly approval?: ApprovalRules;
  /** When it was proposed, where that is not now: it is valid from then on. */
  readonly saidAt?: number;
  /** The record of a time in which it may have been dispatched is lost: it starts in doubt. */
  readonly presumed?: Presumption;
  /** Claim and dispatch in the same append, where nothing holds the action back. */
  readonly dispatch?: {
    readonly worker: string;
    readonly downstreamKey: string;
    readonly undoes?: readonly string[];
    /** The worker is a process that is no part of the ledger. */
    readonly caller?: true;
  };
  /** Cancelled in the same append: whoever else would create it finds the place taken. */
  readonly cancelled?: { readonly reason: string };
}

export type ActionCommand =
  | PlanAction
  | { readonly type: 'ReserveName'; readonly action: string }
  | {
      readonly type: 'Vote';
      readonly voter: string;
      readonly vote: 'approve' | 'reject';
      readonly argumentsHash: string;
      readonly reason?: string;
      /** Beside the arguments, which a vote is bound to. */
      readonly revisionSeen?: number;
    }
  | { readonly type: 'Expire' }
  | {
      readonly type: 'Cancel';
      readonly by: string;
      readonly person: boolean;
      readonly reason: string;
      readonly revisionSeen?: number;
      readonly supersededBy?: string;
      readonly edited?: JsonObject;
    }
  | {
      readonly type: 'Claim';
      readonly worker: string;
      readonly rules: ToolRules;
      readonly watched: Watched;
      /** The wall clock is behind the highest event time: no key window can be trusted. */
      readonly clockBehind: boolean;
      /** The worker is a process that is no part of the ledger. */
      readonly caller?: true;
    }
  | ({ readonly type: 'PresumeAttempt'; readonly rules: ToolRules } & Presumption)
  | {
      readonly type: 'ExtendClaim';
      readonly claim: number;
      readonly leaseMs: number;
      /** Named by whoever only says that it holds the claim. */
      readonly worker?: string;
    }
  | {
      readonly type: 'EndClaim';
      readonly claim: number;
      readonly reason: string;
      readonly rules: ToolRules;
    }
  | {
      readonly type: 'Recheck';
      readonly claim: number;
      readonly policy: PolicyDecision;
      readonly rules: ToolRules;
      readonly approval?: ApprovalRules;
    }
  | {
      readonly type: 'Dispatch';
      readonly claim: number;
      readonly downstreamKey: string;
      readonly rules: ToolRules;
      readonly undoes?: readonly string[];
    }
  | {
      readonly type: 'RecordOutcome';
      readonly claim: number;
      /** Named by whoever only says that it holds the claim. */
      readonly worker?: string;
      readonly attempt: number;
      readonly outcome: AttemptOutcome;
      readonly rules: ToolRules;
      /** In [0, 1): full jitter of the backoff. */
      readonly jitter: number;
      readonly joined?: readonly CallOrigin[];
    }
  | {
      readonly type: 'LoseAttempt';
      readonly reason: string;
      readonly rules: ToolRules;
      readonly joined?: readonly CallOrigin[];
    }
  | {
      readonly type: 'RecordVerdict';
      readonly verdict:
        | ({ readonly kind: 'found' } & RecordedResult)
        | { readonly kind: 'absent' }
        | { readonly kind: 'ambiguous' | 'error'; readonly reason: string };
      /** The revision read before the lookup was sent. */
      readonly revisionRead: number;
      readonly watched: Watched;
      readonly rules: ToolRules;
      readonly joined?: readonly CallOrigin[];
    }
  | {
      readonly type: 'Settle';
      readonly by: string;
      readonly revisionSeen: number;
      readonly reason: string;
      readonly verdict:
        | ({ readonly kind: 'found' } & RecordedResult)
        | { readonly kind: 'absent'; readonly forced?: boolean };
      readonly watched: Watched;
      readonly rules: ToolRules;
      readonly joined?: readonly CallOrigin[];
    }
  | {
      readonly type: 'AssignOwner';
      readonly owner: 'reconciler' | 'operator';
      readonly nextCheckAt: number;
      readonly reason: string;
    }
  /** A person asks: it is due now, whatever its next check was to be. */
  | {
      readonly type: 'CheckNow';
      readonly revisionSeen: number;
      readonly rules: ToolRules;
      readonly watched: Watched;
      readonly clockBehind: boolean;
      /** Its secret arguments are lost: it is neither asked about nor sent. */
      readonly secretLost?: true;
    }
  | {
      readonly type: 'ReportEvidence';
      readonly source: string;
      readonly claims: 'success' | 'refusal' | 'note';
      /** By our key or reference. */
      readonly proven: boolean;
      /** `refusal`: the provider says that it never had an effect for our key. Settles where proven. */
      readonly neverHadEffect?: boolean;
      /** The reporter's own id of what it says: said again, it counts once, whatever the data. */
      readonly id?: string;
      readonly attempt?: number;
      readonly externalId?: string;
      /** When it was said, where that was before now: it waited for its action. */
      readonly saidAt?: number;
      readonly data?: JsonValue;
      /** Of `data` only a part is kept. */
      readonly digest?: string;
      readonly notes?: readonly string[];
      readonly rules: ToolRules;
      /** `neverHadEffect` settles only after the waits of `absent`. */
      readonly watched?: Watched;
      readonly joined?: readonly CallOrigin[];
    }
  | {
      readonly type: 'DetectDuplicate';
      readonly externalIds: readonly string[];
      readonly other?: string;
      readonly proposal: string;
    }
  | { readonly type: 'JoinCalls'; readonly calls: readonly CallOrigin[] }
  | { readonly type: 'MarkUndone'; readonly by: string }
  | { readonly type: 'Supersede'; readonly by: string }
  | { readonly type: 'PlanCompensation'; readonly by: string }
  | {
      readonly type: 'RecordCompensation';
      readonly by: string;
      readonly succeeded: boolean;
      readonly reason: string;
    }
  | {
      readonly type: 'CloseIncident';
      readonly incident: string;
      readonly by: string;
      readonly reason: string;
      readonly revisionSeen: number;
    }
  | {
      readonly type: 'ArchiveAction';
      /** Where its events up to `revisionSeen` are. */
      readonly file: string;
      readonly revisionSeen: number;
      /** Of the event at `revisionSeen`. */
      readonly previousHash: string;
      /** Of its first event, also where that is archived. */
      readonly position: number;
      /** Nothing may have happened to it since. Wall-clock ms. */
      readonly settledBefore: number;
      /** What is kept of them, where that is not all. */
      readonly arguments?: JsonObject;
      readonly outcome?: RecordedResult;
    };

export type CommandOf<Type extends ActionCommand['type']> = Extract<
  ActionCommand,
  { readonly type: Type }
>;
