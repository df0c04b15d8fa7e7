import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Sha256 } from '../sha256.ts';
import { canonicalJson } from './canonical-json.ts';
import { parseJson } from './parse-json.ts';
import { type Recordable, recordableNotesMax, toRecordable } from './recordable.ts';
import { utf8Length } from './utf8-length.ts';

const sha256: Sha256 = (text) => hash('sha256', text, 'base64url');
const limits = { bytesMax: 64 * 1024, sha256 };

const record = (value: unknown): Recordable => toRecordable(value, limits);

class Receipt {
  readonly id = 'r-1';
  readonly #secret = 's';
  secret(): string {
    return this.#secret;
  }
}

const self: Record<string, unknown> = { a: 1 };
self['self'] = [self];

const throwing = {
  get bad(): never {
    throw new Error('no');
  },
  good: 1,
};

const unreadable = new Proxy(
  {},
  {
    getPrototypeOf() {
      throw new Error('no');
    },
    ownKeys() {
      throw new Error('no');
    },
  },
);

describe('toRecordable', () => {
  it.each<[string, unknown, unknown, string | undefined]>([
    ['a plain value', { a: [1, 'x', null, true] }, { a: [1, 'x', null, true] }, undefined],
    ['undefined', undefined, null, undefined],
    ['an undefined member', { a: undefined, b: [undefined] }, { b: [null] }, undefined],
    ['-0', [-0], [0], undefined],
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }, undefined],
    [
      'an invalid date',
      { at: new Date(NaN) },
      { at: null },
      'At /at: a value describes itself as null.',
    ],
    ['a map of names', new Map([['a', 1]]), { a: 1 }, undefined],
    [
      'another map',
      new Map([[1, { b: 2n }]]),
      [[1, { b: '2' }]],
      'At /0/1/b: a BigInt was recorded as decimal text.',
    ],
    ['a map with __proto__', new Map([['__proto__', 1]]), [['__proto__', 1]], undefined],
    ['a set', { tags: new Set(['a', 1]) }, { tags: ['a', 1] }, undefined],
    [
      'a BigInt',
      { n: 2n ** 70n },
      { n: '1180591620717411303424' },
      'At /n: a BigInt was recorded as decimal text.',
    ],
    ['a function', { f: () => 1, g: [() => 1] }, { g: [null] }, 'At /f: a function was left out.'],
    ['a symbol', Symbol('s'), null, 'At the root: a symbol was left out.'],
    [
      'a cycle',
      self,
      { a: 1, self: ['[cycle]'] },
      'At /self/0: a value that contains itself was recorded as "[cycle]".',
    ],
    ['Infinity', [Infinity], [null], 'At /0: Infinity was recorded as null.'],
    [
      'a large number',
      { id: 1e21 },
      { id: '1e+21' },
      'At /id: an integer beyond 2^53-1 was recorded as text; digits may be lost already.',
    ],
    [
      'half a pair',
      ['\ud800x'],
      ['\ufffdx'],
      'At /0: half of a surrogate pair was replaced by U+FFFD.',
    ],
    [
      'an error',
      new TypeError('no such card'),
      { name: 'TypeError', message: 'no such card' },
      undefined,
    ],
    [
      'an instance',
      new Receipt(),
      { id: 'r-1' },
      'At the root: an instance of a class was recorded by its own members.',
    ],
    ['toJSON', { u: new URL('http://x.test/') }, { u: 'http://x.test/' }, undefined],
    [
      'a getter that throws',
      throwing,
      { good: 1 },
      'At /bad: a member that throws when it is read was left out.',
    ],
    [
      'what cannot be read',
      [unreadable, 1],
      ['[unreadable]', 1],
      'At /0: a value that throws when it is read was recorded as "[unreadable]".',
    ],
    [
      'bytes',
      { b: new Uint8Array([1, 255]) },
      { b: '01ff' },
      'At /b: 2 bytes were recorded as hexadecimal text.',
    ],
    ['a boxed text', [new String('x')], ['x'], undefined],
    [
      'own __proto__',
      JSON.parse('{"__proto__":1,"a":2}'),
      { a: 2 },
      'At the root: a member named __proto__ was left out.',
    ],
    ['a sparse array', new Array(3), [null, null, null], undefined],
  ])('records %s', (_name, value, recorded, note) => {
    const result = record(value);
    expect(result.value).toStrictEqual(recorded);
    expect(result.text).toBe(canonicalJson(result.value));
    expect(result.complete).toBe(true);
    expect(result).not.toHaveProperty('digest');
    expect(result.notes[0]).toBe(note);
  });

  it('F215 gives the first caller what every repeat will read', () => {
    const { value, text } = record({
      10: 'b',
      9: new Map([['k', -0]]),
      at: new Date(5),
      u: undefined,
    });
    expect(JSON.parse(text)).toStrictEqual(value);
    expect(Object.isFrozen(value)).toBe(true);
  });

  it('F044 F213 cuts what is too large, with the digest of the whole', () => {
    const whole = { id: 'r-1', body: 'é'.repeat(1_300_000), lines: new Array(9_000).fill('line') };
    const cut = record(whole);
    expect(cut.complete).toBe(false);
    expect(cut.digest).toBe(sha256(canonicalJson(whole)));
    expect(utf8Length(cut.text)).toBeLessThanOrEqual(limits.bytesMax);
    expect(cut.value).toMatchObject({ id: 'r-1' });
    expect(cut.notes.at(-1)).toMatch(/^Cut to fit 65536 bytes/);
    expect(cut.text.length).toBeGreaterThan(limits.bytesMax / 8);

    const text = record('x'.repeat(5_000_000));
    expect(text.value).toMatch(/^x+…$/);
    expect(text.digest).toBe(sha256(`"${'x'.repeat(5_000_000)}"`));
  });

  it('never cuts between the halves of a pair', () => {
    for (const bytesMax of [30, 31, 32, 33]) {
      const { value } = toRecordable('\u{1f600}'.repeat(100), { bytesMax, sha256 });
      expect(value).toMatch(/^\u{1f600}*…$/u);
    }
  });

  it('keeps declared members whole, wherever else it cuts', () => {
    const whole = {
      refund: { id: 'r'.repeat(600), log: 'x'.repeat(5_000) },
      list: Array.from({ length: 500 }, (_, index) => ({ index })),
      zzz: [1, 2, 3],
    };
    const keep = ['refund.id', 'zzz', 'list.0', 'missing.path'];
    const cut = toRecordable(whole, { bytesMax: 1_000, keep, sha256 });
    expect(cut.value).toMatchObject({ refund: { id: whole.refund.id }, zzz: [1, 2, 3] });
    expect(utf8Length(cut.text)).toBeLessThanOrEqual(1_000);

    const tight = toRecordable(whole, { bytesMax: 100, keep, sha256 });
    expect(tight.value).toStrictEqual({ refund: { id: whole.refund.id }, zzz: [1, 2, 3] });
    expect(tight.notes.at(-1)).toMatch(/only the kept members/);
    expect(toRecordable(tight.value, { bytesMax: 100, keep, sha256 }).value).toStrictEqual(
      tight.value,
    );
  });

  it('looks for kept members in objects only, never in lists', () => {
    const whole = { list: [{ id: 'x'.repeat(5_000) }] };
    const cut = toRecordable(whole, { bytesMax: 1_000, keep: ['id'], sha256 });
    expect(cut.value).toEqual({ list: [{ id: expect.stringMatching(/^x+…$/) }] });
  });

  it('records something even if the kept members alone fit no event', () => {
    const whole = { id: 'x'.repeat(600_000), note: 'n' };
    const cut = toRecordable(whole, { bytesMax: 1_000, keep: ['id'], sha256 });
    expect(utf8Length(cut.text)).toBeLessThanOrEqual(1_000);
    expect(cut.value).toMatchObject({ note: 'n' });
    expect(cut.complete).toBe(false);
  });

  it('bounds depth, values and notes', () => {
    let deep: unknown = 'end';
    for (let level = 0; level < 5_000; level += 1) deep = { deep };
    const cut = record(deep);
    expect(cut.text).toContain('[too deep]');
    expect(cut).toMatchObject({ complete: false, digest: sha256(cut.text) });

    const wide = record(new Array(4_000_000_000));
    expect(wide.complete).toBe(false);
    expect(utf8Length(wide.text)).toBeLessThanOrEqual(limits.bytesMax);

    let bomb: unknown = 'x'.repeat(1_000);
    for (let level = 0; level < 20; level += 1) bomb = [bomb, bomb, bomb, bomb];
    expect(record(bomb).complete).toBe(false);
    const long = 'x'.repeat(1_000_000);
    expect(record(new Array(200).fill(long)).notes).toContainEqual(
      expect.stringContaining('there is too much: the rest was not read'),
    );

    expect(record(new Array(100).fill(() => 1)).notes).toHaveLength(21);
    const most = [...new Array<unknown>(100).fill(() => 1), 'x'.repeat(100_000)];
    expect(record(most).notes).toHaveLength(recordableNotesMax);
  });

  const anything = fc.anything({
    withBigInt: true,
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withObjectString: true,
    withSparseArray: true,
    withTypedArray: true,
    withBoxedValues: true,
    values: [
      fc.string({ unit: 'binary' }),
      fc.string({ maxLength: 200, minLength: 100 }),
      fc.double(),
      fc.constantFrom(undefined, null, '\ud800', -0, Symbol('s'), () => 1, new Error('e'), self),
    ],
  });

  it('never throws, stays within bounds, passes the strict parser, and changes nothing twice', () => {
    fc.assert(
      fc.property(anything, fc.constantFrom(32, 100, 65_536), (value, bytesMax) => {
        const first = toRecordable(value, { bytesMax, sha256 });
        expect(utf8Length(first.text)).toBeLessThanOrEqual(bytesMax);
        expect(first.text).toBe(canonicalJson(first.value));
        expect(first.complete).toBe(first.digest === undefined);
        expect(parseJson(first.text)).toStrictEqual({ kind: 'parsed', value: first.value });
        const again = toRecordable(first.value, { bytesMax, sha256 });
        expect(again.value).toStrictEqual(first.value);
        expect(again.complete).toBe(true);
        expect(again.notes).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it('reads plain values alike on the fast and the slow path', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const slow = record([value, 1n]).value as readonly unknown[];
        expect(record(value).value).toStrictEqual(slow[0]);
      }),
    );
  });
});
