// What can be wrong with a JSON text or value, and how the refusal names the place. Values are never
// quoted, only member names: a refusal may be logged, and arguments may be secret.
import { refusal, type Refusal } from '../refusal.ts';
import { type JsonValue } from './json-value.ts';

export const jsonRefusalCodes = [
  'json.cycle',
  'json.duplicate-member',
  'json.forbidden-member',
  'json.integer-unsafe',
  'json.lone-surrogate',
  'json.malformed',
  'json.number-not-finite',
  'json.sparse-array',
  'json.too-deep',
  'json.too-large',
  'json.truncated',
  'json.unreadable',
  'json.unsupported-member',
  'json.unsupported-type',
] as const;

export type JsonRefusalCode = (typeof jsonRefusalCodes)[number];

export type JsonRefusal = Refusal<JsonRefusalCode>;

export interface JsonLimits {
  /** Of the JSON text in UTF-8. */
  readonly bytesMax: number;
  /** Nested objects and arrays: `[[1]]` has depth 2. */
  readonly depthMax: number;
}

export const defaultJsonLimits: JsonLimits = { bytesMax: 256 * 1024, depthMax: 32 };

export type PathSegment = string | number;

export interface JsonFault {
  readonly code: JsonRefusalCode;
  /** What is wrong, as the beginning of a sentence. */
  readonly problem: string;
  readonly path: readonly PathSegment[];
  /** In the text, in UTF-16 units from 0. Absent for values that never were text. */
  readonly offset?: number;
}

/** RFC 6901, always well formed. The root is the empty text. */
export function jsonPointer(path: readonly PathSegment[]): string {
  return path
    .map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`)
    .join('')
    .toWellFormed();
}

/** The pointer as a person reads it: bounded, control characters escaped, `the root` for the root. */
export function placeOf(path: readonly PathSegment[]): string {
  if (path.length === 0) return 'the root';
  const pointer = jsonPointer(path);
  const short = pointer.length > 200 ? `${pointer.slice(0, 200).toWellFormed()}…` : pointer;
  return JSON.stringify(short).slice(1, -1);
}

export function refuseJson(fault: JsonFault, text?: string): JsonRefusal {
  const detail: Record<string, JsonValue> = { pointer: jsonPointer(fault.path) };
  let place = placeOf(fault.path);
  if (text !== undefined && fault.offset !== undefined) {
    const { line, column } = positionOf(text, fault.offset);
    place += ` (line ${line}, column ${column})`;
    Object.assign(detail, { offset: fault.offset, line, column });
  }
  return refusal(fault.code, `${fault.problem} at ${place}. Nothing was repaired.`, detail);
}

export function refuseSize(bytesMax: number): JsonRefusal {
  const message = `The JSON text is longer than ${bytesMax} bytes. Send less.`;
  return refusal('json.too-large', message, { bytesMax });
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < offset; end = text.indexOf('\n', end + 1)) {
    line += 1;
    lineStart = end + 1;
  }
  return { line, column: offset - lineStart + 1 };
}
