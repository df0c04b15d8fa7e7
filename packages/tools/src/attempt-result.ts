// How `execute` says what became of an attempt. A plain return value is a success; any exception but
// `NotSent` is doubt: nothing that is not proven counts as "no effect" (DESIGN.md section 5).

export type AttemptResult<Result = unknown> =
  SucceededAttempt<Result> | RefusedAttempt | InDoubtAttempt | NotSentAttempt;

export interface SucceededAttempt<Result> {
  readonly [brand]: 'succeeded';
  readonly result: Result;
  readonly externalId?: string;
}

/** The provider said no, and nothing happened. */
export interface RefusedAttempt {
  readonly [brand]: 'refused';
  readonly reason: string;
  readonly code?: string;
  readonly retryable: boolean;
  readonly retryAfterMs?: number;
  readonly detail?: unknown;
  readonly neverHadEffect?: boolean;
}

/** It may have happened. `answered`: the provider has replied, so the request is not under way any more. */
export interface InDoubtAttempt {
  readonly [brand]: 'in doubt';
  readonly reason: string;
  readonly answered: boolean;
  readonly retryAfterMs?: number;
}

/** Nothing left this process. Believed only while `beforeSend` has not been passed. */
export interface NotSentAttempt {
  readonly [brand]: 'not sent';
  readonly reason: string;
}

const brand: unique symbol = Symbol.for('action-ledger.attempt-result') as never;

/** Members that are undefined count as not given. */
export function succeeded<Result>(
  result: Result,
  more: { readonly externalId?: string | undefined } = {},
): SucceededAttempt<Result> {
  return { [brand]: 'succeeded', result, ...given(more) };
}

/**
 * @param more.neverHadEffect the provider says that no request with this downstream key has ever had
 *   an effect (say, by replaying the refusal it gave to the first): so it settles the attempts before
 *   it as well. Without it a refusal settles only the attempt that it answers.
 */
export function refused(
  reason: string,
  more: {
    readonly code?: string | undefined;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number | undefined;
    readonly detail?: unknown;
    readonly neverHadEffect?: boolean | undefined;
  } = {},
): RefusedAttempt {
  return { [brand]: 'refused', reason, retryable: false, ...given(more) };
}

export function inDoubt(
  reason: string,
  more: { readonly answered?: boolean; readonly retryAfterMs?: number | undefined } = {},
): InDoubtAttempt {
  return { [brand]: 'in doubt', reason, answered: false, ...given(more) };
}

export function notSent(reason: string): NotSentAttempt {
  return { [brand]: 'not sent', reason };
}

/** Which of the four, or undefined for a plain value (a success). */
export function attemptResultKind(value: unknown): AttemptResult[typeof brand] | undefined {
  if (typeof value !== 'object' || value === null || !(brand in value)) return undefined;
  return (value as AttemptResult)[brand];
}

/** Thrown by `beforeSend`: the deadline has passed or the claim is lost; nothing was sent. */
export class NotSent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'NotSent';
  }
}

type Given<More> = { readonly [Member in keyof More]: Exclude<More[Member], undefined> };

function given<More extends object>(more: More): Given<More> {
  return Object.fromEntries(
    Object.entries(more).filter(([, value]) => value !== undefined),
  ) as Given<More>;
}
