// Strict parsing at every door (DESIGN.md section 4): what JSON.parse would silently change or drop
// is refused with its place. The fast path is native parsing plus a proof by counting: each colon of
// the text either separates a member that was kept or stands in a string that was kept, so a
// duplicate leaves a colon over. Any suspicion goes to the exact reader, which decides.
import { findJsonFault } from './find-json-fault.ts';
import { defaultJsonLimits, refuseJson, refuseSize } from './json-fault.ts';
import { type JsonLimits, type JsonRefusal } from './json-fault.ts';
import { type JsonValue } from './json-value.ts';
import { isLongerThan } from './utf8-length.ts';

export interface ParsedJson {
  readonly kind: 'parsed';
  /** Fresh, not frozen; -0 has become 0. */
  readonly value: JsonValue;
}

export function parseJson(
  text: string,
  limits: JsonLimits = defaultJsonLimits,
): ParsedJson | JsonRefusal {
  if (isLongerThan(text, limits.bytesMax)) return refuseSize(limits.bytesMax);
  let value: Fresh;
  try {
    value = JSON.parse(text) as Fresh;
    if (value === 0) value = 0;
  } catch {
    const fault = findJsonFault(text, limits.depthMax);
    return refuseJson(
      fault ?? { code: 'json.malformed', problem: 'This is not JSON; found', path: [] },
      text,
    );
  }
  const isCounted = tally(value, limits.depthMax) === colonsIn(text);
  if (isCounted && text.isWellFormed() && !hasMisleadingEscape(text)) {
    return { kind: 'parsed', value };
  }
  const fault = findJsonFault(text, limits.depthMax);
  return fault === undefined ? { kind: 'parsed', value } : refuseJson(fault, text);
}

/** Of a surrogate, which may be alone, or of a colon, which would upset the count. */
function hasMisleadingEscape(text: string): boolean {
  return text.includes('\\u') && /\\u(?:[dD][89a-fA-F]|003[aA])/.test(text);
}

/** What JSON.parse has just made: nobody else holds it, so -0 may be mended in place. */
type Fresh = null | boolean | number | string | Fresh[] | { [member: string]: Fresh };

/** Members plus colons in strings; NaN, which equals no count, where the value itself is suspect. */
function tally(value: Fresh, depthLeft: number): number {
  if (typeof value === 'string') return colonsIn(value);
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : NaN;
  if (typeof value === 'boolean' || value === null) return 0;
  if (depthLeft === 0) return NaN;
  return Array.isArray(value)
    ? tallyElements(value, depthLeft - 1)
    : tallyMembers(value, depthLeft - 1);
}

function tallyElements(elements: Fresh[], depthLeft: number): number {
  let count = 0;
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index] as Fresh;
    if (isNegativeZero(element)) elements[index] = 0;
    else count += tally(element, depthLeft);
  }
  return count;
}

function tallyMembers(members: Record<string, Fresh>, depthLeft: number): number {
  let count = 0;
  for (const name of Object.keys(members)) {
    if (name === '__proto__') return NaN;
    const member = members[name] as Fresh;
    if (isNegativeZero(member)) members[name] = 0;
    count += 1 + colonsIn(name) + tally(member, depthLeft);
  }
  return count;
}

function isNegativeZero(value: Fresh): boolean {
  return value === 0 && 1 / value < 0;
}

function colonsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1)) count += 1;
  return count;
}
