// What a tool's author writes. `defineTool` checks it and fills the defaults of DESIGN.md section 5.
import { type ZodType } from 'zod';
import {
  type CallOrigin,
  type FieldPath,
  type Guarantee,
  type JsonValue,
  type Normalization,
  type Scope,
  type UndoneBy,
} from '@action-ledger/domain';
import { type AttemptResult } from './attempt-result.ts';
import { type Duration } from './duration.ts';

export interface AttemptTimes {
  readonly attempt: number;
  /** Wall clock, ms since the epoch. */
  readonly dispatchedAt: number;
  readonly deadlineAt: number;
}

export interface Evidence {
  readonly source: string;
  readonly at: number;
  readonly externalId?: string;
  readonly data?: JsonValue;
}

/** What `execute` and `lookup` receive. */
export interface AttemptContext<Args> {
  readonly actionId: string;
  readonly tenant: string;
  readonly tool: string;
  readonly arguments: Args;
  /** The call that created the action. */
  readonly origin?: CallOrigin;
  /** The key the provider sees: the same for every attempt of this action. */
  readonly downstreamKey: string;
  /** Every dispatch so far, this one included, in order. */
  readonly attempts: readonly AttemptTimes[];
  readonly evidence: readonly Evidence[];
  /** Aborted at the deadline, or when the claim is lost. */
  readonly signal: AbortSignal;
  /** W3C trace context of the proposal, to be passed on downstream. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

export interface ExecuteContext<Args> extends AttemptContext<Args> {
  readonly attempt: number;
  /**
   * Call it in the tick of the send, before the first byte leaves.
   * @throws NotSent when the deadline has passed or the claim is known to be lost: then send nothing.
   */
  readonly beforeSend: () => void;
}

/** What a lookup says. An error is thrown, and is never taken for `absent`. */
export type LookupVerdict =
  | { readonly verdict: 'found'; readonly externalId?: string; readonly result?: unknown }
  | { readonly verdict: 'absent' }
  | { readonly verdict: 'ambiguous'; readonly reason: string };

/** A function must give the same text for the same key, and another for another. */
export type DownstreamKeyFormat = 'base64url' | 'uuid' | 'hex' | ((key: string) => string);

export interface Policy {
  readonly effect: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
}

export interface ApprovalDeclaration<Args> {
  /** Approving votes needed. Default 1. */
  readonly votes?: number;
  /** May the proposer vote? Default false. */
  readonly ownVote?: boolean;
  readonly expiresAfter?: Duration;
  /** Ask only when this holds. Default: always. */
  readonly when?: (args: Args) => boolean;
}

/**
 * The identity part of a declaration as an older identityVersion had it, word for word: what was left
 * out then is left out here. Its fields must still exist.
 */
export interface PreviousIdentity {
  readonly identityVersion: number;
  readonly identity?: readonly FieldPath[];
  readonly free?: readonly FieldPath[];
  readonly normalize?: Readonly<Record<FieldPath, Normalization | readonly Normalization[]>>;
  readonly sets?: readonly FieldPath[];
  readonly scope?: Scope;
}

export interface ToolDefinition<Args = never, Result = unknown> {
  readonly name: string;
  /** `read` passes through: nothing is recorded. Default `write`. */
  readonly kind?: 'write' | 'read';
  readonly description?: string;
  readonly input: ZodType<Args>;
  readonly identity?: readonly FieldPath[];
  readonly free?: readonly FieldPath[];
  readonly normalize?: Readonly<Record<FieldPath, Normalization | readonly Normalization[]>>;
  readonly sets?: readonly FieldPath[];
  readonly secret?: readonly FieldPath[];
  /** `arguments.x` or `outcome.x`: never cut from a stored outcome; may be matched by `undoneBy`. */
  readonly keep?: readonly string[];
  readonly identityVersion?: number;
  /** Older versions whose actions are still met under their names, newest first. */
  readonly previously?: readonly PreviousIdentity[];
  readonly scope?: Scope;
  /** `caller`: each proposal must bring a key of its own. Default `derived` from the identity. */
  readonly key?: 'derived' | 'caller';
  /** Required for a write. */
  readonly guarantee?: Guarantee;
  /** Required for `idempotent`: how long the provider remembers a key. */
  readonly keyWindow?: Duration;
  readonly settleMs?: number;
  readonly timeoutMs?: number;
  readonly inFlightMs?: number;
  readonly leaseMs?: number;
  readonly validFor?: Duration;
  readonly undoneBy?: readonly UndoneBy[];
  readonly approval?: boolean | ApprovalDeclaration<Args>;
  readonly undoWindow?: Duration;
  readonly retry?: {
    readonly attempts?: number;
    readonly backoffMinMs?: number;
    readonly backoffMaxMs?: number;
  };
  readonly checks?: {
    readonly intervalMinMs?: number;
    readonly intervalMaxMs?: number;
    readonly checksMax?: number;
    readonly escalateAfterMs?: number;
  };
  /** How much of it may run at once, in one process. Default: no limit. */
  readonly load?: {
    /** Attempts under way. */
    readonly concurrent?: number;
    /** Sends; as many may follow one another at once. */
    readonly perSecond?: number;
    /** Fields: of those with equal values only one is under way. */
    readonly oneAtATime?: readonly FieldPath[];
  };
  /** The built-in policy: decides before anything is recorded and again before dispatch. */
  readonly policy?: {
    readonly version: string;
    readonly decide: (args: Args, context: { readonly tenant: string }) => Policy;
  };
  /** How the provider wants to see the key. Default: 43 base64url characters. */
  readonly downstreamKey?: DownstreamKeyFormat;
  readonly execute: (
    context: ExecuteContext<Args>,
  ) => Promise<AttemptResult<Result> | Result> | AttemptResult<Result> | Result;
  readonly lookup?: (context: AttemptContext<Args>) => Promise<LookupVerdict> | LookupVerdict;
  /** How the effect is undone: the tool and arguments of the compensating action. */
  readonly compensate?: {
    readonly tool: string;
    readonly arguments: (original: {
      readonly arguments: Args;
      readonly result: JsonValue;
      readonly externalId?: string;
    }) => Record<string, unknown>;
  };
}
