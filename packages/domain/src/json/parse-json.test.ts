import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';
import { findJsonFault } from './find-json-fault.ts';
import { type JsonRefusal } from './json-fault.ts';
import { type JsonValue } from './json-value.ts';
import { type ParsedJson, parseJson } from './parse-json.ts';

const codeOf = (result: ParsedJson | JsonRefusal): string =>
  result.kind === 'refusal' ? result.code : result.kind;

function valueOf(text: string): JsonValue {
  const parsed = parseJson(text);
  if (parsed.kind === 'refusal') throw new Error(parsed.message);
  return parsed.value;
}

describe('parseJson', () => {
  it.each([
    ['', 'json.truncated'],
    ['  ', 'json.truncated'],
    ['{"to":"a@ex.test","body":"Dear ', 'json.truncated'],
    ['{"a":1', 'json.truncated'],
    ['{"a":', 'json.truncated'],
    ['{"a"', 'json.truncated'],
    ['{', 'json.truncated'],
    ['[1,', 'json.truncated'],
    ['tru', 'json.truncated'],
    ['[-', 'json.truncated'],
    ['1.', 'json.truncated'],
    ['2e+', 'json.truncated'],
    ['"\\', 'json.truncated'],
    ['"\\u00', 'json.truncated'],
    ['{"a":1}}', 'json.malformed'],
    ['{a:1}', 'json.malformed'],
    ["{'a':1}", 'json.malformed'],
    ['[1,]', 'json.malformed'],
    ['{"a":1,}', 'json.malformed'],
    ['[01]', 'json.malformed'],
    ['01', 'json.malformed'],
    ['+1', 'json.malformed'],
    ['.5', 'json.malformed'],
    ['1.5.', 'json.malformed'],
    ['truth', 'json.malformed'],
    ['"a\nb"', 'json.malformed'],
    ['"a\u001fb"', 'json.malformed'],
    ['"\\x"', 'json.malformed'],
    ['\ufeff{}', 'json.malformed'],
    ['{"a":1,"a":2}', 'json.duplicate-member'],
    ['{"a":1,"\\u0061":2}', 'json.duplicate-member'],
    ['{"o":{"x":"1:2","x":"::"}}', 'json.duplicate-member'],
    ['{"a":"\\u003a","a":1}', 'json.duplicate-member'],
    ['{"a":1,"a":"\\u003A"}', 'json.duplicate-member'],
    ['{"__proto__":{"x":1}}', 'json.forbidden-member'],
    ['[{"\\u005f_proto__":1}]', 'json.forbidden-member'],
    ['"\\ud800"', 'json.lone-surrogate'],
    ['"\\uDFFF"', 'json.lone-surrogate'],
    ['{"\\ud83d":1}', 'json.lone-surrogate'],
    ['"\ud800"', 'json.lone-surrogate'],
    ['[NaN]', 'json.number-not-finite'],
    ['-Infinity', 'json.number-not-finite'],
    ['1E400', 'json.number-not-finite'],
    ['9007199254740992', 'json.integer-unsafe'],
    ['-9007199254740993', 'json.integer-unsafe'],
    ['2512292042121000001.0', 'json.integer-unsafe'],
    ['1e20', 'json.integer-unsafe'],
    ['1E+21', 'json.integer-unsafe'],
    ['0.9007199254740993e16', 'json.integer-unsafe'],
  ])('refuses %j as %s', (text, code) => {
    expect(parseJson(text)).toMatchObject({ code, detail: { offset: expect.any(Number) } });
  });

  it('names the place by pointer, line, column and offset', () => {
    const text = '{\n  "order": {"lines": [1, {"a/b": 1, "a/b": 2}]}\n}';
    const refused = parseJson(text);
    expect(refused).toMatchObject({
      kind: 'refusal',
      code: 'json.duplicate-member',
      detail: {
        pointer: '/order/lines/1/a~1b',
        line: 2,
        column: 37,
        offset: text.lastIndexOf('"a/b"'),
      },
    });
    expect(refused).toHaveProperty(
      'message',
      'A member name occurs twice at /order/lines/1/a~1b (line 2, column 37). Nothing was repaired.',
    );
  });

  it('never quotes a value, and keeps its own words well formed', () => {
    const refused = parseJson('{"\\ud800secret":"hunter2\\q"}');
    const text = JSON.stringify(refused);
    expect(text).not.toContain('hunter2');
    const deep = parseJson('{"a\\u0000":{"b":1,"b":2}}');
    expect(deep).toMatchObject({ detail: { pointer: '/a\u0000/b' } });
    expect((deep as JsonRefusal).message).toContain('/a\\u0000/b');
  });

  it('F005 keeps the text form of a large id digit for digit', () => {
    expect(codeOf(parseJson('{"row_id":2512292042121000001}'))).toBe('json.integer-unsafe');
    expect(codeOf(parseJson('{"row_id":2512292042121000000}'))).toBe('json.integer-unsafe');
    expect(valueOf('{"row_id":"2512292042121000001"}')).toEqual({ row_id: '2512292042121000001' });
    expect(valueOf('[9007199254740991,-9007199254740991]')).toEqual([
      Number.MAX_SAFE_INTEGER,
      Number.MIN_SAFE_INTEGER,
    ]);
  });

  it('F013 leaves Object.prototype untouched and constructor an ordinary member', () => {
    expect(codeOf(parseJson('{"to":"a@ex.test","__proto__":{"x":1}}'))).toBe(
      'json.forbidden-member',
    );
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false);
    const value = valueOf('{"constructor":{"prototype":1},"toString":2}') as Record<
      string,
      unknown
    >;
    expect(Object.keys(value)).toEqual(['constructor', 'toString']);
  });

  it('F027 refuses truncated arguments at every cut, and repairs none', () => {
    const whole = '{"to":"a@ex.test","n":[1,{"b":true}],"body":"Dear \\u00e9 \\"x\\""}';
    expect(codeOf(parseJson(whole))).toBe('parsed');
    for (let cut = 0; cut < whole.length; cut += 1) {
      expect(codeOf(parseJson(whole.slice(0, cut)))).toBe('json.truncated');
    }
  });

  it('turns -0 into 0 wherever it stands', () => {
    for (const text of ['-0', '[-0.0]', '{"a":{"b":-0e9}}']) {
      expect(valueOf(text)).not.toStrictEqual(JSON.parse(text));
    }
    expect(valueOf('[-0.0]')).toStrictEqual([0]);
  });

  it('takes colons and escapes in strings for what they are', () => {
    const text = '{"a:b":"::","c":"\\u003a\\\\u003a","d":"\\ud83d\\ude00","u":"https://x.test:80"}';
    expect(valueOf(text)).toEqual({
      'a:b': '::',
      c: ':\\u003a',
      d: '\u{1f600}',
      u: 'https://x.test:80',
    });
  });

  it('bounds depth and bytes', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
    expect(codeOf(parseJson(nested(32)))).toBe('parsed');
    expect(parseJson(nested(33))).toMatchObject({ code: 'json.too-deep', detail: { offset: 32 } });
    expect(codeOf(parseJson(nested(100_000)))).toBe('json.too-deep');
    expect(codeOf(parseJson('{"a":{"b":1}}', { bytesMax: 99, depthMax: 1 }))).toBe('json.too-deep');
    const limits = { bytesMax: 10, depthMax: 1 };
    expect(codeOf(parseJson('"12345678"', limits))).toBe('parsed');
    expect(codeOf(parseJson('"123456789"', limits))).toBe('json.too-large');
    expect(codeOf(parseJson('"éééé"', limits))).toBe('parsed');
    expect(codeOf(parseJson('"ééééé"', limits))).toBe('json.too-large');
    expect(codeOf(parseJson(`"${'x'.repeat(256 * 1024)}"`))).toBe('json.too-large');
  });
});

describe('parseJson against JSON.parse', () => {
  const deep = { bytesMax: 1_000_000, depthMax: 1_000 };

  it('reads the same value wherever it reads one', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const parsed = parseJson(text, deep);
        if (parsed.kind === 'parsed') {
          expect(canonicalJson(parsed.value)).toBe(canonicalJson(JSON.parse(text) as JsonValue));
        }
      }),
    );
  });

  /** JSON with single characters changed: mostly broken, sometimes not. */
  const mutated = fc
    .tuple(
      fc.oneof(fc.json(), fc.constant('{"a":[1.5e3,-0,true,null],"b":{"c":"\\u00e9:\\n"}}')),
      fc.nat(),
      fc.constantFrom('', '"', ',', ':', '}', ']', '-', '0', 'e', '.', '\\', 'x', ' ', '\n', 'a'),
      fc.boolean(),
    )
    .map(([text, at, piece, isInsert]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + piece + text.slice(isInsert ? place : place + 1);
    });

  it('never accepts what JSON.parse refuses, and always says why', () => {
    fc.assert(
      fc.property(mutated, (text) => {
        const parsed = parseJson(text, deep);
        if (isJson(text)) {
          if (parsed.kind === 'refusal') {
            expect(parsed.code).not.toMatch(/malformed|truncated/);
          }
        } else {
          expect(parsed.kind).toBe('refusal');
          expect(parsed).toHaveProperty('detail.offset');
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('decides fast and slow alike', () => {
    const texts = fc.oneof(mutated, fc.json({ stringUnit: 'binary' }));
    fc.assert(
      fc.property(texts, (text) => {
        const isSlowlyFine = findJsonFault(text, deep.depthMax) === undefined;
        expect(parseJson(text, deep).kind === 'parsed').toBe(isSlowlyFine);
      }),
      { numRuns: 1000 },
    );
  });

  it('finds a duplicate wherever it hides', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__');
    fc.assert(
      fc.property(name, fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (member, a, b, c) => {
        const key = JSON.stringify(member);
        const [one, two, three] = [a, b, c].map((value) => JSON.stringify(value));
        const text = `[${three},{${key}:${one},"":${three},${key}:${two}}]`;
        const refused = parseJson(text, deep);
        expect(refused.kind).toBe('refusal');
      }),
    );
  });

  function isJson(text: string): boolean {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }
});
