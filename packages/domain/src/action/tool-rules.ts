// The part of a tool's declaration that the lifecycle decides by. Times in milliseconds.

/** As a tool declares it. */
export type Guarantee = 'idempotent' | 'lookup' | 'natural' | 'manual';

/** As an action was planned under it. `observed`: the ledger only watches, and every call goes out. */
export type ActionGuarantee = Guarantee | 'observed';

export interface RetryRules {
  /** Dispatches in all, the first included. */
  readonly attemptsMax: number;
  readonly backoffMinMs: number;
  readonly backoffMaxMs: number;
}

export interface ApprovalRules {
  /** Approving votes needed, each by another person. */
  readonly votes: number;
  /** Whether the person on whose behalf the action was proposed may vote. */
  readonly ownVote: boolean;
  /** How long votes are taken. */
  readonly expiresAfterMs: number;
}

export interface CheckRules {
  readonly intervalMinMs: number;
  readonly intervalMaxMs: number;
  /** After so many checks, or so long, an operator owns the unknown. */
  readonly checksMax: number;
  readonly escalateAfterMs: number;
}

/** `match`: a field of the undoer (`arguments.x`, `outcome.x`) equals one of the undone action. */
export interface UndoneBy {
  readonly tool: string;
  readonly match: Readonly<Record<string, string>>;
}

export interface ToolRules {
  readonly tool: string;
  readonly guarantee: ActionGuarantee;
  /** From dispatch until `execute` is aborted. */
  readonly timeoutMs: number;
  /** From dispatch until no request of the attempt can arrive any more. */
  readonly inFlightMs: number;
  readonly leaseMs: number;
  /** `lookup`: how long a read may lag behind the write. */
  readonly settleMs: number;
  /** `idempotent`: how long the provider remembers a downstream key. 0 for the others. */
  readonly keyWindowMs: number;
  readonly validForMs: number;
  /** Between planning and dispatch, in which a cancel still helps. 0: none. */
  readonly undoWindowMs: number;
  readonly retry: RetryRules;
  readonly checks: CheckRules;
  readonly undoneBy: readonly UndoneBy[];
  /** The tool has a lookup, whatever its guarantee. */
  readonly canLookUp: boolean;
}

export const defaultTimes = {
  timeoutMs: 30_000,
  inFlightAfterDeadlineMs: 30_000,
  leaseAfterDeadlineMs: 10_000,
  settleMs: 10_000,
  validForMs: 24 * 3_600_000,
  approvalMs: 24 * 3_600_000,
  sweepMs: 5_000,
} as const;

export const defaultRetry: RetryRules = { attemptsMax: 4, backoffMinMs: 500, backoffMaxMs: 60_000 };

export const defaultChecks: CheckRules = {
  intervalMinMs: 5_000,
  intervalMaxMs: 3_600_000,
  checksMax: 12,
  escalateAfterMs: 24 * 3_600_000,
};

/** The provider's key window ends earlier for us: clocks may differ by this much. */
export const skewMarginMs = 5 * 60_000;
