import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { checkJson } from './check-json.ts';
import { type JsonValue } from './json-value.ts';
import { parseJson } from './parse-json.ts';

function checked(value: unknown): JsonValue {
  const result = checkJson(value);
  if (result.kind === 'refusal') throw new Error(result.message);
  return result.value;
}

const withSymbol = { [Symbol('s')]: 1 };
const withExtra = Object.assign([1], { extra: 2 });
const symbolArray = Object.assign([1], { [Symbol('s')]: 2 });
const accessor = {
  get x() {
    return 1;
  },
};
const accessorArray = Object.defineProperty([1], 0, { enumerable: true, get: () => 1 });
const setterOnly = Object.defineProperty({}, 'x', { enumerable: true, set: () => undefined });
const throwing = new Proxy(
  {},
  {
    ownKeys() {
      throw new Error('no');
    },
  },
);
class Money {
  readonly amount = 1;
}

describe('checkJson', () => {
  it.each<[string, unknown, string, string]>([
    ['Infinity', { a: { b: Infinity } }, 'json.number-not-finite', '/a/b'],
    ['NaN', [NaN], 'json.number-not-finite', '/0'],
    ['an unsafe integer', { id: 2 ** 53 }, 'json.integer-unsafe', '/id'],
    ['1e21', { id: [1e21] }, 'json.integer-unsafe', '/id/0'],
    ['a BigInt', { n: 1n }, 'json.unsupported-type', '/n'],
    ['a function', { f: () => 1 }, 'json.unsupported-type', '/f'],
    ['a symbol', [Symbol('s')], 'json.unsupported-type', '/0'],
    ['undefined itself', undefined, 'json.unsupported-type', ''],
    ['undefined in an array', [1, undefined], 'json.unsupported-type', '/1'],
    ['a date', { at: new Date(0) }, 'json.unsupported-type', '/at'],
    ['a map', { m: new Map() }, 'json.unsupported-type', '/m'],
    ['a set', { m: new Set() }, 'json.unsupported-type', '/m'],
    ['a class instance', { m: new Money() }, 'json.unsupported-type', '/m'],
    ['a boxed string', [new String('x')], 'json.unsupported-type', '/0'],
    ['an object with a prototype', Object.create({ a: 1 }), 'json.unsupported-type', ''],
    ['a lone surrogate', { s: ['\ud800'] }, 'json.lone-surrogate', '/s/0'],
    ['a lone surrogate in a name', { '\udfff': 1 }, 'json.lone-surrogate', '/\ufffd'],
    [
      'an own __proto__',
      JSON.parse('{"a":{"__proto__":1}}'),
      'json.forbidden-member',
      '/a/__proto__',
    ],
    ['an accessor', { a: accessor }, 'json.unsupported-member', '/a/x'],
    ['an accessor in an array', accessorArray, 'json.unsupported-member', '/0'],
    ['a setter', setterOnly, 'json.unsupported-member', '/x'],
    ['a symbol member', { a: withSymbol }, 'json.unsupported-member', '/a'],
    ['an array with members', withExtra, 'json.unsupported-member', ''],
    ['an array with symbols', symbolArray, 'json.unsupported-member', ''],
    ['a sparse array', { l: new Array(2) }, 'json.sparse-array', '/l/0'],
    ['what throws when read', { p: throwing }, 'json.unreadable', ''],
  ])('refuses %s', (_name, value, code, pointer) => {
    expect(checkJson(value)).toMatchObject({ kind: 'refusal', code, detail: { pointer } });
  });

  it('F011 tells null, missing, 0 and what is no number apart', () => {
    expect(checkJson({ limit: Infinity })).toMatchObject({ detail: { pointer: '/limit' } });
    expect(checkJson({ limit: NaN }).kind).toBe('refusal');
    expect(checked({ limit: null })).toStrictEqual({ limit: null });
    expect(checked({ limit: -0, list: [-0] })).toStrictEqual({ limit: 0, list: [0] });
    expect(checked(-0)).toBe(0);
    expect(checked({ x: undefined, y: 1 })).toStrictEqual({ y: 1 });
    expect(checkJson({ x: 1n }).kind).toBe('refusal');
  });

  it('names where a cycle closes', () => {
    const loop: Record<string, unknown> = { name: 'a' };
    loop['next'] = { list: [loop] };
    expect(checkJson({ loop })).toMatchObject({
      code: 'json.cycle',
      detail: { pointer: '/loop/next/list/0' },
    });
  });

  it('takes one object in two places, but not without end', () => {
    const shared = { a: 1 };
    expect(checked([shared, { shared }])).toStrictEqual([{ a: 1 }, { shared: { a: 1 } }]);
    let bomb: unknown = 'x'.repeat(100);
    for (let level = 0; level < 20; level += 1) bomb = [bomb, bomb, bomb, bomb];
    expect(checkJson(bomb)).toMatchObject({ code: 'json.too-large' });
  });

  it('returns a frozen copy that nobody else holds', () => {
    const given = { list: [{ a: 1 }], constructor: 'c' };
    const value = checked(given) as unknown as typeof given;
    given.list[0] = { a: 2 };
    expect(value).toStrictEqual({ list: [{ a: 1 }], constructor: 'c' });
    expect(Object.isFrozen(value) && Object.isFrozen(value.list)).toBe(true);
    expect(Object.isFrozen(value.list[0])).toBe(true);
  });

  it('takes objects without prototype and of other realms', () => {
    const bare = Object.assign(Object.create(null) as object, { a: 1 });
    expect(checked(bare)).toStrictEqual({ a: 1 });
    // Jest runs tests in a realm of its own; structuredClone makes objects of the outer one.
    expect(checked(structuredClone({ a: [{ b: 1 }] }))).toEqual({ a: [{ b: 1 }] });
  });

  it('bounds depth and bytes exactly', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect(checkJson(nested(32)).kind).toBe('checked');
    expect(checkJson(nested(33))).toMatchObject({ code: 'json.too-deep' });
    const limits = { bytesMax: 20, depthMax: 3 };
    expect(checkJson({ a: 'é'.repeat(6) }, limits).kind).toBe('checked');
    expect(checkJson({ a: 'é'.repeat(7) }, limits)).toMatchObject({ code: 'json.too-large' });
    expect(checkJson({ a: '\u0001\u0001' }, limits).kind).toBe('checked');
    expect(checkJson({ a: '\u0001\u0001\u0001' }, limits)).toMatchObject({
      code: 'json.too-large',
    });
    const numbers = { bytesMax: 200, depthMax: 1 };
    expect(checkJson(new Array(9).fill(-1.2345678901234567e-300), numbers)).toMatchObject({
      code: 'json.too-large',
    });
    expect(checkJson(new Array(300_000).fill(1))).toMatchObject({ code: 'json.too-large' });
  });

  /** With names and texts of any UTF-16 units, and numbers of any size. */
  const anyUnits = fc
    .array(fc.oneof(fc.nat(0x7f), fc.integer({ min: 0xd7f0, max: 0xe00f })), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units));
  const anyNumber = fc.double({ noNaN: true, noDefaultInfinity: true });
  const wild = fc.object({ key: anyUnits, values: [anyUnits, anyNumber, fc.constant(null)] });

  it('agrees with the strict parser on every JSON value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), wild), (value) => {
        const result = checkJson(value);
        const parsed = parseJson(JSON.stringify(value));
        expect(result.kind === 'checked').toBe(parsed.kind === 'parsed');
        if (result.kind === 'checked' && parsed.kind === 'parsed') {
          expect(canonicalJson(result.value)).toBe(canonicalJson(parsed.value));
          expect(result.value).toStrictEqual(parsed.value);
        } else {
          expect(result).toHaveProperty('code', (parsed as { code: string }).code);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('refuses or reads anything at all, and never throws', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withNullPrototype: true,
      withSparseArray: true,
      withTypedArray: true,
      withBoxedValues: true,
    });
    fc.assert(
      fc.property(anything, (value) => {
        const result = checkJson(value);
        if (result.kind === 'checked')
          expect(parseJson(canonicalJson(result.value)).kind).toBe('parsed');
      }),
    );
  });
});
