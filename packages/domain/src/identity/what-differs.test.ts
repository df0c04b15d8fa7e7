import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '../json/json-value.ts';
import { type IdentityDeclaration } from './declaration.ts';
import { differencesMax, whatDiffers } from './what-differs.ts';

const declaration: IdentityDeclaration = {
  tool: 'refund',
  identityVersion: 1,
  scope: 'run',
  identity: ['order.id'],
  free: ['note'],
  normalize: { 'customer.email': ['trim', 'lowercase'] },
  sets: ['tags'],
  secret: ['card'],
  defaults: { currency: 'EUR' },
};
const before: JsonObject = {
  order: { id: 'o-1', amount: 1250 },
  note: 'please',
  customer: { email: 'ada@ex.test' },
  tags: ['a', 'b'],
  card: { secretDigest: 'd1:abc' },
};

const differing = (now: JsonObject): readonly unknown[] => whatDiffers(declaration, before, now);

describe('whatDiffers', () => {
  it('names no field that is free, normalised, a set in another order, or its default', () => {
    expect(
      differing({
        ...before,
        note: 'now!',
        customer: { email: ' Ada@EX.test' },
        tags: ['b', 'a'],
        currency: 'EUR',
      }),
    ).toEqual([]);
  });

  it('names the members that differ, however deep, in order', () => {
    const now = { ...before, tags: ['a'], order: { id: 'o-1', amount: 1300 }, currency: 'USD' };
    expect(differing(now)).toEqual([
      { path: 'currency', note: 'missing before, string now' },
      { path: 'order.amount' },
      { path: 'tags' },
    ]);
  });

  it('says what kind of value differs where that is hard to see', () => {
    const now = { ...before, order: { id: null, amount: '1250' }, tags: 'a' };
    expect(differing(now)).toEqual([
      { path: 'order.amount', note: 'number before, string now' },
      { path: 'order.id', note: 'string before, null now' },
      { path: 'tags', note: 'array before, string now' },
    ]);
    expect(differing({ ...before, order: { amount: 1250 } })).toEqual([
      { path: 'order.id', note: 'string before, missing now' },
    ]);
  });

  it.each([
    ['caf\u00e9', 'cafe\u0301', 4, 'U+00E9', 'U+0065 U+0301'],
    ['a b', 'a\u00a0b', 2, 'U+0020 U+0062', 'U+00A0 U+0062'],
    ['ab', 'a\u200bb', 2, 'U+0062', 'U+200B U+0062'],
    ['ab', 'ab ', 3, 'at its end', 'U+0020'],
  ])('F007 shows the code points of %j against %j', (a, b, character, was, is) => {
    expect(whatDiffers(declaration, { folder: a }, { folder: b })).toEqual([
      {
        path: 'folder',
        note: `looks the same, but from character ${character} on it was ${was} and is ${is}`,
      },
    ]);
  });

  it('tells of a secret only that it differs', () => {
    const now = { ...before, card: { secretDigest: 'd1:xyz' } };
    expect(differing(now)).toEqual([{ path: 'card' }]);
    expect(differing({ ...before, card: null })).toEqual([{ path: 'card' }]);
  });

  it('never quotes a value', () => {
    const now = { ...before, order: { id: 'hunter2', amount: 77 }, tags: ['hunter2'] };
    expect(JSON.stringify(differing(now))).not.toMatch(/hunter2|77|o-1|1250/);
  });

  it('is bounded', () => {
    const names = Array.from({ length: 500 }, (_, index) => [`n${index}`, index]);
    const differences = whatDiffers(
      declaration,
      {},
      { deep: Object.fromEntries(names) as JsonObject },
    );
    expect(differences).toEqual([{ path: 'deep', note: 'missing before, object now' }]);
    const wide = whatDiffers(
      declaration,
      { deep: {} },
      { deep: Object.fromEntries(names) as JsonObject },
    );
    expect(wide).toHaveLength(differencesMax);
  });
});
