// Names the fields in which two calls under one key differ, for the answer to a conflict. Only names,
// kinds of values, and code points where two texts look the same: never a value, never a secret.
import { canonicalJson } from '../json/canonical-json.ts';
import { isJsonObject } from '../json/is-json-object.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { boundOfStored } from './argument-forms.ts';
import { type FieldPath, type IdentityDeclaration } from './declaration.ts';
import { covers } from './field-path.ts';

export interface Difference {
  readonly path: FieldPath;
  /** Where the difference is hard to see: what kind it is. */
  readonly note?: string;
}

export const differencesMax = 20;

/**
 * Both as `identify` returns them in `arguments`: free fields do not count, secrets are digests.
 * At most `differencesMax` are named, sorted by path.
 */
export function whatDiffers(
  declaration: IdentityDeclaration,
  a: JsonObject,
  b: JsonObject,
): readonly Difference[] {
  const differences: Difference[] = [];
  const comparison: Comparison = { secret: declaration.secret, differences };
  compareMembers(
    boundOfStored(declaration, a),
    boundOfStored(declaration, b),
    undefined,
    comparison,
  );
  return differences;
}

interface Comparison {
  readonly secret: readonly FieldPath[];
  readonly differences: Difference[];
}

function compareMembers(
  a: JsonObject,
  b: JsonObject,
  parent: FieldPath | undefined,
  comparison: Comparison,
): void {
  for (const name of [...new Set([...Object.keys(a), ...Object.keys(b)])].sort()) {
    if (comparison.differences.length >= differencesMax) return;
    const path = parent === undefined ? name : `${parent}.${name}`;
    compare(memberOf(a, name), memberOf(b, name), path, comparison);
  }
}

function compare(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
  path: FieldPath,
  comparison: Comparison,
): void {
  const isSecret = covers(comparison.secret, path);
  if (!isSecret && isJsonObject(a) && isJsonObject(b)) {
    compareMembers(a, b, path, comparison);
    return;
  }
  if (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b)) return;
  const note = isSecret ? undefined : noteOn(a, b);
  comparison.differences.push(note === undefined ? { path } : { path, note });
}

function memberOf(members: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

function noteOn(a: JsonValue | undefined, b: JsonValue | undefined): string | undefined {
  if (typeof a === 'string' && typeof b === 'string') {
    return appearance(a) === appearance(b) ? codePointNote(a, b) : undefined;
  }
  const kinds = [kindOf(a), kindOf(b)];
  return kinds[0] === kinds[1] ? undefined : `${kinds[0]} before, ${kinds[1]} now`;
}

function kindOf(value: JsonValue | undefined): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Equal for texts that a person can hardly tell apart: composition, width, blanks, invisible signs. */
function appearance(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

const codePointsShown = 4;

function codePointNote(a: string, b: string): string {
  const before = Array.from(a);
  const now = Array.from(b);
  let first = 0;
  while (before[first] === now[first]) first += 1;
  return `looks the same, but from character ${first + 1} on it was ${codePoints(before, first)} and is ${codePoints(now, first)}`;
}

function codePoints(characters: readonly string[], first: number): string {
  const shown = characters.slice(first, first + codePointsShown).map((character) => {
    const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `U+${hex.padStart(4, '0')}`;
  });
  return shown.length === 0 ? 'at its end' : shown.join(' ');
}
