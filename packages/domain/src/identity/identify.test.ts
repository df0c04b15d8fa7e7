import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from '../json/canonical-json.ts';
import { type JsonObject, type JsonValue } from '../json/json-value.ts';
import { type Sha256 } from '../sha256.ts';
import { type DigestSecret } from './argument-forms.ts';
import { type IdentityDeclaration } from './declaration.ts';
import {
  deriveKey,
  hashArguments,
  identify,
  type Identified,
  type IdentityInput,
} from './identify.ts';

const sha256: Sha256 = (text) => hash('sha256', text, 'base64url');
const digestSecret: DigestSecret = (path, text) => `d1:${sha256(`salt ${path} ${text}`)}`;

const refund: IdentityDeclaration = {
  tool: 'refund',
  identityVersion: 1,
  scope: 'run',
  identity: 'all',
  free: [],
  normalize: {},
  sets: [],
  secret: [],
  defaults: {},
};
const origin = { conversation: 'conv-1', run: 'r-1', turn: '3', call: 'c-9' };

function identified(
  declaration: IdentityDeclaration,
  args: JsonObject,
  more: Partial<IdentityInput> = {},
): Identified {
  const result = identify(
    sha256,
    declaration,
    { tenant: 't1', origin, args, ...more },
    digestSecret,
  );
  if (result.kind === 'refusal') throw new Error(result.message);
  return result;
}

const keyOf = (declaration: IdentityDeclaration, args: JsonObject): string =>
  identified(declaration, args).keyHash;
const argumentsHashOf = (declaration: IdentityDeclaration, args: JsonObject): string =>
  identified(declaration, args).argumentsHash;

describe('F023 keys and hashes have not changed', () => {
  it.each<[string, Partial<IdentityDeclaration>, JsonObject, string]>([
    [
      'all arguments in a run',
      {},
      { order_id: 'o-1', amount: 1250 },
      'xjuHWleui4HorFT98vzXS9xjaGSRXYEn1kccFtFvCuM',
    ],
    [
      'declared fields in a tenant, one null and one missing',
      { scope: 'tenant', identityVersion: 2, identity: ['order_id', 'customer.id', 'customer.no'] },
      { order_id: 'o-1', customer: { id: null }, amount: 7 },
      'R90UbqEA6QKW4nqeIS1ZyhYPohPEQhUKmAjTz-cZ7_c',
    ],
    [
      'a tool without arguments in scope call',
      { scope: 'call', tool: 'ping' },
      {},
      'ybZ3uATaqo-hzwLljqZTSX55gdE-hVJIeIQxWd8nM9g',
    ],
    [
      'one entity per conversation',
      { scope: 'conversation', tool: 'set_mood', identity: [] },
      { mood: 'calm' },
      '2maZx4KDqqEgTrzRFCpSH8RVBqZ3VtQP7pDWerZGS3s',
    ],
  ])('%s', (_name, declared, args, keyHash) => {
    const declaration = { ...refund, ...declared };
    expect(keyOf(declaration, args)).toBe(keyHash);
    expect(deriveKey(sha256, declaration, 't1', origin, args)).toEqual({ kind: 'keyed', keyHash });
  });

  it("a caller's key, and the hash of the arguments", () => {
    expect(identified(refund, { order_id: 'o-1', amount: 1250 }, { key: 'k1' })).toEqual({
      kind: 'identified',
      hashVersion: 1,
      keyKind: 'caller',
      keyHash: '3sOoAUC6jJ4L8pftDIvcFby3deLFzroDSUuiMv3z3_4',
      argumentsHash: 'Ujo4QsXA6rgZqZNUbAGYbHjEmvFGnL4Dsz_yNhNnJG4',
      arguments: { order_id: 'o-1', amount: 1250 },
      argumentsText: '{"amount":1250,"order_id":"o-1"}',
    });
  });

  it('an argument hash with everything declared', () => {
    const declaration: IdentityDeclaration = {
      ...refund,
      free: ['note'],
      normalize: { 'customer.email': ['trim', 'lowercase'] },
      sets: ['tags'],
      secret: ['card'],
      defaults: { currency: 'EUR' },
    };
    const args = {
      note: 'n',
      customer: { email: ' A@x.test' },
      tags: ['b', 'a', 'b'],
      card: '4242',
      currency: 'EUR',
    };
    const mark = { secretDigest: digestSecret('card', '"4242"') };
    const bound = { customer: { email: 'a@x.test' }, tags: ['a', 'b', 'b'] };
    const result = identified(declaration, args);
    expect(result.argumentsHash).toBe(sha256(canonicalJson({ ...bound, card: mark })));
    expect(result.keyHash).toBe(
      sha256(canonicalJson([1, 't1', 'derived', ['r-1'], 'refund', 1, bound])),
    );
    expect(result.arguments).toStrictEqual({ ...args, card: mark });
    expect(result.argumentsText).toBe(canonicalJson({ ...args, card: mark }));
    expect(hashArguments(sha256, declaration, args, digestSecret)).toBe(result.argumentsHash);
  });
});

describe('identity', () => {
  it('F001 F003 F025 does not depend on the order or the spelling of the arguments', () => {
    const texts = [
      '{"order_id":"o-1","amount":1250}',
      '{ "amount" : 1250.0 , "order_id":"o-1" }',
      '{"amount":1.25e3,"order_id":"o-1"}',
    ];
    const results = texts.map((text) => identified(refund, JSON.parse(text) as JsonObject));
    expect(new Set(results.map(({ keyHash }) => keyHash)).size).toBe(1);
    expect(new Set(results.map(({ argumentsHash }) => argumentsHash)).size).toBe(1);
    expect(results[1]?.argumentsText).toBe('{"amount":1250,"order_id":"o-1"}');
  });

  it('depends on tenant, tool, version and scope value', () => {
    const args = { order_id: 'o-1' };
    const keys = [
      keyOf(refund, args),
      identified(refund, args, { tenant: 't2' }).keyHash,
      identified(refund, args, { origin: { run: 'r-2' } }).keyHash,
      keyOf({ ...refund, tool: 'pay' }, args),
      keyOf({ ...refund, identityVersion: 2 }, args),
      keyOf({ ...refund, scope: 'turn' }, args),
      keyOf({ ...refund, scope: 'tenant' }, args),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('takes the call id only in scope call', () => {
    const args = { order_id: 'o-1' };
    const other = { origin: { ...origin, call: 'c-10' } };
    expect(identified(refund, args, other)).toEqual(identified(refund, args));
    const inCall: IdentityDeclaration = { ...refund, scope: 'call' };
    expect(identified(inCall, args, other).keyHash).not.toBe(keyOf(inCall, args));
    expect(identified(inCall, args, other).argumentsHash).toBe(argumentsHashOf(inCall, args));
  });

  it('F007 keeps composed and decomposed letters apart unless the field asks for it', () => {
    const composed = { folder: 'caf\u00e9' };
    const decomposed = { folder: 'cafe\u0301' };
    expect(keyOf(refund, composed)).not.toBe(keyOf(refund, decomposed));
    const normal: IdentityDeclaration = { ...refund, normalize: { folder: ['nfc'] } };
    expect(keyOf(normal, composed)).toBe(keyOf(normal, decomposed));
    expect(argumentsHashOf(normal, composed)).toBe(argumentsHashOf(normal, decomposed));
    expect(identified(normal, decomposed).arguments).toEqual(decomposed);
    expect(identified(normal, decomposed).argumentsText).toBe('{"folder":"cafe\u0301"}');
  });

  it('F009 leaves out what equals its default, and coerces nothing', () => {
    const declaration: IdentityDeclaration = { ...refund, defaults: { active: false } };
    const [short, long, text] = [{ id: 7 }, { id: 7, active: false }, { id: '7' }];
    expect(keyOf(declaration, long)).toBe(keyOf(declaration, short));
    expect(keyOf(declaration, long)).toBe(keyOf(refund, short));
    expect(argumentsHashOf(declaration, long)).toBe(argumentsHashOf(declaration, short));
    expect(keyOf(declaration, text)).not.toBe(keyOf(declaration, short));
    expect(keyOf(declaration, { id: 7, active: true })).not.toBe(keyOf(declaration, short));
    expect(identified(declaration, long).argumentsText).toBe('{"active":false,"id":7}');
  });

  it('compares defaults after normalising, and the inner before the outer', () => {
    const declaration: IdentityDeclaration = {
      ...refund,
      normalize: { currency: ['lowercase'] },
      sets: ['tags'],
      defaults: { currency: 'EUR', tags: ['a', 'b'], opts: { deep: true }, 'opts.deep': true },
    };
    const bare = keyOf(declaration, { id: 7 });
    expect(keyOf(declaration, { id: 7, currency: 'eur', tags: ['b', 'a'] })).toBe(bare);
    expect(keyOf(declaration, { id: 7, opts: { deep: true } })).toBe(bare);
    expect(keyOf(declaration, { id: 7, opts: { deep: false } })).not.toBe(bare);
    expect(keyOf(declaration, { id: 7, tags: ['a', 'b', 'b'] })).not.toBe(bare);
  });

  it('F011 tells null from missing', () => {
    for (const identity of ['all', ['id', 'limit']] as const) {
      const declaration = { ...refund, identity };
      const keys = [{ id: 1 }, { id: 1, limit: null }, { id: 1, limit: 0 }].map((args) =>
        keyOf(declaration, args),
      );
      expect(new Set(keys).size).toBe(3);
    }
  });

  it('F019 gives the key of a caller one name across tools', () => {
    const one = identified(refund, { a: 1 }, { key: 'k1' });
    const other = identified({ ...refund, tool: 'pay' }, { b: 2 }, { key: 'k1' });
    expect(other.keyHash).toBe(one.keyHash);
    expect(other.argumentsHash).not.toBe(one.argumentsHash);
  });

  it('F021 F055 has free fields in neither hash, bound ones in the arguments hash', () => {
    const declaration: IdentityDeclaration = {
      ...refund,
      identity: ['command'],
      free: ['description', 'meta.note'],
    };
    const asked = { command: 'restart gw', description: 'pls', meta: { note: 'a' }, sandbox: true };
    const reworded = { ...asked, description: 'restarting now', meta: { note: 'b' } };
    expect(keyOf(declaration, reworded)).toBe(keyOf(declaration, asked));
    expect(argumentsHashOf(declaration, reworded)).toBe(argumentsHashOf(declaration, asked));
    const unconfined = { ...asked, sandbox: false };
    expect(keyOf(declaration, unconfined)).toBe(keyOf(declaration, asked));
    expect(argumentsHashOf(declaration, unconfined)).not.toBe(argumentsHashOf(declaration, asked));
    expect(identified(declaration, asked).arguments).toStrictEqual(asked);
  });

  it('F025 takes an array as a list unless it is declared a set, and then as a multiset', () => {
    const args = (...to: readonly string[]): JsonObject => ({ to });
    const asSet: IdentityDeclaration = { ...refund, sets: ['to'] };
    expect(keyOf(refund, args('a', 'b'))).not.toBe(keyOf(refund, args('b', 'a')));
    expect(keyOf(asSet, args('a', 'b'))).toBe(keyOf(asSet, args('b', 'a')));
    expect(keyOf(asSet, args('a', 'b', 'a'))).not.toBe(keyOf(asSet, args('a', 'b')));
    expect(identified(asSet, args('b', 'a')).argumentsText).toBe('{"to":["b","a"]}');
  });
});

describe('secret fields', () => {
  const login: IdentityDeclaration = {
    ...refund,
    identity: ['user'],
    secret: ['password', 'card.no'],
  };
  const args = { user: 'ada', password: 'hunter2', card: { no: '4242', name: 'Ada' } };

  it('enter no text, and the arguments hash only as digests', () => {
    const texts: string[] = [];
    const result = identify(
      (text) => {
        texts.push(text);
        return sha256(text);
      },
      { ...login, identity: 'all' },
      { tenant: 't1', origin, args },
      digestSecret,
    );
    texts.push(JSON.stringify(result));
    expect(texts.join()).not.toMatch(/hunter2|4242/);
    expect(result).toMatchObject({
      arguments: {
        user: 'ada',
        password: { secretDigest: digestSecret('password', '"hunter2"') },
        card: { no: { secretDigest: digestSecret('card.no', '"4242"') }, name: 'Ada' },
      },
    });
    const changed = { ...args, password: 'hunter3' };
    expect(argumentsHashOf(login, changed)).not.toBe(argumentsHashOf(login, args));
  });

  it('are no part of a derived key, so that another digest key opens no second action', () => {
    for (const identity of ['all', ['user']] as const) {
      const declaration = { ...login, identity };
      const rotated = identify(
        sha256,
        declaration,
        { tenant: 't1', origin, args },
        (path, text) => `d2:${sha256(path + text)}`,
      );
      expect(rotated).toMatchObject({ keyHash: keyOf(declaration, args) });
      expect(rotated).not.toMatchObject({ argumentsHash: argumentsHashOf(declaration, args) });
    }
  });

  it('tell actions apart where they are declared as identity', () => {
    const declaration: IdentityDeclaration = { ...login, identity: ['password'] };
    expect(keyOf(declaration, { password: 'a' })).not.toBe(keyOf(declaration, { password: 'b' }));
  });

  it('are digested as they are normalised', () => {
    const declaration: IdentityDeclaration = { ...login, normalize: { password: ['trim'] } };
    const padded = { ...args, password: ' hunter2 ' };
    expect(argumentsHashOf(declaration, padded)).toBe(argumentsHashOf(declaration, args));
    expect(argumentsHashOf(login, padded)).not.toBe(argumentsHashOf(login, args));
  });

  it('are refused where nothing can digest them', () => {
    const refused = { code: 'identity.secret-undigested', detail: { path: 'password' } };
    expect(identify(sha256, login, { tenant: 't1', origin, args })).toMatchObject(refused);
    expect(identify(sha256, login, { tenant: 't1', origin, args, key: 'k' })).toMatchObject(
      refused,
    );
    expect(hashArguments(sha256, login, args)).toMatchObject(refused);
    expect(deriveKey(sha256, login, 't1', origin, args)).toMatchObject(refused);
    expect(hashArguments(sha256, login, { user: 'ada' })).toBe(sha256('{"user":"ada"}'));
  });
});

describe('a missing identity', () => {
  const codeOf = (
    declared: Partial<IdentityDeclaration>,
    args: JsonObject,
    key?: string,
  ): string => {
    const input = { tenant: 't1', origin, args, key };
    const result = identify(sha256, { ...refund, ...declared }, input, digestSecret);
    return result.kind === 'refusal' ? result.code : result.kind;
  };

  it.each<[string, Partial<IdentityDeclaration>, JsonObject]>([
    ['no arguments', {}, {}],
    ['only nulls and blanks', {}, { a: null, b: '', c: [], d: {}, e: ' ', f: [null, { g: '' }] }],
    ['only free fields', { free: ['note'] }, { note: 'x' }],
    ['only secret fields', { secret: ['pin'] }, { pin: 'x' }],
    ['declared fields missing', { identity: ['id'] }, { other: 1 }],
    ['declared fields null', { identity: ['id', 'o.id'] }, { id: null, o: { id: '' }, x: 1 }],
    ['declared, in scope call', { identity: ['id'], scope: 'call' }, { id: null }],
    ['a declared field that is free', { identity: ['note'], free: ['note'] }, { note: 'x' }],
    ['a declared object of free fields', { identity: ['m'], free: ['m.n'] }, { m: { n: 'x' } }],
    ['a declared free default', { identity: ['n'], free: ['n'], defaults: { n: 'x' } }, { n: 'x' }],
    ['a declared secret null', { identity: ['pin'], secret: ['pin'] }, { pin: null }],
    ['an inherited name', { identity: ['constructor'] }, { a: 1 }],
    ['a blank default', { defaults: { a: '' } }, { a: '' }],
  ])('F015 is refused: %s', (_name, declared, args) => {
    expect(codeOf(declared, args)).toBe('identity.empty');
    expect(codeOf(declared, args, 'k1')).toBe('identified');
    expect(codeOf(declared, args, '')).toBe('key.invalid');
    expect(codeOf(declared, args, '   ')).toBe('key.invalid');
  });

  it.each<[string, Partial<IdentityDeclaration>, JsonObject]>([
    ['false and 0', {}, { a: false }],
    ['0', { identity: ['n'] }, { n: 0 }],
    ['one of several', { identity: ['a', 'b'] }, { a: null, b: 'x' }],
    ['no arguments in scope call', { scope: 'call' }, {}],
    ['one entity per scope value', { identity: [] }, {}],
    ['a default that was filled', { defaults: { full: false } }, { full: false }],
    ['a default that was not filled', { defaults: { full: false } }, {}],
    ['a declared default', { identity: ['kind'], defaults: { kind: 'daily' } }, { kind: 'daily' }],
    ['a default inside', { identity: ['o'], defaults: { 'o.k': 'd' } }, { o: { k: 'd' } }],
  ])('is not %s', (_name, declared, args) => {
    expect(codeOf(declared, args)).toBe('identified');
  });

  it('names what is missing', () => {
    const declaration: IdentityDeclaration = { ...refund, identity: ['order.id', 'line'] };
    expect(deriveKey(sha256, declaration, 't1', origin, {})).toMatchObject({
      detail: { tool: 'refund', fields: ['order.id', 'line'] },
      message: expect.stringContaining('order.id, line'),
    });
    expect(deriveKey(sha256, refund, 't1', { turn: '3' }, { a: 1 })).toMatchObject({
      code: 'identity.scope-missing',
      detail: { scope: 'run', missing: 'run' },
    });
  });
});

describe('identify, by properties', () => {
  const members = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    maxKeys: 6,
    noNullPrototype: true,
  });
  // `stays` keeps the identity from being empty, whatever the others become.
  const args = members.map((value) => ({ ...(value as JsonObject), always: 1, stays: 1 }));
  const reversed = (value: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(value).reverse());

  it('the order of members never matters', () => {
    fc.assert(
      fc.property(args, (value) => {
        const { arguments: _as, ...other } = identified(refund, reversed(value));
        expect(identified(refund, value)).toMatchObject(other);
      }),
    );
  });

  it('different arguments never meet', () => {
    fc.assert(
      fc.property(args, args, (one, other) => {
        const isSame = canonicalJson(one) === canonicalJson(other);
        expect(keyOf(refund, one) === keyOf(refund, other)).toBe(isSame);
        expect(argumentsHashOf(refund, one) === argumentsHashOf(refund, other)).toBe(isSame);
      }),
    );
  });

  it('one changed member changes the hash, a free one does not', () => {
    const path = fc.constantFrom('always', 'free');
    fc.assert(
      fc.property(args, path, fc.jsonValue(), (value, name, changed) => {
        const declaration: IdentityDeclaration = { ...refund, free: ['free'] };
        const before = { ...value, free: 'x' };
        const now = { ...before, [name]: changed as JsonValue };
        const isSame = name === 'free' || canonicalJson(changed as JsonValue) === '1';
        expect(argumentsHashOf(declaration, now) === argumentsHashOf(declaration, before)).toBe(
          isSame,
        );
      }),
    );
  });

  it('an added field with a default changes no hash', () => {
    fc.assert(
      fc.property(args, fc.jsonValue(), (value, filled) => {
        const added: IdentityDeclaration = {
          ...refund,
          defaults: { 'added field': filled as JsonValue },
        };
        const now = { ...value, 'added field': filled as JsonValue };
        expect(keyOf(added, now)).toBe(keyOf(refund, value));
        expect(argumentsHashOf(added, now)).toBe(argumentsHashOf(refund, value));
      }),
    );
  });

  it('the pieces agree with the whole, and the arguments are left alone', () => {
    const declaration: IdentityDeclaration = {
      ...refund,
      identity: ['always'],
      normalize: { a: ['lowercase'] },
      sets: ['b'],
      defaults: { c: 1 },
    };
    fc.assert(
      fc.property(args, (value) => {
        const before = JSON.stringify(value);
        const whole = identified(declaration, value);
        const key = deriveKey(sha256, declaration, 't1', origin, value);
        expect(key).toMatchObject({ keyHash: whole.keyHash });
        expect(hashArguments(sha256, declaration, value)).toBe(whole.argumentsHash);
        expect(whole.argumentsText).toBe(canonicalJson(value));
        expect(JSON.stringify(value)).toBe(before);
      }),
    );
  });
});
