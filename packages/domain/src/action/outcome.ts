// What became of an attempt, by the holder of its claim. A refusal settles only the attempt it
// answers; while another is in doubt the action stays unknown.
import { accept, type Accepted, type Decision, type Instant, wrongStatus } from './decision.ts';
import { claimLost, holdsClaim } from './claim.ts';
import { callsJoined } from './links.ts';
import { type AttemptOutcome, type CommandOf } from './command.ts';
import { type ActionEvent, type AttemptEnd, type EventData } from './event.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonValue } from '../json/json-value.ts';
import { type Action, type Attempt, dispatches, doubtful } from './state.ts';
import { type ToolRules } from './tool-rules.ts';
import { backoffMs, watchDoubt } from './waits.ts';

type RecordOutcome = CommandOf<'RecordOutcome'>;

export function recordOutcome(action: Action, command: RecordOutcome, now: Instant): Decision {
  if (isOnRecord(action, command)) return accept();
  if (!holdsClaim(action, command)) return claimLost(action);
  if (action.status !== 'dispatched') return wrongStatus(action, 'record an outcome');
  if (action.attempts.at(-1)?.attempt !== command.attempt) return claimLost(action);
  const decided = byKind(action, command, command.outcome, now);
  return accept(...decided.events, ...callsJoined(action, command.joined ?? []));
}

/**
 * The holder has said this before, and was not told that it is recorded. What followed a doubt is known
 * by now, and takes nothing back.
 */
function isOnRecord(action: Action, { claim, worker, attempt, outcome }: RecordOutcome): boolean {
  const told = action.attempts.find((each) => each.attempt === attempt && each.claim === claim);
  // Taken from its holder before a word was said: whatever it says now is its first, and evidence.
  if (told === undefined || told.state === 'running' || told.lost === true) return false;
  if (worker !== undefined && worker !== told.worker) return false;
  switch (outcome.kind) {
    case 'succeeded':
      return told.state === 'succeeded' && isSameResult(action, outcome);
    case 'no effect':
    case 'not sent':
      return told.state === 'no effect';
    case 'in doubt':
      return true;
  }
}

function isSameResult(
  { outcome: known }: Action,
  { result, externalId }: Extract<AttemptOutcome, { kind: 'succeeded' }>,
): boolean {
  return (
    known !== undefined &&
    known.externalId === externalId &&
    canonicalJson(known.result) === canonicalJson(result)
  );
}

function byKind(
  action: Action,
  command: RecordOutcome,
  outcome: AttemptOutcome,
  now: Instant,
): Accepted {
  const { attempt, rules, jitter } = command;
  switch (outcome.kind) {
    case 'succeeded': {
      const { kind: _kind, ...result } = outcome;
      return succeeded(action, { ...result, attempt }, rules, now);
    }
    case 'no effect':
      return withoutEffect(action, command, outcome, now);
    case 'not sent':
      return notSent(action, command, outcome.reason, now);
    case 'in doubt': {
      if (action.reportedSuccess !== undefined) return accept(reported(action.reportedSuccess));
      const { reason, answered, retryAfterMs } = outcome;
      const wait = backoffMs(rules, attempt, jitter, retryAfterMs);
      const others = doubtful(action).filter((each) => each.attempt !== attempt);
      const doubt = { answered: answered && areAnswered(others), backoffMs: wait };
      const watch = watchDoubt(action, rules, now.wallMs, doubt);
      return accept({
        type: 'ActionOutcomeUnknown',
        data: { attempt, reason, answered, ...watch },
      });
    }
  }
}

function succeeded(
  action: Action,
  data: EventData['ActionSucceeded'],
  rules: ToolRules,
  now: Instant,
): Accepted {
  const done: ActionEvent = { type: 'ActionSucceeded', data };
  const before = action.evidence.find(
    ({ claims, externalId }) => claims === 'success' && externalId !== undefined,
  );
  if (
    before?.externalId === undefined ||
    data.externalId === undefined ||
    before.externalId === data.externalId
  ) {
    return accept(done);
  }
  return accept(done, duplicateEffect([data.externalId, before.externalId], rules, now));
}

export function duplicateEffect(
  externalIds: readonly string[],
  rules: ToolRules,
  now: Instant,
  other?: string,
): ActionEvent {
  const data = {
    externalIds,
    owner: 'operator' as const,
    nextCheckAt: now.wallMs + rules.checks.escalateAfterMs,
    proposal: 'Two effects carry the identity of one action: undo all but one.',
  };
  return { type: 'DuplicateEffectDetected', data: other === undefined ? data : { ...data, other } };
}

/** Nothing of them is under way any more. */
function areAnswered(attempts: readonly Attempt[]): boolean {
  return attempts.every(({ answered }) => answered);
}

type Report = NonNullable<Action['reportedSuccess']>;

/** The success that somebody else proved while the attempt ran. */
function reported(report: Report): ActionEvent {
  return { type: 'ActionSucceeded', data: report };
}

/** The running attempt had no effect; where no other was in doubt, the record was wrong about one. */
function reportedAgainst(
  action: Action,
  report: Report,
  others: readonly Attempt[],
  rules: ToolRules,
  now: Instant,
): readonly ActionEvent[] {
  const explained = others.length > 0 || action.attempts.some(({ state }) => state === 'succeeded');
  return explained
    ? [reported(report)]
    : [reported(report), lateSuccess(action, report.source, rules, now)];
}

/** A success against an ending or a verdict on record is never passed over in silence. */
export function lateSuccess(
  action: Action,
  source: string,
  rules: ToolRules,
  now: Instant,
): ActionEvent {
  const data = {
    incident: `late-success-${action.revision + 1}`,
    reason: `${source} proves a success although the action was ${action.status}`,
    owner: 'operator' as const,
    nextCheckAt: now.wallMs + rules.checks.escalateAfterMs,
  };
  return { type: 'IncidentOpened', data };
}

function withoutEffect(
  action: Action,
  command: RecordOutcome,
  outcome: Extract<AttemptOutcome, { kind: 'no effect' }>,
  now: Instant,
): Accepted {
  const { attempt, rules, jitter } = command;
  const { reason, code, detail } = outcome;
  const end = code === undefined ? { attempt, reason } : { attempt, reason, code };
  const others = doubtful(action).filter((each) => each.attempt !== attempt);
  const { reportedSuccess } = action;
  if (others.length > 0 || reportedSuccess !== undefined) {
    const wait = backoffMs(rules, attempt, jitter, outcome.retryAfterMs);
    const answered = areAnswered(others);
    const watch = watchDoubt(action, rules, now.wallMs, { answered, backoffMs: wait });
    const refused: ActionEvent = { type: 'AttemptRefused', data: { ...end, ...watch } };
    if (reportedSuccess !== undefined)
      return accept(refused, ...reportedAgainst(action, reportedSuccess, others, rules, now));
    return outcome.neverHadEffect === true && !outcome.retryable
      ? accept(refused, ...withoutAnyEffect(action, end, detail))
      : accept(refused);
  }
  const failed = failedBy(end, detail);
  if (!outcome.retryable) return endedWithout(action, end, now, failed);
  return retryOrEnd(action, command, end, now, outcome.retryAfterMs, failed);
}

function failedBy(end: AttemptEnd, detail: JsonValue | undefined): ActionEvent {
  return { type: 'ActionFailed', data: detail === undefined ? end : { ...end, detail } };
}

/**
 * The provider never had an effect for our key. It was asked by a resend, which no claim allows while
 * an earlier request may be under way: so none can come any more, and every doubt is settled.
 */
function withoutAnyEffect(
  action: Action,
  end: AttemptEnd,
  detail: JsonValue | undefined,
): readonly ActionEvent[] {
  const reason = 'the provider says that it never had an effect for this key';
  const by = `attempt ${end.attempt}`;
  return [
    { type: 'ActionReconciled', data: { verdict: 'absent', by, reason } },
    action.cancelRequested === undefined ? failedBy(end, detail) : cancelNow(action),
  ];
}

function retryOrEnd(
  action: Action,
  command: RecordOutcome,
  end: AttemptEnd,
  now: Instant,
  retryAfterMs: number | undefined,
  failed: ActionEvent,
): Accepted {
  const { rules, jitter } = command;
  if (dispatches(action) >= rules.retry.attemptsMax) return endedWithout(action, end, now, failed);
  const notBefore = now.wallMs + backoffMs(rules, end.attempt, jitter, retryAfterMs);
  const retry: ActionEvent = { type: 'RetryPlanned', data: { ...end, notBefore } };
  if (action.cancelRequested !== undefined) return accept(retry, cancelNow(action));
  if (notBefore < action.validUntil) return accept(retry);
  return accept(retry, {
    type: 'ActionExpired',
    data: { reason: `no retry before the end of its validity: ${end.reason}` },
  });
}

/** A cancel that was kept while the attempt ran decides, now that nothing was done. */
function endedWithout(
  action: Action,
  end: AttemptEnd,
  now: Instant,
  failed: ActionEvent,
): Accepted {
  if (action.cancelRequested === undefined) return accept(failed);
  return accept(
    { type: 'RetryPlanned', data: { ...end, notBefore: now.wallMs } },
    cancelNow(action),
  );
}

export function cancelNow(action: Action): ActionEvent {
  const { by, person, reason } = action.cancelRequested ?? {
    by: 'system',
    person: false,
    reason: 'cancelled',
  };
  return { type: 'ActionCancelled', data: { by, person, reason } };
}

function notSent(action: Action, command: RecordOutcome, reason: string, now: Instant): Accepted {
  const { attempt, rules, jitter } = command;
  const notBefore = now.wallMs + backoffMs(rules, attempt, jitter);
  const end = { attempt, reason, notBefore };
  const others = doubtful(action).filter((each) => each.attempt !== attempt);
  const { reportedSuccess } = action;
  if (reportedSuccess !== undefined) {
    return accept(
      { type: 'AttemptNotSent', data: end },
      ...reportedAgainst(action, reportedSuccess, others, rules, now),
    );
  }
  if (others.length > 0) {
    const answered = areAnswered(others);
    const doubt = { answered, backoffMs: notBefore - now.wallMs };
    const watch = watchDoubt(action, rules, now.wallMs, doubt);
    return accept({ type: 'AttemptNotSent', data: { ...end, ...watch } });
  }
  const planned: ActionEvent = { type: 'AttemptNotSent', data: end };
  if (action.cancelRequested !== undefined) return accept(planned, cancelNow(action));
  if (dispatches(action) >= rules.retry.attemptsMax) {
    return accept(planned, { type: 'ActionFailed', data: { reason } });
  }
  if (notBefore < action.validUntil) return accept(planned);
  return accept(planned, {
    type: 'ActionExpired',
    data: { reason: 'no retry before the end of its validity' },
  });
}

/** The lease ended, or its process did, with an attempt under way: its outcome is not known. */
export function loseAttempt(
  action: Action,
  command: CommandOf<'LoseAttempt'>,
  now: Instant,
): Decision {
  const running = action.attempts.at(-1);
  if (action.status !== 'dispatched' || running === undefined)
    return wrongStatus(action, 'lose an attempt');
  if (action.reportedSuccess !== undefined) return accept(reported(action.reportedSuccess));
  const { rules, reason } = command;
  const doubt = { answered: false, backoffMs: rules.retry.backoffMinMs };
  const watch = watchDoubt(action, rules, now.wallMs, doubt);
  const data = { attempt: running.attempt, reason, answered: false, lost: true as const, ...watch };
  return accept({ type: 'ActionOutcomeUnknown', data });
}
