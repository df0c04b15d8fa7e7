// Checks one proposal's arguments against a tool's strict schema: no coercion, unknown members refused,
// defaults filled. A refusal names each path and what was expected there, never the value that came.
import { type z, type ZodType } from 'zod';
import { type JsonObject, type JsonValue, refusal } from '@action-ledger/domain';
import { argumentsRefusalCode } from './refusal-codes.ts';
import { cutText } from './safe-text.ts';
import { deepFreeze } from './schema/strict-schema.ts';
import { type ValidatedArguments } from './tool.ts';

/** More are counted, not listed. */
const problemsListed = 10;
const messageBytesMax = 4_096;

export function validateArguments(tool: string, input: ZodType, args: unknown): ValidatedArguments {
  const parsed = input.safeParse(args);
  if (parsed.success) return { kind: 'valid', args: deepFreeze(parsed.data as JsonObject) };
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
