// What an HTTP answer proves about the effect. Only a declared or well-known refusal is "no effect";
// everything that is not understood is doubt (DESIGN.md section 5, F069, F079, F082, F087).
import { type JsonValue } from '@action-ledger/domain';
import { type AttemptResult, inDoubt, notSent, refused, succeeded } from '../attempt-result.ts';
import { privateAddressCode } from './address-guard.ts';
import { compileBodyTest, type CompiledBodyTest } from './body-test.ts';
import { type HttpAnswer } from './http-client.ts';
import {
  type AnswerOutcome,
  type AnswerRule,
  type AnswerRules,
  type StatusSet,
} from './http-definition.ts';
import { atPointer, checkPointers, type JsonPointer } from './json-pointer.ts';
import { readBody } from './read-body.ts';
import { retryAfterMs } from './retry-after.ts';
import { checkStatus, hasServerError, hasStatus } from './status-set.ts';
import { asText, type Values } from './template.ts';

export interface AnswerReader {
  /** Names that the tests' templates use. */
  readonly names: readonly string[];
  readonly read: (answer: HttpAnswer, values: Values) => AttemptResult;
}

/** @throws Error that says what is wrong with the rules */
export function compileAnswers(answers: AnswerRules = {}): AnswerReader {
  const rules = (answers.rules ?? []).map(compileRule);
  const { success = {}, format = 'json' } = answers;
  const successStatus = success.status ?? '2xx';
  checkStatus(successStatus);
  checkPointers([success.externalId, success.result]);
  const successTest = success.body === undefined ? undefined : compileBodyTest(success.body);
  const reading: Reading = { rules, successStatus, successTest, success, format };
  return {
    names: [...rules.flatMap(({ test }) => test?.names ?? []), ...(successTest?.names ?? [])],
    read: (answer, values) => read(answer, values, reading),
  };
}

interface Rule {
  readonly status: StatusSet;
  readonly test: CompiledBodyTest | undefined;
  readonly declared: AnswerRule;
}

interface Reading {
  readonly rules: readonly Rule[];
  readonly successStatus: StatusSet;
  readonly successTest: CompiledBodyTest | undefined;
  readonly success: NonNullable<AnswerRules['success']>;
  readonly format: 'json' | 'text';
}

type Answered = Exclude<HttpAnswer, { readonly kind: 'no answer' | 'not sent' }>;

function read(answer: HttpAnswer, values: Values, reading: Reading): AttemptResult {
  switch (answer.kind) {
    case 'not sent':
      return answer.isAddressRefused
        ? refused(answer.reason, { code: privateAddressCode })
        : notSent(answer.reason);
    case 'no answer':
      return inDoubt(answer.reason);
    case 'cut':
    case 'answered':
      return readStatus(answer, values, reading);
  }
}

function readStatus(answer: Answered, values: Values, reading: Reading): AttemptResult {
  const { status } = answer;
  const body = answer.kind === 'cut' ? undefined : readBody(answer.body, reading.format);
  const rules = reading.rules.filter((rule) => hasStatus(rule.status, status));
  for (const { test, declared } of rules) {
    if (test !== undefined && body === undefined) return unreadable(answer);
    if (test?.holds(body, values) !== false) return byRule(declared, answer, body);
  }
  if (hasStatus(reading.successStatus, status)) return readSuccess(answer, body, values, reading);
  if (isDefiniteRefusal(status))
    return refused(`HTTP ${status}`, { code: `http.${status}`, detail: body });
  return doubt(answer, `HTTP ${status}`);
}

function readSuccess(
  answer: Answered,
  body: JsonValue | undefined,
  values: Values,
  reading: Reading,
): AttemptResult {
  if (body === undefined) return unreadable(answer);
  if (reading.successTest?.holds(body, values) === false)
    return doubt(answer, `HTTP ${answer.status}, but the body does not say that it is done`);
  const { result, externalId } = reading.success;
  return succeeded(atPointer(body, result ?? '') ?? null, externalIdOf(body, externalId));
}

function byRule(rule: AnswerRule, answer: Answered, body: JsonValue | undefined): AttemptResult {
  const said = asText(rule.reason === undefined ? undefined : atPointer(body, rule.reason));
  const reason = said === '' ? `HTTP ${answer.status}` : said;
  switch (rule.outcome) {
    case 'succeeded':
      return body === undefined
        ? unreadable(answer)
        : succeeded(body, externalIdOf(body, rule.externalId));
    case 'in doubt':
      return doubt(answer, reason);
    case 'refused':
    case 'refused before handling': {
      const code = asText(rule.code === undefined ? undefined : atPointer(body, rule.code));
      return refused(reason, {
        code: code === '' ? `http.${answer.status}` : code,
        retryable: rule.outcome === 'refused before handling',
        retryAfterMs: retryAfterMs(answer.headers),
        detail: body,
      });
    }
  }
}

/** These say "not now" or "another one under this key is running", and prove nothing about the effect. */
const unprovenStatuses: readonly number[] = [408, 409, 425, 429, 499];

function isDefiniteRefusal(status: number): boolean {
  return status >= 400 && status < 500 && !unprovenStatuses.includes(status);
}

/**
 * The application itself has answered, so the request has ended. A gateway answers 502, 503, 504, 408 and
 * the 52x while the application may still be at work (F069); a redirect is not the application's last word.
 */
const endedStatuses: readonly number[] = [409, 425, 429, 500, 501];

function hasEnded({ kind, status }: Answered): boolean {
  return (
    kind === 'answered' &&
    (endedStatuses.includes(status) || (status >= 200 && status < 300) || isDefiniteRefusal(status))
  );
}

function doubt(answer: Answered, reason: string): AttemptResult {
  return inDoubt(reason, {
    answered: hasEnded(answer),
    retryAfterMs: retryAfterMs(answer.headers),
  });
}

function unreadable(answer: Answered): AttemptResult {
  const why = answer.kind === 'cut' ? answer.reason : 'its body cannot be read';
  return doubt(answer, `HTTP ${answer.status}, but ${why}`);
}

export function externalIdOf(
  body: JsonValue | undefined,
  pointer: JsonPointer | undefined,
): { readonly externalId?: string } {
  const id = pointer === undefined ? undefined : atPointer(body, pointer);
  if (typeof id !== 'string' && typeof id !== 'number') return {};
  return id === '' ? {} : { externalId: String(id) };
}

function compileRule(rule: AnswerRule): Rule {
  const status = rule.status ?? '2xx';
  checkStatus(status);
  checkPointers([rule.reason, rule.code, rule.externalId]);
  if (!outcomes.includes(rule.outcome))
    throw new Error(`outcome must be one of ${outcomes.join(', ')}`);
  if (rule.outcome === 'refused' && hasServerError(status, []))
    throw new Error('a 5xx never proves that nothing happened; leave it in doubt');
  if (rule.outcome === 'refused before handling' && hasServerError(status, [503]))
    throw new Error('of the 5xx only 503 can be refused before handling');
  return {
    status,
    test: rule.body === undefined ? undefined : compileBodyTest(rule.body),
    declared: rule,
  };
}

const outcomes: readonly AnswerOutcome[] = [
  'succeeded',
  'refused',
  'refused before handling',
  'in doubt',
];
