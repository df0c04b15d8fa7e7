// The waits that guard a second dispatch, the backoff between attempts and the pace of checks
// (DESIGN.md section 5). Durations in milliseconds.
import { type Watched } from './command.ts';
import { type Watch } from './event.ts';
import { type Action, dispatches } from './state.ts';
import { type ActionGuarantee, skewMarginMs, type ToolRules } from './tool-rules.ts';

/** Full jitter over an exponential ceiling; never earlier than the provider asks for. */
export function backoffMs(
  rules: ToolRules,
  attempt: number,
  jitter: number,
  retryAfterMs = 0,
): number {
  const { backoffMinMs, backoffMaxMs } = rules.retry;
  const ceiling = Math.min(backoffMaxMs, backoffMinMs * 2 ** Math.min(attempt - 1, 30));
  const asked = Number.isNaN(retryAfterMs) ? 0 : Math.min(Math.ceil(retryAfterMs), retryAfterMaxMs);
  return Math.max(asked, Math.round(ceiling * jitter));
}

/** What a provider asks for beyond this is cut: the validity of most proposals ends long before. */
const retryAfterMaxMs = 30 * 24 * 3_600_000;

export function checkIntervalMs(rules: ToolRules, check: number): number {
  const { intervalMinMs, intervalMaxMs } = rules.checks;
  return Math.min(intervalMaxMs, intervalMinMs * 2 ** Math.min(check, 30));
}

/** The longest bound of the attempts that nobody answered: until then a request may still arrive. */
export function inFlightMs(action: Action): number {
  return action.attempts
    .filter(({ state, answered }) => state === 'in doubt' && !answered)
    .reduce((longest, attempt) => Math.max(longest, attempt.inFlightMs), 0);
}

/** `absent` counts only from a lookup sent after this much watched doubt. */
export function absentAfterMs(action: Action, rules: ToolRules): number {
  const bound = action.attempts
    .filter(({ state }) => state === 'in doubt')
    .reduce((longest, attempt) => Math.max(longest, attempt.inFlightMs), 0);
  return bound + rules.settleMs;
}

/** The guarantee lets the same request be sent again while its outcome is in doubt. */
export function isResendable({ guarantee }: { readonly guarantee: ActionGuarantee }): boolean {
  return guarantee === 'idempotent' || guarantee === 'natural';
}

/** Both as the action was planned and as the tool is declared now: what was sent was sent under the first. */
function mayResend(action: Action, rules: ToolRules): boolean {
  return isResendable(action) && isResendable(rules);
}

/** By the wall clock alone, as at the dispatch; the claim has judged by the monotonic one as well. */
export function isKeyWindowOver(
  action: Action,
  rules: ToolRules,
  nowMs: number,
  firstDispatchWatchedMs = 0,
): boolean {
  if (rules.guarantee !== 'idempotent') return false;
  // One whose record is lost may be older than the first that is known.
  const first = Math.min(nowMs, ...action.attempts.map(({ dispatchedAt }) => dispatchedAt));
  const age = Math.max(nowMs - first, firstDispatchWatchedMs);
  return age >= rules.keyWindowMs - rules.inFlightMs - skewMarginMs;
}

export type ResendHindrance =
  'guarantee' | 'cancelled' | 'attempts' | 'expired' | 'clock' | 'key window' | 'in flight';

/** Why a resend in doubt is not allowed now, or undefined where it is. Only `in flight` passes by waiting. */
export function resendHindrance(
  action: Action,
  rules: ToolRules,
  nowMs: number,
  watched: Watched,
  clockBehind: boolean,
): ResendHindrance | undefined {
  if (!mayResend(action, rules)) return 'guarantee';
  if (action.cancelRequested !== undefined) return 'cancelled';
  if (dispatches(action) >= rules.retry.attemptsMax) return 'attempts';
  if (nowMs >= action.validUntil) return 'expired';
  if (rules.guarantee === 'idempotent' && clockBehind) return 'clock';
  if (isKeyWindowOver(action, rules, nowMs, watched.firstDispatchMs)) return 'key window';
  return watched.doubtMs < inFlightMs(action) ? 'in flight' : undefined;
}

/** Who looks after an attempt that has just come into doubt, and when first. */
export function watchDoubt(
  action: Action,
  rules: ToolRules,
  nowMs: number,
  doubt: { readonly answered: boolean; readonly backoffMs: number },
): Watch {
  const willResend =
    mayResend(action, rules) &&
    action.cancelRequested === undefined &&
    dispatches(action) < rules.retry.attemptsMax &&
    nowMs < action.validUntil;
  // "Found" counts at once, so the first look is not put off.
  if (rules.canLookUp) return { owner: 'reconciler', nextCheckAt: nowMs };
  if (willResend) {
    const asked = doubt.answered ? doubt.backoffMs : Math.max(rules.inFlightMs, doubt.backoffMs);
    // Whatever the provider asks for: a person is to know of it in time.
    const wait = Math.min(asked, Math.max(rules.inFlightMs, rules.checks.escalateAfterMs));
    return { owner: 'reconciler', nextCheckAt: nowMs + wait };
  }
  return watchByOperator(rules, nowMs);
}

export function watchByOperator(rules: ToolRules, nowMs: number): Watch {
  return { owner: 'operator', nextCheckAt: nowMs + rules.checks.escalateAfterMs };
}
