// The one text of a JSON value (RFC 8785): members sorted by UTF-16 code units, ECMAScript numbers,
// no blanks. Sorting happens in a copy that only unsorted objects pay for; the text is written by
// native JSON.stringify. Where V8 would not keep the sorted order, a slow writer takes over.
import { isJsonArray } from './is-json-object.ts';
import { type JsonObject, type JsonValue } from './json-value.ts';

/**
 * A member that is undefined counts as missing, as for JSON.stringify.
 * @throws TypeError on what no JSON value holds: a number that is not finite, undefined by itself or
 * in an array, a BigInt, a function, a symbol
 */
export function canonicalJson(value: JsonValue): string {
  const sorted = sortedValue(value);
  return sorted === undefined ? write(value) : JSON.stringify(sorted);
}

/** The value itself where it is in order already. Undefined: no object can hold the sorted order. */
function sortedValue(value: JsonValue): JsonValue | undefined {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (Number.isFinite(value)) return value;
      throw notJson('A number that is not finite');
    case 'object':
      if (value === null) return value;
      return isJsonArray(value) ? sortedElements(value) : sortedMembers(value);
    case 'undefined':
    case 'bigint':
    case 'function':
    case 'symbol':
      throw notJson(`A value of type ${typeof value}`);
  }
}

function notJson(what: string): TypeError {
  return new TypeError(`${what} has no canonical JSON`);
}

function sortedElements(elements: readonly JsonValue[]): readonly JsonValue[] | undefined {
  let copy: JsonValue[] | undefined;
  for (let index = 0; index < elements.length; index += 1) {
    const element = elements[index] as JsonValue;
    const sorted = sortedValue(element);
    if (sorted === undefined) return undefined;
    if (sorted !== element) (copy ??= [...elements])[index] = sorted;
  }
  return copy ?? elements;
}

function sortedMembers(members: JsonObject): JsonObject | undefined {
  const order = orderOf(Object.keys(members));
  if (!order.keepsItsPlace) return undefined;
  let copy: Record<string, JsonValue> | undefined = order.isSorted ? undefined : {};
  for (const name of order.sorted) {
    const member = members[name];
    if (member === undefined) return sortedMembers(withoutMissing(members));
    const sorted = typeof member === 'string' ? member : sortedValue(member);
    if (sorted === undefined) return undefined;
    if (copy !== undefined) copy[name] = sorted;
    else if (sorted !== member) copy = { ...members, [name]: sorted };
  }
  return copy ?? members;
}

function withoutMissing(members: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(members as Readonly<Record<string, unknown>>).filter(
      ([, member]) => member !== undefined,
    ),
  ) as JsonObject;
}

/** How the names of an object are sorted. */
interface Order {
  readonly names: readonly string[];
  readonly sorted: readonly string[];
  readonly isSorted: boolean;
  /** Whether an object can hold the sorted order, where it must be made. */
  readonly keepsItsPlace: boolean;
}

/**
 * Objects of one tool have the same names in the same order, and comparing names for equality costs a
 * tenth of sorting them: the last orders met are kept, by how many names there are and the first one.
 */
const orders: Map<string, Order>[] = [];
const namesMax = 32;
const ordersMax = 128;
/** Of the names of one object together, UTF-16 units: they come from callers. */
const namesSizeMax = 512;

function orderOf(names: readonly string[]): Order {
  const first = names[0];
  if (first === undefined) return noNames;
  if (names.length > namesMax) return createOrder(names);
  const known = (orders[names.length] ??= new Map());
  const order = known.get(first);
  if (order !== undefined && areEqual(order.names, names)) return order;
  const made = createOrder(names);
  if (sizeOf(names) > namesSizeMax) return made;
  if (order === undefined && known.size === ordersMax) known.clear();
  known.set(first, made);
  return made;
}

function sizeOf(names: readonly string[]): number {
  let size = 0;
  for (const name of names) size += name.length;
  return size;
}

function areEqual(names: readonly string[], others: readonly string[]): boolean {
  for (let index = 0; index < names.length; index += 1) {
    if (names[index] !== others[index]) return false;
  }
  return true;
}

function createOrder(names: readonly string[]): Order {
  // By UTF-16 code units.
  const sorted = [...names].sort();
  const isSorted = areEqual(sorted, names);
  return { names, sorted, isSorted, keepsItsPlace: isSorted || sorted.every(keepsItsPlace) };
}

const noNames: Order = createOrder([]);

/** V8 enumerates names like integers first, whatever the order of writing; `__proto__` is a setter. */
function keepsItsPlace(name: string): boolean {
  const first = name.charCodeAt(0);
  return (first < 0x30 || first > 0x39) && name !== '__proto__';
}

function write(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(sortedValue(value));
  if (isJsonArray(value)) return `[${value.map(write).join(',')}]`;
  const members = Object.keys(value)
    .sort()
    .filter((name) => value[name] !== undefined)
    .map((name) => `${JSON.stringify(name)}:${write(value[name] as JsonValue)}`);
  return `{${members.join(',')}}`;
}
