import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Sha256 } from '../sha256.ts';
import { callerKey, linkKey, oneKey, scopeValuesOf } from './keys.ts';

const sha256: Sha256 = (text) => hash('sha256', text, 'base64url');

describe('callerKey', () => {
  it('F023 has not changed', () => {
    expect(callerKey(sha256, 't1', 'k1')).toEqual({
      kind: 'keyed',
      keyHash: '3sOoAUC6jJ4L8pftDIvcFby3deLFzroDSUuiMv3z3_4',
    });
  });

  it.each([
    ['a UUID', '0b5f0c4e-7d0a-4c55-9d0c-2f1d3a0e4b11'],
    ['64 hex digits', 'ab'.repeat(32)],
    ['255 characters', 'x'.repeat(255)],
    ['255 characters, most of two units', `x${'😀'.repeat(254)}`],
    ['other scripts', 'заказ-№7'],
    ['a slash and blanks', 'a/b c '],
  ])('F073 takes %s as it is, and always names the same', (_name, key) => {
    const keyed = callerKey(sha256, 't1', key);
    expect(keyed).toMatchObject({ kind: 'keyed', keyHash: expect.stringMatching(/^[\w-]{43}$/) });
    expect(callerKey(sha256, 't1', key)).toEqual(keyed);
    expect(callerKey(sha256, 't1', `${key.slice(1)}y`)).not.toEqual(keyed);
    expect(callerKey(sha256, 't2', key)).not.toEqual(keyed);
  });

  it.each([
    ['', 'is blank'],
    ['   ', 'is blank'],
    ['\u00a0', 'is blank'],
    ['x'.repeat(256), 'has 256 characters'],
    ['a\nb', 'holds a control character'],
    ['a\u007f', 'holds a control character'],
    ['a\u0085b', 'holds a control character'],
    ['\ud800', 'holds half of a surrogate pair'],
  ])('F015 F073 refuses %j: it %s', (key, reason) => {
    expect(callerKey(sha256, 't1', key)).toMatchObject({
      kind: 'refusal',
      code: 'key.invalid',
      message: expect.stringContaining(reason),
    });
  });

  it('never joins tenant and key: no pair can pass for another', () => {
    const text = fc.string({ minLength: 1, maxLength: 10 }).filter((key) => key.trim() !== '');
    fc.assert(
      fc.property(text, text, text, text, (tenant, key, otherTenant, otherKey) => {
        const one = callerKey(sha256, tenant, key);
        const other = callerKey(sha256, otherTenant, otherKey);
        const isSame = tenant === otherTenant && key === otherKey;
        expect(JSON.stringify(one) === JSON.stringify(other)).toBe(isSame);
      }),
    );
  });
});

describe('oneKey', () => {
  it('takes the key from where it stands', () => {
    expect(oneKey(undefined, undefined)).toEqual({ kind: 'one-key', key: undefined });
    expect(oneKey('k', undefined)).toEqual({ kind: 'one-key', key: 'k' });
    expect(oneKey(undefined, 'k')).toEqual({ kind: 'one-key', key: 'k' });
    expect(oneKey('k', 'k')).toEqual({ kind: 'one-key', key: 'k' });
  });

  it('refuses two that differ, and never takes an empty one for none', () => {
    expect(oneKey('k', 'K')).toMatchObject({ code: 'key.mismatch' });
    expect(oneKey('', 'k')).toMatchObject({ code: 'key.mismatch' });
    expect(oneKey('', undefined)).toEqual({ kind: 'one-key', key: '' });
  });
});

describe('linkKey', () => {
  it('F023 has not changed', () => {
    expect(linkKey(sha256, 't1', 'step', 'w-1', 2)).toBe(
      'szX7OimNWxmTqbV2gOqlO8TfcJGqUDvxzrcS6EeFwpk',
    );
  });

  it('tells tenant, kind, parent and step apart', () => {
    const names = [
      linkKey(sha256, 't1', 'step', 'w-1', 1),
      linkKey(sha256, 't1', 'step', 'w-1', '1'),
      linkKey(sha256, 't1', 'step', 'w-11', 1),
      linkKey(sha256, 't1', 'compensation', 'w-1', 1),
      linkKey(sha256, 't2', 'step', 'w-1', 1),
    ];
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('scopeValuesOf', () => {
  const origin = { conversation: 'c', run: 'r', turn: 't', call: 'k' };

  it.each([
    ['call', ['r', 't', 'k']],
    ['turn', ['r', 't']],
    ['run', ['r']],
    ['conversation', ['c']],
    ['tenant', []],
  ] as const)('reads %s', (scope, values) => {
    expect(scopeValuesOf(scope, 'tenant', origin)).toEqual({ kind: 'scope-values', values });
  });

  it.each([
    ['call', { run: 'r', turn: 't' }, 'call'],
    ['turn', { run: 'r', turn: '' }, 'turn'],
    ['turn', { turn: 't' }, 'run'],
    ['run', { run: '  ' }, 'run'],
    ['run', { run: '\ud800' }, 'run'],
    ['conversation', { run: 'r' }, 'conversation'],
  ] as const)('refuses %s of %j: no %s', (scope, partial, missing) => {
    expect(scopeValuesOf(scope, 'tenant', partial)).toMatchObject({
      code: 'identity.scope-missing',
      detail: { scope, missing },
    });
  });

  it('refuses a blank tenant', () => {
    expect(scopeValuesOf('tenant', '', {})).toMatchObject({ detail: { missing: 'tenant' } });
  });
});
