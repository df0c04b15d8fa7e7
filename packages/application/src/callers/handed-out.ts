// What a caller is handed with a dispatch of its own, and how its request is known again.
import { type Action, type CallOrigin, type Claim, type JsonObject } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Parts } from '../core/parts.ts';
import { type Caller } from '../propose/proposal.ts';

/** A dispatch in a caller's hands. Times in ms; `…At` by the ledger's wall clock. */
export interface HandedOut {
  readonly attempt: number;
  /** The revision of the claim: the fencing token. */
  readonly claim: number;
  readonly downstreamKey: string;
  readonly timeoutMs: number;
  readonly deadlineAt: number;
  /** What is left of it as this is answered: the caller counts it from before it asked. */
  readonly timeLeftMs: number;
  readonly inFlightMs: number;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  /** As `timeLeftMs`. */
  readonly leaseLeftMs: number;
  /** As recorded: the first wording, and a digest in place of each secret. */
  readonly arguments: JsonObject;
  readonly attempts: readonly {
    readonly attempt: number;
    readonly dispatchedAt: number;
    readonly deadlineAt: number;
  }[];
  readonly evidence: Action['evidence'];
  readonly origin?: CallOrigin;
  /** W3C trace context of the proposal. */
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** This very request of the caller has claimed it, and the attempt runs. */
export function isOwnAttempt(action: Action, caller: Caller | undefined): boolean {
  const { status, claim } = action;
  if (caller === undefined || status !== 'dispatched') return false;
  return claim?.caller === true && claim.worker === caller.worker;
}

export async function ownAttempt(
  parts: Parts,
  actionId: string,
  caller: Caller | undefined,
): Promise<Action | undefined> {
  if (caller === undefined || parts.recovering() !== undefined) return undefined;
  const loaded = await parts.actions.load(actionId);
  return loaded.kind === 'action' && isOwnAttempt(loaded.action, caller)
    ? loaded.action
    : undefined;
}

/** No longer than it was claimed for, where a longer one has been declared since. */
function leaseOf({ leaseMs }: Pick<Tool['rules'], 'leaseMs'>, claim: Claim): number {
  return Math.min(leaseMs, claim.leaseMs);
}

/** Of a claim in a caller's hands, as this is answered: nothing of it where it is no more. */
export function leaseLeft(
  rules: Pick<Tool['rules'], 'leaseMs'>,
  claim: Action['claim'],
  nowMs: number,
): Pick<HandedOut, 'leaseUntil' | 'leaseLeftMs'> {
  if (claim === undefined) return { leaseUntil: 0, leaseLeftMs: 0 };
  const { leaseUntil } = claim;
  return { leaseUntil, leaseLeftMs: leftOf(leaseOf(rules, claim), leaseUntil, nowMs) };
}

/** No more than all of it, whatever the clock says. */
function leftOf(wholeMs: number, until: number, nowMs: number): number {
  return Math.max(0, Math.min(wholeMs, until - nowMs));
}

/** @param action a caller's own attempt */
export function handedOut(tool: Tool, action: Action, nowMs: number): HandedOut | undefined {
  const { claim, downstreamKey, attempts, evidence } = action;
  const running = attempts.at(-1);
  if (claim === undefined || running === undefined || downstreamKey === undefined) return undefined;
  const origin = action.calls[0];
  return {
    attempt: running.attempt,
    claim: claim.revision,
    downstreamKey,
    // As it was dispatched, whatever has been declared since.
    timeoutMs: running.deadlineAt - running.dispatchedAt,
    deadlineAt: running.deadlineAt,
    timeLeftMs: leftOf(running.deadlineAt - running.dispatchedAt, running.deadlineAt, nowMs),
    inFlightMs: running.inFlightMs,
    leaseMs: leaseOf(tool.rules, claim),
    ...leaseLeft(tool.rules, claim, nowMs),
    arguments: action.arguments,
    attempts: attempts.map(({ attempt, dispatchedAt, deadlineAt }) => ({
      attempt,
      dispatchedAt,
      deadlineAt,
    })),
    evidence,
    ...(origin === undefined ? {} : { origin }),
    ...action.trace,
  };
}
