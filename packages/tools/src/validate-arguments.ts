// Checks one proposal's arguments against a tool's strict schema: no coercion, unknown members refused,
// defaults filled. A refusal names each path and what was expected there, never the value that came.
import { type z, type ZodType } from 'zod';
import { type JsonObject, type JsonValue, refusal } from '@action-ledger/domain';
import { argumentsRefusalCode } from './refusal-codes.ts';
import { cutText, describeThrown } from './safe-text.ts';
import { type ValidatedArguments } from './tool.ts';

/** More are counted, not listed. */
const problemsListed = 10;
const messageBytesMax = 4_096;

export function validateArguments(tool: string, input: ZodType, args: unknown): ValidatedArguments {
  const parsed = parse(input, args);
  if (parsed instanceof Failure) return schemaFailed(tool, parsed);
  if (parsed.success) return { kind: 'valid', args: parsed.data as JsonObject };
  const problems = parsed.error.issues.flatMap((issue) => describeIssue(issue, []));
  const listed = problems.slice(0, problemsListed);
  const unlisted = problems.length - listed.length;
  const text = listed.map(({ path, expected }) => `${path}: ${expected}`).join('; ');
  const more = unlisted === 0 ? '' : `; and ${unlisted} more`;
  return refusal(
    argumentsRefusalCode,
    cutText(
      `The arguments do not fit tool "${tool}": ${text}${more}. Correct them and propose again.`,
      messageBytesMax,
    ),
    { tool, problems: listed },
  );
}

class Failure {
  readonly what: string;
  constructor(what: string) {
    this.what = what;
  }
}

/** Frozen to the bottom. An author's own check may throw, wait, or change what it was given. */
function parse(input: ZodType, args: unknown): ReturnType<ZodType['safeParse']> | Failure {
  try {
    const parsed = input.safeParse(args);
    if (!parsed.success || freezeJson(parsed.data)) return parsed;
    return new Failure('a check of its own has made them something else than JSON');
  } catch (error) {
    return new Failure(describeThrown(error));
  }
}

/** Also below what is frozen already. @returns whether all of it is JSON; undefined counts as missing */
function freezeJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      return value === null || freezeMembers(value);
    case 'bigint':
    case 'function':
    case 'symbol':
      return false;
  }
}

function freezeMembers(value: object): boolean {
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return false;
  Object.freeze(value);
  const members = value as Readonly<Record<string, unknown>>;
  // Faster than over the values; nothing is inherited here.
  for (const name in members) if (!freezeJson(members[name])) return false;
  return true;
}

function schemaFailed(tool: string, { what }: Failure): ValidatedArguments {
  const message = `The schema of tool "${tool}" failed while it checked the arguments: ${what}. Nothing was recorded; its checks must answer at once, without changing what they are given.`;
  return refusal(argumentsRefusalCode, cutText(message, messageBytesMax), { tool, problems: [] });
}

interface Problem extends Record<string, JsonValue> {
  readonly path: string;
  readonly expected: string;
}

function describeIssue(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly Problem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: pathText([...path, key]),
      expected: 'no such member',
    }));
  if (issue.code === 'invalid_union' && issue.errors.length > 0)
    return nearestAlternative(issue.errors).flatMap((inner) => describeIssue(inner, path));
  return [
    { path: pathText(path), expected: lowerFirst(issue.message.replace(/^Invalid input: /, '')) },
  ];
}

/** Of a union, the alternative with the fewest problems is the one most likely meant. */
function nearestAlternative(
  alternatives: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] {
  return alternatives.reduce((best, other) => (other.length < best.length ? other : best));
}

function pathText(path: readonly PropertyKey[]): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${cutText(String(part), 100)}`))
    .join('');
  return text === '' ? 'the arguments' : text.replace(/^\./, '');
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
