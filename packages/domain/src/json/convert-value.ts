// Lenient reading of any JavaScript value as JSON, for outcomes that exist whether we like their shape
// or not. Never throws: what cannot be read leaves a mark or is left out, and a note says so. Bounded
// in depth, in the number of values read, and in notes.
import { type PathSegment, placeOf } from './json-fault.ts';
import { type JsonValue } from './json-value.ts';

export interface Conversion {
  readonly depthMax: number;
  readonly notes: string[];
  /** Something was left out because there was too much or it was too deep. */
  isCut: boolean;
  valuesRead: number;
  /** Of texts, in UTF-16 units: one long text may be met many times. */
  unitsRead: number;
  readonly path: PathSegment[];
  /** The objects being read, outermost first. */
  readonly above: Set<object>;
}

/** An event could not hold more, at two bytes a value. */
const valuesMax = 262_144;
const unitsMax = 64 * 1024 * 1024;
const notesMax = 20;
/** Of one value at the most: with the note of more of them, and that of a cut. */
export const recordableNotesMax = notesMax + 2;
/** Of an ArrayBuffer or a view of one. */
const binaryBytesMax = 65_536;

export function createConversion(depthMax: number): Conversion {
  return {
    depthMax,
    notes: [],
    isCut: false,
    valuesRead: 0,
    unitsRead: 0,
    path: [],
    above: new Set(),
  };
}

/** Deeply frozen. Undefined: nothing that JSON has a place for. */
export function convertValue(value: unknown, conversion: Conversion): JsonValue | undefined {
  conversion.valuesRead += 1;
  switch (typeof value) {
    case 'string':
      return convertText(value, conversion);
    case 'number':
      return convertNumber(value, conversion);
    case 'boolean':
      return value;
    case 'bigint':
      note(conversion, 'a BigInt was recorded as decimal text');
      return value.toString();
    case 'undefined':
      return undefined;
    case 'function':
    case 'symbol':
      note(conversion, `a ${typeof value} was left out`);
      return undefined;
    case 'object':
      return value === null ? null : convertGuarded(value, conversion);
  }
}

function convertText(text: string, conversion: Conversion): string {
  conversion.unitsRead += text.length;
  if (text.isWellFormed()) return text;
  note(conversion, 'half of a surrogate pair was replaced by U+FFFD');
  return text.toWellFormed();
}

function convertNumber(value: number, conversion: Conversion): number | string | null {
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value + 0;
  if (Number.isFinite(value)) {
    note(conversion, 'an integer beyond 2^53-1 was recorded as text; digits may be lost already');
    return String(value);
  }
  note(conversion, `${value} was recorded as null`);
  return null;
}

function convertGuarded(value: object, conversion: Conversion): JsonValue | undefined {
  if (conversion.above.has(value)) {
    note(conversion, 'a value that contains itself was recorded as "[cycle]"');
    return '[cycle]';
  }
  if (conversion.above.size >= conversion.depthMax) {
    conversion.isCut = true;
    note(conversion, `nesting deeper than ${conversion.depthMax} levels was cut`);
    return '[too deep]';
  }
  conversion.above.add(value);
  try {
    return convertObject(value, conversion);
  } catch {
    note(conversion, 'a value that throws when it is read was recorded as "[unreadable]"');
    return '[unreadable]';
  } finally {
    conversion.above.delete(value);
  }
}

function convertObject(value: object, conversion: Conversion): JsonValue | undefined {
  if (isError(value)) return convertMembers(['name', 'message'], value, conversion);
  if (value instanceof ArrayBuffer) return convertBinary(new Uint8Array(value), conversion);
  if (ArrayBuffer.isView(value)) {
    const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return convertBinary(bytes, conversion);
  }
  const { toJSON } = value as { readonly toJSON?: unknown };
  if (typeof toJSON !== 'function') return convertContents(value, conversion);
  // As JSON.stringify: what toJSON returns is not asked for a toJSON of its own.
  const json: unknown = toJSON.call(value, '');
  if (json === null) note(conversion, 'a value describes itself as null');
  return typeof json === 'object' && json !== null
    ? convertContents(json, conversion)
    : convertValue(json, conversion);
}

function convertContents(value: object, conversion: Conversion): JsonValue | undefined {
  if (Array.isArray(value)) return convertElements(value, conversion);
  if (value instanceof Set) return convertElements([...value], conversion);
  if (value instanceof Map) return convertMap(value, conversion);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) {
    return convertValue(value.valueOf(), conversion);
  }
  const names = Object.keys(value);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
    note(conversion, 'an instance of a class was recorded by its own members');
  }
  return convertMembers(names, value, conversion);
}

function convertElements(elements: readonly unknown[], conversion: Conversion): JsonValue {
  const copy: JsonValue[] = [];
  for (let index = 0; index < elements.length && hasRoom(conversion); index += 1) {
    conversion.path.push(index);
    copy.push(convertMember(elements, index, conversion) ?? null);
    conversion.path.pop();
  }
  return Object.freeze(copy);
}

/** An object where every key is a text that may name a member, else a list of pairs. */
function convertMap(map: ReadonlyMap<unknown, unknown>, conversion: Conversion): JsonValue {
  const isObject = [...map.keys()].every((key) => typeof key === 'string' && key !== '__proto__');
  if (!isObject) return convertElements([...map], conversion);
  const members = Object.fromEntries(map as ReadonlyMap<string, unknown>);
  return convertMembers(Object.keys(members), members, conversion);
}

function convertMembers(
  names: readonly string[],
  members: object,
  conversion: Conversion,
): JsonValue {
  const copy: Record<string, JsonValue> = {};
  for (const name of names) {
    if (!hasRoom(conversion)) break;
    if (name === '__proto__') {
      note(conversion, 'a member named __proto__ was left out');
      continue;
    }
    conversion.path.push(name);
    const converted = convertMember(members, name, conversion);
    if (converted !== undefined) copy[convertText(name, conversion)] = converted;
    conversion.path.pop();
  }
  return Object.freeze(copy);
}

function convertMember(
  members: object,
  name: PathSegment,
  conversion: Conversion,
): JsonValue | undefined {
  let member: unknown;
  try {
    member = (members as Readonly<Record<PathSegment, unknown>>)[name];
  } catch {
    note(conversion, 'a member that throws when it is read was left out');
    return undefined;
  }
  return convertValue(member, conversion);
}

function convertBinary(bytes: Uint8Array, conversion: Conversion): string {
  note(conversion, `${bytes.length} bytes were recorded as hexadecimal text`);
  const kept = bytes.subarray(0, binaryBytesMax);
  if (kept.length < bytes.length) {
    conversion.isCut = true;
    note(conversion, `only the first ${binaryBytesMax} bytes were kept`);
  }
  conversion.unitsRead += kept.length * 2;
  return Array.from(kept, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function isError(value: object): boolean {
  return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
}

function hasRoom(conversion: Conversion): boolean {
  if (conversion.valuesRead < valuesMax && conversion.unitsRead < unitsMax) return true;
  if (!conversion.isCut) note(conversion, 'there is too much: the rest was not read');
  conversion.isCut = true;
  return false;
}

function note(conversion: Conversion, what: string): void {
  const { notes, path } = conversion;
  if (notes.length < notesMax) notes.push(`At ${placeOf(path)}: ${what}.`);
  else if (notes.length === notesMax) notes.push('There is more of this kind.');
}
