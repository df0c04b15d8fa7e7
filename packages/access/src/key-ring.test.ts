import { hash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { createKeyRing, type CreatedKey, type KeyRequest, type KeyRing } from './index.ts';

interface World {
  readonly runtime: VirtualRuntime;
  readonly store: EventStore;
  /** Each as another process would have it. */
  readonly open: (store?: EventStore) => KeyRing;
}

function setUp(): World {
  const runtime = createVirtualRuntime();
  const store = createMemoryEventStore();
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const sha256 = (text: string): string => hash('sha256', text, 'base64url');
  return {
    runtime,
    store,
    open: (of = store) => createKeyRing({ store: of, sha256, clock, runtime }),
  };
}

const wanted: KeyRequest = {
  tenant: 'acme',
  name: 'billing agent',
  roles: ['proposer', 'worker'],
  by: 'ann',
};

async function make(ring: KeyRing, request: Partial<KeyRequest> = {}): Promise<CreatedKey> {
  const created = await ring.create({ ...wanted, ...request });
  if (created.kind !== 'created') throw new Error(created.message);
  return created;
}

describe('an API key', () => {
  it('lets its holder in, by either header, with the tenant and roles that it was made for', async () => {
    const { open } = setUp();
    const ring = open();
    const { text } = await make(ring);
    const principal = {
      name: 'billing agent',
      tenant: 'acme',
      roles: new Set(['proposer', 'worker']),
    };
    expect(await ring.authenticate({ apiKey: text })).toEqual(principal);
    expect(await open().authenticate({ authorization: `Bearer ${text}` })).toEqual(principal);
  });

  it('is nowhere in the store, and never listed', async () => {
    const { open, store } = setUp();
    const { text, key } = await make(open());
    const secret = text.split('.')[2] ?? '';
    const stored = JSON.stringify(await store.readAll({ after: 0, max: 10 }));
    expect(stored).toContain(key.id);
    expect(stored).not.toContain(secret);
    expect(JSON.stringify(await open().list())).not.toContain(secret);
  });

  it('is refused in any other spelling', async () => {
    const { open } = setUp();
    const ring = open();
    const { text } = await make(ring);
    const { text: other } = await make(ring, { tenant: 'other' });
    const [, id] = text.split('.');
    const [, , otherSecret] = other.split('.');
    const wrong = [
      '',
      text.slice(0, -1),
      `${text}x`,
      text.toUpperCase(),
      `alk.${id ?? ''}.${otherSecret ?? ''}`,
      `alk.${'x'.repeat(22)}.${'x'.repeat(44)}`,
    ];
    for (const apiKey of wrong) expect(await ring.authenticate({ apiKey })).toBeUndefined();
    for (const authorization of [text, `Basic ${text}`, `Bearer ${text} x`, 'Bearer'])
      expect(await ring.authenticate({ authorization })).toBeUndefined();
    expect(await ring.authenticate({})).toBeUndefined();
  });

  it('ends when it expires', async () => {
    const { open, runtime } = setUp();
    const ring = open();
    const { text } = await make(ring, { expiresAt: runtime.clock.wallMs() + 1_000 });
    await runtime.advance(999);
    expect(await ring.authenticate({ apiKey: text })).toBeDefined();
    await runtime.advance(1);
    expect(await ring.authenticate({ apiKey: text })).toBeUndefined();
  });

  it('that is revoked lets nobody in: here at once, elsewhere within 5 s', async () => {
    const { open, runtime } = setUp();
    const [here, elsewhere] = [open(), open()];
    const { text, key } = await make(here);
    expect(await elsewhere.authenticate({ apiKey: text })).toBeDefined();
    expect(await here.revoke({ id: key.id, by: 'bob', reason: 'leaked' })).toMatchObject({
      key: { revoked: { by: 'bob', reason: 'leaked' } },
    });
    expect(await here.authenticate({ apiKey: text })).toBeUndefined();
    await runtime.advance(5_000);
    expect(await elsewhere.authenticate({ apiKey: text })).toBeUndefined();
    expect(await here.revoke({ id: key.id, by: 'eve', reason: 'again' })).toMatchObject({
      key: { revoked: { by: 'bob' } },
    });
  });

  it('that is revoked while the keys are being read lets nobody in afterwards', async () => {
    const { open, store, runtime } = setUp();
    let held: Promise<void> | undefined;
    const ring = open({
      ...store,
      readStream: async (...args) => {
        const found = await store.readStream(...args);
        await held;
        return found;
      },
    });
    const { text, key } = await make(ring);
    await runtime.advance(5_000);
    let release = (): void => undefined;
    held = new Promise((resolve) => (release = resolve));
    const asked = ring.authenticate({ apiKey: text });
    await runtime.advance(0);
    held = undefined;
    await ring.revoke({ id: key.id, by: 'bob', reason: 'leaked' });
    release();
    expect(await asked).toBeUndefined();
    expect(await ring.authenticate({ apiKey: text })).toBeUndefined();
  });

  it('is looked up again where the wall clock was set ahead and stands still', async () => {
    const { open, runtime, store } = setUp();
    const later = createKeyRing({
      store,
      sha256: (text) => hash('sha256', text, 'base64url'),
      clock: { nowMs: () => Date.UTC(2030, 0, 1) },
      runtime,
    });
    const { text, key } = await make(open());
    expect(await later.authenticate({ apiKey: text })).toBeDefined();
    await open().revoke({ id: key.id, by: 'bob', reason: 'leaked' });
    await runtime.advance(5_000);
    expect(await later.authenticate({ apiKey: text })).toBeUndefined();
  });

  it('that another process has made is known within 5 s', async () => {
    const { open, runtime } = setUp();
    const elsewhere = open();
    await elsewhere.list();
    const { text } = await make(open());
    await runtime.advance(5_000);
    expect(await elsewhere.authenticate({ apiKey: text })).toBeDefined();
  });

  it('is refused with a reason where it could not mean anything', async () => {
    const ring = setUp().open();
    const misfits: readonly Partial<KeyRequest>[] = [
      { tenant: '' },
      { tenant: 'a\nb' },
      { name: 'x'.repeat(256) },
      { by: '' },
      { roles: [] },
      { roles: ['admin' as never] },
      { expiresAt: 1.5 },
    ];
    for (const misfit of misfits)
      expect(await ring.create({ ...wanted, ...misfit })).toMatchObject({
        code: 'access.key-malformed',
      });
    expect(await ring.revoke({ id: 'none', by: 'ann', reason: 'x' })).toMatchObject({
      code: 'access.key-unknown',
    });
    expect(await ring.list()).toEqual([]);
  });
});

describe('a record of keys that was edited by hand', () => {
  it('lets nobody in, with whatever roles it says', async () => {
    const { open, store } = setUp();
    const { text } = await make(open());
    const events = (await store.readAll({ after: 0, max: 10 })).map((event) => ({
      ...event,
      data: event.data.replace('worker', 'operator'),
    }));
    await expect(
      open(createMemoryEventStore({ events })).authenticate({ apiKey: text }),
    ).rejects.toMatchObject({ code: 'store.corrupt' });
  });
});

describe('guessing', () => {
  it('reads the store once in 5 s, however many guesses there are', async () => {
    const { open, store, runtime } = setUp();
    let reads = 0;
    const ring = open({
      ...store,
      readStream: (...args) => {
        reads += 1;
        return store.readStream(...args);
      },
    });
    const guess = `alk.${'x'.repeat(22)}.${'x'.repeat(44)}`;
    await Promise.all(Array.from({ length: 100 }, () => ring.authenticate({ apiKey: guess })));
    for (let each = 0; each < 100; each += 1) await ring.authenticate({ apiKey: guess });
    expect(reads).toBe(1);
    await runtime.advance(5_000);
    await ring.authenticate({ apiKey: guess });
    expect(reads).toBe(2);
  });

  it('a store that is away lets nobody in, and the fault is heard', async () => {
    const { open, store, runtime } = setUp();
    const away = new StoreFault('store.unavailable', 'safe', 'away');
    let isAway = false;
    const ring = open({
      ...store,
      readStream: (...args) => (isAway ? Promise.reject(away) : store.readStream(...args)),
    });
    const { text } = await make(ring);
    isAway = true;
    await runtime.advance(5_000);
    await expect(ring.authenticate({ apiKey: text })).rejects.toBe(away);
    isAway = false;
    expect(await ring.authenticate({ apiKey: text })).toBeDefined();
  });
});
