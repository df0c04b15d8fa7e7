// Finds the effect of an action again by an HTTP request. Throws for everything that is neither found nor
// proven absent: an outage, an unreadable answer and a page of a longer list are never taken for absent.
import { type JsonValue } from '@action-ledger/domain';
import { type LookupVerdict } from '../definition.ts';
import { compileBodyTest, type CompiledBodyTest } from './body-test.ts';
import { type HttpAnswer } from './http-client.ts';
import { type BodyTest, type HttpLookup, type StatusSet } from './http-definition.ts';
import { atPointer, checkPointers, type JsonPointer } from './json-pointer.ts';
import { externalIdOf } from './read-answer.ts';
import { readBody } from './read-body.ts';
import { checkStatus, hasStatus } from './status-set.ts';
import { type Values } from './template.ts';

export interface LookupReader {
  readonly names: readonly string[];
  /** What must match names our key, our arguments or an id: a found effect is proven to be ours. */
  readonly isTied: boolean;
  /** @throws Error where the answer says neither */
  readonly read: (answer: HttpAnswer, values: Values) => LookupVerdict;
}

interface Reading {
  readonly foundStatus: StatusSet;
  readonly items: JsonPointer | undefined;
  readonly match: CompiledBodyTest | undefined;
  readonly externalId: JsonPointer | undefined;
  readonly result: JsonPointer | undefined;
  readonly absentStatus: StatusSet | undefined;
  readonly absentTest: CompiledBodyTest | undefined;
  readonly isComplete: ((body: JsonValue, values: Values) => boolean) | undefined;
}

/** @throws Error that says what is wrong with the rules */
export function compileLookup({ found = {}, absent = {} }: HttpLookup): LookupReader {
  const match = compileOptional(found.match);
  const absence = compileAbsence(absent);
  const { status: foundStatus = '2xx', items, externalId, result } = found;
  checkStatus(foundStatus);
  checkPointers([items, externalId, result]);
  const reading: Reading = { foundStatus, items, match, externalId, result, ...absence };
  return {
    names: [...(match?.names ?? []), ...absence.names],
    isTied: match !== undefined && match.names.length > 0,
    read: (answer, values) => read(answer, values, reading),
  };
}

type Absence = Pick<Reading, 'absentStatus' | 'absentTest' | 'isComplete'>;

function compileAbsence(
  absent: NonNullable<HttpLookup['absent']>,
): Absence & { readonly names: readonly string[] } {
  const absentStatus = absent.status ?? (absent.body === undefined ? undefined : '2xx');
  if (absentStatus !== undefined) checkStatus(absentStatus);
  if (absentStatus === undefined && absent.complete === undefined)
    throw new Error(
      'lookup.absent must say what proves absence: a status, a body, or complete (for a list)',
    );
  const absentTest = compileOptional(absent.body);
  const { isComplete, names } = compileCompleteness(absent.complete);
  return { absentStatus, absentTest, isComplete, names: [...(absentTest?.names ?? []), ...names] };
}

function compileCompleteness(
  complete: true | BodyTest | undefined,
): Pick<Reading, 'isComplete'> & { readonly names: readonly string[] } {
  if (complete === true) return { isComplete: () => true, names: [] };
  const test = compileOptional(complete);
  return { isComplete: test?.holds, names: test?.names ?? [] };
}

function read(answer: HttpAnswer, values: Values, reading: Reading): LookupVerdict {
  if (answer.kind === 'not sent' || answer.kind === 'no answer') throw new Error(answer.reason);
  if (answer.kind === 'cut') throw new Error(`HTTP ${answer.status}, but ${answer.reason}`);
  const { status } = answer;
  const body = readBody(answer.body, 'json');
  const { absentStatus, absentTest } = reading;
  if (
    absentStatus !== undefined &&
    hasStatus(absentStatus, status) &&
    absentTest?.holds(body, values) !== false
  )
    return { verdict: 'absent' };
  if (!hasStatus(reading.foundStatus, status)) throw new Error(`HTTP ${status}`);
  if (body === undefined) throw new Error(`HTTP ${status}, but its body cannot be read`);
  return reading.items === undefined
    ? readOne(body, values, reading)
    : readList(body, reading.items, values, reading);
}

function readOne(body: JsonValue, values: Values, reading: Reading): LookupVerdict {
  if (reading.match?.holds(body, values) === false)
    return { verdict: 'ambiguous', reason: 'what was found bears another reference than ours' };
  return found(body, reading);
}

function readList(
  body: JsonValue,
  items: JsonPointer,
  values: Values,
  reading: Reading,
): LookupVerdict {
  const list = atPointer(body, items);
  if (!Array.isArray(list)) throw new Error(`the answer has no list at "${items}"`);
  const ours = (list as readonly JsonValue[]).filter(
    (item) => reading.match?.holds(item, values) !== false,
  );
  const [first] = ours;
  if (ours.length > 1)
    return { verdict: 'ambiguous', reason: `${ours.length} candidates bear our reference` };
  if (first !== undefined) return found(first, reading);
  if (reading.isComplete?.(body, values) === true) return { verdict: 'absent' };
  return {
    verdict: 'ambiguous',
    reason: 'not in the list, but nothing says that the list is whole',
  };
}

function found(candidate: JsonValue, { externalId, result }: Reading): LookupVerdict {
  return {
    verdict: 'found',
    ...externalIdOf(candidate, externalId),
    result: atPointer(candidate, result ?? '') ?? null,
  };
}

function compileOptional(test: BodyTest | undefined): CompiledBodyTest | undefined {
  return test === undefined ? undefined : compileBodyTest(test);
}
