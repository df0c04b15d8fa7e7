// The SDK's door: a value made in the process becomes JSON that is safe to hash, store and share. What
// JSON.stringify would silently change or drop is refused with its path; only an undefined member
// counts as missing, members that are not enumerable are no part of the value, -0 becomes 0. The result is a deeply frozen copy that nobody else holds.
import {
  defaultJsonLimits,
  type JsonLimits,
  type JsonRefusal,
  type JsonRefusalCode,
  type PathSegment,
  refuseJson,
  refuseSize,
} from './json-fault.ts';
import { type JsonValue } from './json-value.ts';
import { isLongerThan } from './utf8-length.ts';

export interface CheckedJson {
  readonly kind: 'checked';
  /** Deeply frozen. */
  readonly value: JsonValue;
}

export function checkJson(
  value: unknown,
  { bytesMax, depthMax }: JsonLimits = defaultJsonLimits,
): CheckedJson | JsonRefusal {
  const check: Check = {
    bytesMax,
    depthMax,
    units: 0,
    code: 'json.unreadable',
    problem: '',
    path: [],
  };
  let copy: JsonValue | undefined;
  try {
    copy = copyValue(value, depthMax, check);
  } catch {
    fail(check, 'json.unreadable', 'A value throws when it is read; found');
  }
  if (copy === undefined) return refuseCheck(value, check);
  if (isTooLarge(copy, check)) return refuseSize(bytesMax);
  return { kind: 'checked', value: copy };
}

interface Check extends JsonLimits {
  /** At most the length of the JSON text: every scalar 1, every string and name with its quotes. */
  units: number;
  code: JsonRefusalCode;
  problem: string;
  /** Innermost segment first: filled while the recursion unwinds, so that success costs nothing. */
  readonly path: PathSegment[];
}

/** Undefined: refused, and `check` says why. */
type Copied = JsonValue | undefined;

function copyValue(value: unknown, depthLeft: number, check: Check): Copied {
  check.units += 1;
  if (check.units > check.bytesMax) return fail(check, 'json.too-large', 'Too large');
  switch (typeof value) {
    case 'string':
      check.units += value.length + 1;
      if (value.isWellFormed()) return value;
      return fail(check, 'json.lone-surrogate', 'A string holds half of a surrogate pair');
    case 'number':
      // Adding 0 turns -0 into 0.
      return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? value + 0 : failNumber(value, check);
    case 'boolean':
      return value;
    case 'object':
      if (value === null) return null;
      if (depthLeft === 0) {
        return fail(check, 'json.too-deep', `Nesting deeper than ${check.depthMax} levels`);
      }
      return Array.isArray(value)
        ? copyArray(value, depthLeft - 1, check)
        : copyObject(value as Readonly<Record<string, unknown>>, depthLeft - 1, check);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      return fail(check, 'json.unsupported-type', `JSON has no ${typeof value}; found one`);
  }
}

function copyArray(elements: readonly unknown[], depthLeft: number, check: Check): Copied {
  const copy: JsonValue[] = [];
  for (let index = 0; index < elements.length; index += 1) {
    const copied = copyElement(elements, index, depthLeft, check);
    if (copied === undefined) {
      check.path.push(index);
      return undefined;
    }
    copy.push(copied);
  }
  const hasMore = Object.keys(elements).length !== elements.length || hasSymbols(elements);
  if (!hasMore) return Object.freeze(copy);
  return fail(check, 'json.unsupported-member', 'An array has members besides its elements; found');
}

function copyElement(
  elements: readonly unknown[],
  index: number,
  depthLeft: number,
  check: Check,
): Copied {
  if (!Object.hasOwn(elements, index))
    return fail(check, 'json.sparse-array', 'An array has a hole');
  if (lookupGetter.call(elements, index) !== undefined) return failMember(check);
  return copyValue(elements[index], depthLeft, check);
}

function copyObject(
  members: Readonly<Record<string, unknown>>,
  depthLeft: number,
  check: Check,
): Copied {
  if (!isPlain(members)) {
    return fail(check, 'json.unsupported-type', `${classNameOf(members)} is not plain JSON; found`);
  }
  if (hasSymbols(members)) return failMember(check);
  const copy: Record<string, JsonValue> = {};
  for (const name of Object.keys(members)) {
    const copied = copyMember(members, name, depthLeft, check);
    if (copied === undefined) {
      check.path.push(name);
      return undefined;
    }
    if (copied !== missing) copy[name] = copied;
  }
  return Object.freeze(copy);
}

const missing: unique symbol = Symbol('missing');

function copyMember(
  members: Readonly<Record<string, unknown>>,
  name: string,
  depthLeft: number,
  check: Check,
): Copied | typeof missing {
  if (name === '__proto__') {
    return fail(check, 'json.forbidden-member', 'The member name __proto__ is refused');
  }
  if (!name.isWellFormed()) {
    return fail(check, 'json.lone-surrogate', 'A member name holds half of a surrogate pair');
  }
  if (lookupGetter.call(members, name) !== undefined) return failMember(check);
  const member = members[name];
  if (member !== undefined) {
    check.units += name.length + 3;
    return copyValue(member, depthLeft, check);
  }
  const hasSetter = Object.getOwnPropertyDescriptor(members, name)?.set !== undefined;
  return hasSetter ? failMember(check) : missing;
}

/** Finds an accessor without making a descriptor object per member, which would triple the cost. */
const lookupGetter = (
  Object.prototype as unknown as { __lookupGetter__: (this: object, name: PropertyKey) => unknown }
).__lookupGetter__;

function hasSymbols(value: object): boolean {
  return Object.getOwnPropertySymbols(value).length > 0;
}

/** Also of another realm, whose Object.prototype is another one. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && Object.hasOwn(prototype as object, 'valueOf');
}

function classNameOf(value: object): string {
  const constructor: unknown = value.constructor;
  return typeof constructor === 'function' && constructor.name !== ''
    ? `A value of class ${constructor.name}`
    : 'A value with a prototype of its own';
}

function fail(check: Check, code: JsonRefusalCode, problem: string): Copied {
  check.code = code;
  check.problem = problem;
  return undefined;
}

function failMember(check: Check): Copied {
  const problem = 'An accessor or a symbol is not a JSON member; found';
  return fail(check, 'json.unsupported-member', problem);
}

function failNumber(value: number, check: Check): Copied {
  if (!Number.isFinite(value)) {
    return fail(check, 'json.number-not-finite', 'NaN and Infinity are not JSON numbers; found');
  }
  const problem = 'An integer beyond 2^53-1 may have lost digits: pass it as a string; found';
  return fail(check, 'json.integer-unsafe', problem);
}

function refuseCheck(root: unknown, check: Check): JsonRefusal {
  if (check.code === 'json.too-large') return refuseSize(check.bytesMax);
  const path = check.path.reverse();
  const cycle = check.code === 'json.too-deep' ? cycleIn(root, path) : undefined;
  if (cycle !== undefined) {
    return refuseJson({ code: 'json.cycle', problem: 'A value contains itself', path: cycle });
  }
  return refuseJson({ code: check.code, problem: check.problem, path });
}

/** Where, along a path that went too deep, an object is met for the second time. */
function cycleIn(root: unknown, path: readonly PathSegment[]): readonly PathSegment[] | undefined {
  const above = new Set<unknown>([root]);
  let value = root;
  for (const [index, segment] of path.entries()) {
    value = (value as Record<PathSegment, unknown>)[segment];
    if (above.has(value)) return path.slice(0, index + 1);
    above.add(value);
  }
  return undefined;
}

/** The longest number takes 24 units and a comma for the one it counts: most values pass unmeasured. */
function isTooLarge(copy: JsonValue, check: Check): boolean {
  return check.units * 25 > check.bytesMax && isLongerThan(JSON.stringify(copy), check.bytesMax);
}
