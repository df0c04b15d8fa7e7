// A declared tool as a program calls it, and what a call gets.
import type { Answer } from '@action-ledger/application';
import { type CallOrigin, type JsonValue } from '@action-ledger/domain';

/** Where a call comes from. Each id is whatever the agent platform uses. */
export interface CallContext extends CallOrigin {
  readonly tenant?: string;
  /** An idempotency key of the caller's own, in place of the derived one. */
  readonly key?: string;
  /** The person on whose behalf. */
  readonly by?: string;
  /** How long to wait for the outcome, in ms. Default: the tool's lease. */
  readonly waitMs?: number;
  /** W3C trace context, passed on to the tool; malformed it is ignored. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** Ends the waiting, not the action. */
  readonly signal?: AbortSignal;
}

/** `result` is set where the action has succeeded, now or earlier. */
export type Outcome<Result = JsonValue> = Omit<Answer, 'result'> & { readonly result?: Result };

export interface LedgerTool<Args = unknown, Result = JsonValue> {
  readonly name: string;
  call(args: Args, context?: CallContext): Promise<Outcome<Result>>;
}
