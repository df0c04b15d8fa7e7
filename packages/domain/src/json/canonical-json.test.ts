import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { type JsonValue } from './json-value.ts';
import { parseJson } from './parse-json.ts';

const shortHash = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);

describe('canonicalJson', () => {
  it.each([
    [
      'V1',
      '{ "amount" : 1250.0 , "order_id":"o-1"}',
      '{"amount":1250,"order_id":"o-1"}',
      '523a3842c5c0eab8',
    ],
    [
      'V1',
      '{"order_id":"o-1","amount":1.25e3}',
      '{"amount":1250,"order_id":"o-1"}',
      '523a3842c5c0eab8',
    ],
    [
      'V2',
      '{"amount":"1250","order_id":"o-1"}',
      '{"amount":"1250","order_id":"o-1"}',
      '1149728f5d3c35bb',
    ],
    [
      'V3',
      '{"amount":1250,"order_id":"o-1","note":null}',
      '{"amount":1250,"note":null,"order_id":"o-1"}',
      'c5b3c2d9b4d07bd5',
    ],
    ['V4', '{"delta":-0.0}', '{"delta":0}', 'a999afcba227edca'],
    ['V5', '{"r":0.0000001}', '{"r":1e-7}', 'a63fbf1d911a39fc'],
    ['V6', '{"r":0.000001}', '{"r":0.000001}', '4b5d8f2f7a54f782'],
    ['V9', '{"name":"caf\\u00e9"}', '{"name":"caf\u00e9"}', '645fa443126a8954'],
    ['V10', '{"name":"cafe\\u0301"}', '{"name":"cafe\u0301"}', '4b7186ff40a64bfa'],
    [
      'V11',
      '{"\\ufb33":1,"\\ud83d\\ude00":2,"a":3}',
      '{"a":3,"\u{1f600}":2,"\ufb33":1}',
      '69f01d950d632ddb',
    ],
  ])('%s %s', (_id, text, canonical, digest) => {
    const parsed = parseJson(text);
    expect(parsed.kind).toBe('parsed');
    const written = canonicalJson(parsed.kind === 'parsed' ? parsed.value : null);
    expect(written).toBe(canonical);
    expect(shortHash(written)).toBe(digest);
  });

  it.each([
    ['V7', 1e20, '{"r":100000000000000000000}', '972cfb038f649227'],
    ['V8', 1e21, '{"r":1e+21}', '55bbd8bad9f49b99'],
  ])('%s is written, but refused at the doors', (_id, r, canonical, digest) => {
    expect(canonicalJson({ r })).toBe(canonical);
    expect(shortHash(canonicalJson({ r }))).toBe(digest);
    expect(parseJson(canonical)).toMatchObject({ code: 'json.integer-unsafe' });
  });

  it('V12 V13 are refused at the doors', () => {
    expect(parseJson('{"id":2512292042121000001}').kind).toBe('refusal');
    for (const text of ['"\\ud800"', 'NaN', 'Infinity', '1n', '{"a":1,"a":1}']) {
      expect(parseJson(text).kind).toBe('refusal');
    }
    expect(() => canonicalJson([NaN])).toThrow(TypeError);
    expect(() => canonicalJson({ a: { b: Infinity } })).toThrow(TypeError);
  });

  it.each([
    ['10.0', '10'],
    ['-0.0', '0'],
    ['1e-05', '0.00001'],
    ['1E-7', '1e-7'],
    ['0.0000001', '1e-7'],
    ['4.50', '4.5'],
    ['2e-3', '0.002'],
    ['0.000000000000000000000000001', '1e-27'],
    ['333333333.33333329', '333333333.3333333'],
  ])('F003 writes %s as %s', (text, canonical) => {
    expect(canonicalJson(JSON.parse(text) as JsonValue)).toBe(canonical);
  });

  it('sorts names that look like integers, which objects enumerate first', () => {
    expect(canonicalJson({ b: 1, 10: 2, 9: 3, a: { 2: 1, 11: 1, '-': 1 } })).toBe(
      '{"10":2,"9":3,"a":{"-":1,"11":1,"2":1},"b":1}',
    );
    expect(canonicalJson([{ '!': 1, 1: 2 }])).toBe('[{"!":1,"1":2}]');
  });

  it('sorts the same names in every order that they come in, one after the other', () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const orders = fc.shuffledSubarray(names.slice(1), { minLength: 3 });
    fc.assert(
      fc.property(fc.array(orders, { minLength: 2, maxLength: 20 }), (many) => {
        for (const order of many) {
          const given = Object.fromEntries(['a', ...order].map((name) => [name, name]));
          const sorted = ['a', ...order].sort().map((name) => `"${name}":"${name}"`);
          expect(canonicalJson(given)).toBe(`{${sorted.join(',')}}`);
        }
      }),
    );
    expect(canonicalJson({ a: 1, b: 2, c: 3 })).toBe('{"a":1,"b":2,"c":3}');
    expect(canonicalJson({ a: 1, c: 3, b: 2 })).toBe('{"a":1,"b":2,"c":3}');
  });

  it('sorts any names, however many and long, without keeping them all', () => {
    for (let n = 0; n < 400; n += 1) {
      const long = `${n}-${'x'.repeat(n * 3)}`;
      expect(canonicalJson({ [`z${n}`]: 1, [`a${long}`]: 2 })).toBe(`{"a${long}":2,"z${n}":1}`);
    }
  });

  it('leaves out members that are undefined, and refuses what JSON has no place for', () => {
    const given = (value: unknown): string => canonicalJson(value as JsonValue);
    expect(given({ call: undefined, run: 'r' })).toBe('{"run":"r"}');
    expect(given({ b: { z: undefined, y: 1, x: undefined }, a: [{ c: undefined }] })).toBe(
      '{"a":[{}],"b":{"y":1}}',
    );
    expect(given({ 1: undefined, b: 1, 10: { 2: undefined, 3: 0 } })).toBe('{"10":{"3":0},"b":1}');
    for (const value of [undefined, 1n, () => 1, Symbol('s')]) {
      expect(() => given(value)).toThrow(TypeError);
      expect(() => given([value])).toThrow(TypeError);
      expect(() => given({ 1: [value] })).toThrow(TypeError);
    }
    for (const value of [1n, () => 1, Symbol('s')]) {
      expect(() => given({ value })).toThrow(TypeError);
      expect(() => given({ 1: value })).toThrow(TypeError);
    }
  });

  it('keeps an own __proto__ member, should one ever come', () => {
    const own = JSON.parse('{"b":1,"__proto__":2}') as JsonValue;
    expect(canonicalJson(own)).toBe('{"__proto__":2,"b":1}');
  });

  it('changes nothing in the value', () => {
    const value = Object.freeze({ b: Object.freeze([Object.freeze({ d: 1, c: 2 })]), a: 1 });
    expect(canonicalJson(value)).toBe('{"a":1,"b":[{"c":2,"d":1}]}');
    expect(Object.keys(value)).toEqual(['b', 'a']);
  });

  it('sorts many names as few', () => {
    const names = Array.from({ length: 200 }, (_, index) => `n${(index * 7919) % 200}`);
    const value = Object.fromEntries(names.map((name) => [name, 0]));
    expect(canonicalJson(value)).toBe(
      `{${[...names]
        .sort()
        .map((name) => `"${name}":0`)
        .join(',')}}`,
    );
  });

  it('F025 writes one text whatever the order of insertion', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ stringUnit: 'binary' }),
        fc.infiniteStream(fc.nat()),
        (value, order) => {
          const json = value as JsonValue;
          expect(canonicalJson(shuffled(json, order))).toBe(canonicalJson(json));
        },
      ),
    );
  });

  it('round-trips through the strict parser', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseJson(text);
        if (parsed.kind === 'refusal') return;
        const canonical = canonicalJson(parsed.value);
        expect(parseJson(canonical)).toStrictEqual(parsed);
        expect(canonical).toBe(slowCanonical(parsed.value));
      }),
    );
  });

  it('gives different texts to different values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const isSame = canonicalJson(a as JsonValue) === canonicalJson(b as JsonValue);
        expect(isSame).toBe(slowCanonical(a as JsonValue) === slowCanonical(b as JsonValue));
      }),
    );
  });

  function shuffled(value: JsonValue, order: Iterator<number>): JsonValue {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      return (value as readonly JsonValue[]).map((element) => shuffled(element, order));
    }
    const entries = Object.entries(value as Record<string, JsonValue>)
      .map(([name, member]) => ({ name, member, rank: order.next().value as number }))
      .sort((a, b) => a.rank - b.rank);
    return Object.fromEntries(entries.map(({ name, member }) => [name, shuffled(member, order)]));
  }

  /** By the definition, without any of the shortcuts. */
  function slowCanonical(value: JsonValue): string {
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) {
      return `[${(value as readonly JsonValue[]).map(slowCanonical).join(',')}]`;
    }
    const members = Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${JSON.stringify(name)}:${slowCanonical(member)}`);
    return `{${members.join(',')}}`;
  }
});
