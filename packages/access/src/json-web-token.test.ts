import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWTPayload, SignJWT } from 'jose';
import { type Access, anyAccess, createJsonWebTokenAccess, createOpenAccess } from './index.ts';

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];

const issuer = 'https://id.example';
const audience = 'action-ledger';
const now = Date.UTC(2026, 0, 1);
const clock = { nowMs: () => now };

let mine: PrivateKey;
let foreign: PrivateKey;
let published: JSONWebKeySet;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  mine = pair.privateKey;
  foreign = (await generateKeyPair('ES256')).privateKey;
  published = { keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256' }] };
});

const claims = { iss: issuer, aud: audience, sub: 'ann', tenant: 'acme', roles: ['approver'] };

async function bearer(
  changed: JWTPayload = {},
  key: PrivateKey = mine,
  header: { readonly alg: string; readonly kid?: string } = { alg: 'ES256', kid: 'k1' },
): Promise<{ readonly authorization: string }> {
  const payload = { exp: now / 1_000 + 300, ...claims, ...changed };
  const token = await new SignJWT(payload).setProtectedHeader(header).sign(key);
  return { authorization: `Bearer ${token}` };
}

const access = (): Access => createJsonWebTokenAccess({ issuer, audience, keys: published, clock });

describe('a token of the identity provider', () => {
  it('lets its subject in with the tenant and the roles of its claims', async () => {
    const until = now + 300_000;
    const ann = { name: 'ann', tenant: 'acme', roles: new Set(['approver']), until };
    expect(await access().authenticate(await bearer())).toEqual(ann);
    expect(await access().authenticate(await bearer({ roles: 'approver unheard-of' }))).toEqual(
      ann,
    );
  });

  it('lets nobody in whose token is not meant for this ledger, has ended, or says too little', async () => {
    const wrong: readonly JWTPayload[] = [
      { iss: 'https://elsewhere.example' },
      { aud: 'another service' },
      { exp: now / 1_000 - 61 },
      { exp: undefined as never },
      { nbf: now / 1_000 + 61 },
      { tenant: undefined },
      { tenant: 7 },
      { tenant: 'a\nb' },
      { sub: '' },
      { roles: undefined },
      { roles: { approver: true } },
    ];
    for (const each of wrong)
      expect(await access().authenticate(await bearer(each))).toBeUndefined();
  });

  it('lets nobody in by a signature of another key, none at all, or a secret', async () => {
    expect(await access().authenticate(await bearer({}, foreign))).toBeUndefined();
    const [head, body] = (await bearer()).authorization.slice(7).split('.');
    const unsigned = Buffer.from('{"alg":"none"}').toString('base64url');
    for (const token of [
      `${unsigned}.${body ?? ''}.`,
      `${head ?? ''}.${body ?? ''}.`,
      `${head ?? ''}.${body ?? ''}`,
      'x'.repeat(9_000),
    ])
      expect(await access().authenticate({ authorization: `Bearer ${token}` })).toBeUndefined();
    const secret = new TextEncoder().encode(JSON.stringify(published.keys[0]));
    const hmac = await new SignJWT({ exp: now / 1_000 + 300, ...claims })
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(secret);
    expect(await access().authenticate({ authorization: `Bearer ${hmac}` })).toBeUndefined();
  });

  it('is checked against keys that the provider publishes; where they cannot be read, nobody knows', async () => {
    const provider = await publishing(published);
    const { faults, onFault } = listening();
    const open = createJsonWebTokenAccess({ ...named, keys: provider.url, onFault });
    expect(await open.authenticate(await bearer())).toMatchObject({ name: 'ann' });
    expect(await open.authenticate(await bearer({}, foreign))).toBeUndefined();
    expect(faults).toEqual([]);
    await provider.close();
    // Those that were read are still known.
    expect(await open.authenticate(await bearer())).toMatchObject({ name: 'ann' });
    const late = createJsonWebTokenAccess({ ...named, keys: provider.url, onFault });
    await expect(late.authenticate(await bearer())).rejects.toThrow();
    expect(faults).toHaveLength(1);
  });

  it.each([
    ['an error', 500, '{}'],
    ['no keys', 200, '{"keys": 7}'],
    ['no JSON', 200, '<html>'],
  ])('is judged by nobody where the provider answers with %s', async (_what, status, body) => {
    const provider = await answering(() => [status, body]);
    const { faults, onFault } = listening();
    const open = createJsonWebTokenAccess({ ...named, keys: provider.url, onFault });
    await expect(open.authenticate(await bearer())).rejects.toThrow();
    expect(faults).toHaveLength(1);
    await provider.close();
  });

  it('of a new key is good once that is published, and the provider is not asked for every guess', async () => {
    const next = await generateKeyPair('ES256');
    const nextKeys = [{ ...(await exportJWK(next.publicKey)), kid: 'k2', alg: 'ES256' }];
    let shown = published;
    let asked = 0;
    const provider = await answering(() => {
      asked += 1;
      return [200, JSON.stringify(shown)];
    });
    const open = (rereadAfterMs: number): Access =>
      createJsonWebTokenAccess({ ...named, keys: provider.url, rereadAfterMs });
    const [eager, patient] = [open(0), open(60_000)];
    const rotated = await bearer({}, next.privateKey, { alg: 'ES256', kid: 'k2' });
    for (const each of [eager, patient])
      expect(await each.authenticate(await bearer())).toMatchObject({ name: 'ann' });
    shown = { keys: nextKeys };
    expect(await eager.authenticate(rotated)).toMatchObject({ name: 'ann' });
    expect(await eager.authenticate(await bearer())).toBeUndefined();
    asked = 0;
    for (let guess = 0; guess < 20; guess += 1)
      expect(await patient.authenticate(rotated)).toBeUndefined();
    expect(asked).toBe(0);
    await provider.close();
  });
});

const named = { issuer, audience, clock };

function listening(): { readonly faults: unknown[]; readonly onFault: (fault: unknown) => void } {
  const faults: unknown[] = [];
  return { faults, onFault: (fault) => void faults.push(fault) };
}

interface Published {
  readonly url: URL;
  readonly close: () => Promise<void>;
}

function publishing(keys: JSONWebKeySet): Promise<Published> {
  return answering(() => [200, JSON.stringify(keys)]);
}

async function answering(answer: () => readonly [number, string]): Promise<Published> {
  const provider = createServer((_, response) => {
    const [status, body] = answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/jwks.json`),
    close: async () => {
      provider.closeAllConnections();
      await new Promise((resolve) => provider.close(resolve));
    },
  };
}

describe('several ways in', () => {
  it('are asked in order, and the first that knows the caller decides', async () => {
    const operator = { name: 'local', tenant: 'default', roles: new Set(['operator'] as const) };
    const both = anyAccess([access(), createOpenAccess(operator)]);
    expect(await both.authenticate(await bearer())).toMatchObject({ name: 'ann' });
    expect(await both.authenticate({})).toEqual(operator);
    expect(await anyAccess([access()]).authenticate({})).toBeUndefined();
  });

  it('are open to everybody where one of them is', () => {
    expect(anyAccess([access(), createOpenAccess()]).isOpen).toBe(true);
    expect(anyAccess([access()]).isOpen).toBeUndefined();
  });
});
