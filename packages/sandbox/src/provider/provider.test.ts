import { describe, expect, it } from '@jest/globals';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { type ProviderOptions, type Webhook } from './behaviour.ts';
import {
  ackLost,
  declined,
  errorAfterCommit,
  errorBody,
  lateArrival,
  reqLost,
  slow,
  storedError,
  timeout,
  tooManyRequests,
  type Fault,
  type LookupFault,
} from './fault.ts';
import { createProvider, type SandboxProvider } from './provider.ts';
import { ConnectionLost, type ProviderRequest } from './wire.ts';

interface World {
  readonly provider: SandboxProvider;
  /** Faults of the next requests, in order. */
  readonly faults: Fault[];
  readonly lookupFaults: LookupFault[];
  readonly webhooks: Webhook[];
  readonly pass: (ms: number) => Promise<void>;
}

function world(options: Partial<ProviderOptions> = {}): World {
  const runtime = createVirtualRuntime({ wallMs: 1_000_000 });
  const faults: Fault[] = [];
  const lookupFaults: LookupFault[] = [];
  const webhooks: Webhook[] = [];
  const provider = createProvider({
    runtime,
    fault: () => faults.shift(),
    lookupFault: () => lookupFaults.shift(),
    onWebhook: (webhook) => webhooks.push(webhook),
    ...options,
  });
  return { provider, faults, lookupFaults, webhooks, pass: (ms) => runtime.advance(ms) };
}

function request(more: Partial<ProviderRequest> = {}): ProviderRequest {
  const base = { tenant: 't1', tool: 'refund', arguments: { order: 'o-1' }, key: 'k1', attempt: 1 };
  return { ...base, ...more };
}

const remembersKeys = { behaviour: () => ({ keyWindowMs: 60_000 }) };
const lookup = { tenant: 't1', tool: 'refund', key: 'k1' };

describe('effects', () => {
  it('counts one effect per accepted request, with an id of its own', async () => {
    const { provider } = world();
    const first = await provider.send(request());
    const second = await provider.send(request({ key: 'k2' }));
    expect(first).toMatchObject({ status: 200, body: { ok: true, result: { done: true } } });
    expect(provider.effects()).toHaveLength(2);
    expect(new Set(provider.effects().map(({ id }) => id)).size).toBe(2);
    expect(provider.effects()[0]?.id).toBe(first.body.ok ? first.body.id : '');
    expect(second.body.ok).toBe(true);
  });

  it('counts a second effect where the provider does not know keys', async () => {
    const { provider } = world();
    await provider.send(request());
    await provider.send(request({ attempt: 2 }));
    expect(provider.tallyOf('t1', 'k1')).toMatchObject({ requests: 2, effects: 2 });
    expect(new Set(provider.tallyOf('t1', 'k1')?.externalIds).size).toBe(2);
  });

  it('has no effect when the world refuses', async () => {
    const { provider } = world({
      answer: () => ({ kind: 'refused', error: 'no funds', code: 'no_funds' }),
    });
    expect(await provider.send(request())).toEqual({
      status: 422,
      body: { ok: false, error: 'no funds', code: 'no_funds', neverHadEffect: true },
    });
    expect(provider.tallyOf('t1', 'k1')).toMatchObject({ requests: 1, effects: 0 });
  });

  it('does not say of a key that it never had an effect once it had one', async () => {
    let isOpen = true;
    const { provider } = world({
      answer: () =>
        isOpen ? { kind: 'accepted', result: 1 } : { kind: 'refused', error: 'closed' },
    });
    await provider.send(request());
    isOpen = false;
    const refused = await provider.send(request({ attempt: 2 }));
    expect(refused.body).toEqual({ ok: false, error: 'closed' });
  });

  it('keeps accounts apart', async () => {
    const { provider } = world(remembersKeys);
    await provider.send(request());
    await provider.send(request({ tenant: 't2' }));
    expect(provider.effects({ tenant: 't2' })).toHaveLength(1);
    expect(provider.tally()).toHaveLength(2);
  });

  it('gives the same ids in every process', async () => {
    const [{ provider: here }, { provider: there }] = [world(), world()];
    await here.send(request());
    await there.send(request());
    expect(here.effects()[0]?.id).toBe(there.effects()[0]?.id);
  });

  it('says in which order requests arrived, and keeps the newest', async () => {
    const { provider } = world({ arrivalsMax: 4 });
    for (const attempt of [1, 2, 3, 4, 5]) await provider.send(request({ attempt }));
    expect(provider.arrivals.map((arrival) => arrival.request.attempt)).toEqual([3, 4, 5]);
    expect(provider.tallyOf('t1', 'k1')?.requests).toBe(5);
  });
});

describe('faults', () => {
  it('ack-lost: commits, and the reply is lost', async () => {
    const { provider, faults } = world();
    faults.push(ackLost);
    await expect(provider.send(request())).rejects.toBeInstanceOf(ConnectionLost);
    expect(provider.effects()).toHaveLength(1);
  });

  it('req-lost: never arrives', async () => {
    const { provider, faults } = world();
    faults.push(reqLost);
    await expect(provider.send(request())).rejects.toBeInstanceOf(ConnectionLost);
    expect(provider.effects()).toHaveLength(0);
    expect(provider.tally()).toHaveLength(0);
  });

  it.each([
    [true, 1],
    [false, 0],
  ])('timeout: no reply ever, the effect committed: %s', async (commits, effects) => {
    const { provider, faults, pass } = world({ silenceMs: 500 });
    faults.push(timeout({ commits }));
    let outcome: unknown = 'still open';
    provider.send(request()).catch((error: unknown) => (outcome = error));
    await pass(499);
    expect(outcome).toBe('still open');
    expect(provider.effects()).toHaveLength(effects);
    await pass(1);
    expect(outcome).toBeInstanceOf(ConnectionLost);
  });

  it('gives up with its sender, whose reason it throws', async () => {
    const { provider, faults } = world();
    faults.push(timeout({ commits: true }));
    const sender = new AbortController();
    const sent = provider.send(request(), sender.signal);
    sender.abort(new Error('deadline'));
    await expect(sent).rejects.toThrow('deadline');
  });

  it('late-arrival: lands after its sender has died', async () => {
    const { provider, faults, pass } = world();
    faults.push(lateArrival(5_000));
    await expect(provider.send(request())).rejects.toBeInstanceOf(ConnectionLost);
    await pass(4_999);
    expect(provider.arrivals).toHaveLength(0);
    await pass(1);
    expect(provider.effects()).toHaveLength(1);
    expect(provider.arrivals[0]?.monoMs).toBe(5_000);
  });

  it('slow: works on when its sender has given up', async () => {
    const { provider, faults, pass } = world();
    faults.push(slow(2_500));
    const sender = new AbortController();
    const sent = provider.send(request(), sender.signal).catch((error: unknown) => error);
    await pass(1_000);
    sender.abort(new Error('deadline'));
    await expect(sent).resolves.toMatchObject({ message: 'deadline' });
    expect(await provider.lookUp(lookup)).toEqual({ found: false });
    await pass(1_500);
    expect(provider.effects()).toHaveLength(1);
  });

  it('5xx after commit: the effect is there, and the key brings its real reply', async () => {
    const { provider, faults } = world(remembersKeys);
    faults.push(errorAfterCommit(502));
    expect(await provider.send(request())).toMatchObject({ status: 502, body: { ok: false } });
    expect(provider.effects()).toHaveLength(1);
    expect(await provider.send(request({ attempt: 2 }))).toMatchObject({
      status: 200,
      replayed: true,
    });
    expect(provider.effects()).toHaveLength(1);
  });

  it('stored 500: every repeat of the key gets it again, and a lookup finds the effect', async () => {
    const { provider, faults } = world(remembersKeys);
    faults.push(storedError);
    expect((await provider.send(request())).status).toBe(500);
    expect(await provider.send(request({ attempt: 2 }))).toMatchObject({
      status: 500,
      replayed: true,
    });
    expect(provider.effects()).toHaveLength(1);
    expect(await provider.lookUp(lookup)).toMatchObject({ found: true });
  });

  it('200 with an error body: nothing is done', async () => {
    const { provider, faults } = world();
    faults.push(errorBody('channel_not_found'));
    expect(await provider.send(request())).toEqual({
      status: 200,
      body: { ok: false, error: 'channel_not_found' },
    });
    expect(provider.effects()).toHaveLength(0);
  });

  it('429: nothing is done, and the key is as new as before', async () => {
    const { provider, faults } = world(remembersKeys);
    faults.push(tooManyRequests(1_500));
    expect(await provider.send(request())).toMatchObject({ status: 429, retryAfterMs: 1_500 });
    expect(await provider.send(request({ attempt: 2 }))).toMatchObject({ status: 200 });
    expect(provider.effects()).toHaveLength(1);
  });

  it('drops a request that is older than the network keeps one', async () => {
    const { provider, faults, pass } = world();
    faults.push({ arriveAfterMs: 200 });
    const sent = provider.send(request({ expiresAt: 1_000_150 })).catch((error: unknown) => error);
    await pass(200);
    expect(await sent).toBeInstanceOf(ConnectionLost);
    expect(provider.tally()).toHaveLength(0);
  });

  it('shows a bug in the answers to the sender', async () => {
    const { provider } = world({
      answer: () => {
        throw new TypeError('bug');
      },
    });
    await expect(provider.send(request())).rejects.toThrow('bug');
  });
});

describe('key memory', () => {
  it('gives the same key its stored reply, without a second effect', async () => {
    const { provider } = world(remembersKeys);
    const first = await provider.send(request());
    expect(await provider.send(request({ attempt: 2 }))).toEqual({ ...first, replayed: true });
    expect(provider.tallyOf('t1', 'k1')).toMatchObject({ requests: 2, effects: 1 });
  });

  it('replays a stored refusal, and lets a new key try again', async () => {
    const { provider, faults } = world(remembersKeys);
    faults.push(declined('no funds'));
    await provider.send(request());
    expect(await provider.send(request())).toMatchObject({ status: 422, replayed: true });
    expect(await provider.send(request({ key: 'k2' }))).toMatchObject({ status: 200 });
  });

  it('forgets a key after its window, counted from the first request', async () => {
    const { provider, pass } = world(remembersKeys);
    await provider.send(request());
    await pass(30_000);
    await provider.send(request());
    await pass(29_999);
    expect(await provider.send(request())).toMatchObject({ replayed: true });
    await pass(1);
    await provider.send(request());
    expect(provider.tallyOf('t1', 'k1')?.effects).toBe(2);
  });

  it('answers 409 while a request with the key is running', async () => {
    const { provider, faults, pass } = world(remembersKeys);
    faults.push(slow(1_000));
    const first = provider.send(request());
    await pass(10);
    expect(await provider.send(request({ attempt: 2 }))).toMatchObject({
      status: 409,
      body: { code: 'key_in_use' },
    });
    await pass(1_000);
    expect(await first).toMatchObject({ status: 200 });
    expect(provider.effects()).toHaveLength(1);
  });

  it('does not forget a key whose request is still running', async () => {
    const { provider, faults, pass } = world(remembersKeys);
    faults.push(slow(90_000));
    const first = provider.send(request());
    await pass(70_000);
    expect(await provider.send(request({ attempt: 2 }))).toMatchObject({ status: 409 });
    await pass(20_000);
    await first;
    expect(provider.effects()).toHaveLength(1);
  });

  it('refuses the key with other arguments', async () => {
    const { provider } = world(remembersKeys);
    await provider.send(request());
    expect(await provider.send(request({ arguments: { order: 'o-2' } }))).toMatchObject({
      status: 422,
      body: { code: 'key_reused' },
    });
    expect(provider.effects()).toHaveLength(1);
  });
});

describe('lookup', () => {
  it('finds an effect by our key, and nothing under another', async () => {
    const { provider } = world();
    await provider.send(request());
    const [effect] = provider.effects();
    expect(await provider.lookUp(lookup)).toEqual({
      found: true,
      id: effect?.id,
      result: { done: true },
      key: 'k1',
    });
    expect(await provider.lookUp({ ...lookup, key: 'k2' })).toEqual({ found: false });
    expect(await provider.lookUp({ ...lookup, tool: 'charge' })).toEqual({ found: false });
    expect(await provider.lookUp({ ...lookup, tenant: 't2' })).toEqual({ found: false });
  });

  it('lags behind the write', async () => {
    const { provider, pass } = world({ behaviour: () => ({ lookupLagMs: 20_000 }) });
    await provider.send(request());
    await pass(19_999);
    expect(await provider.lookUp(lookup)).toEqual({ found: false });
    await pass(1);
    expect(await provider.lookUp(lookup)).toMatchObject({ found: true });
  });

  it('cannot say while it is down', async () => {
    const { provider, lookupFaults } = world();
    lookupFaults.push({ outage: true });
    await expect(provider.lookUp(lookup)).rejects.toBeInstanceOf(ConnectionLost);
  });

  it("finds another action's effect and does not say whose it is", async () => {
    const { provider, lookupFaults } = world();
    await provider.send(request({ key: 'k2' }));
    lookupFaults.push({ wrongOwner: true });
    expect(await provider.lookUp(lookup)).toEqual({
      found: true,
      id: provider.effects()[0]?.id,
      result: { done: true },
    });
  });

  it('denies no effect where there is no other that it could take for it', async () => {
    const { provider, lookupFaults } = world();
    await provider.send(request());
    lookupFaults.push({ wrongOwner: true });
    expect(await provider.lookUp(lookup)).toMatchObject({ found: true });
  });

  it('tells late what it saw when it was asked', async () => {
    const { provider, lookupFaults, pass } = world();
    lookupFaults.push({ afterMs: 300 });
    const asked = provider.lookUp(lookup);
    await pass(100);
    await provider.send(request());
    await pass(200);
    expect(await asked).toEqual({ found: false });
  });
});

describe('absolute writes', () => {
  const setting = { behaviour: () => ({ entity: () => 'note' }) };

  it('keep the last value, and count a resend as the same end state', async () => {
    const { provider } = world(setting);
    for (const key of ['a', 'b', 'b'])
      await provider.send(request({ key, arguments: { text: key } }));
    expect(provider.endState('t1', 'refund', 'note')).toMatchObject({
      key: 'b',
      arguments: { text: 'b' },
    });
    expect(provider.tally().map(({ key, effects }) => [key, effects])).toEqual([
      ['a', 1],
      ['b', 1],
    ]);
    expect(provider.tallyOf('t1', 'b')).toMatchObject({ requests: 2, effects: 1 });
    expect(provider.tallyOf('t1', 'b')?.externalIds).toHaveLength(1);
  });

  it('let an older write that lands late win', async () => {
    const { provider, faults, pass } = world(setting);
    faults.push(lateArrival(100));
    await expect(provider.send(request({ key: 'old' }))).rejects.toBeInstanceOf(ConnectionLost);
    await provider.send(request({ key: 'new' }));
    await pass(100);
    expect(provider.endState('t1', 'refund', 'note')?.key).toBe('old');
  });
});

describe('what exists already', () => {
  const unique = { behaviour: () => ({ unique: () => 'o-1' }) };

  it('is refused with the id and the reference of the first', async () => {
    const { provider } = world(unique);
    await provider.send(request());
    expect(await provider.send(request({ key: 'k2' }))).toEqual({
      status: 422,
      body: {
        ok: false,
        error: 'it exists already',
        code: 'already_exists',
        id: provider.effects()[0]?.id,
        reference: 'k1',
      },
    });
    expect(provider.effects()).toHaveLength(1);
  });
});

describe('webhooks', () => {
  it('come before the reply, after it, and twice', async () => {
    const { provider, faults, webhooks, pass } = world();
    faults.push({ replyAfterMs: 900, echoAfterMs: [50, 2_000, 2_000] });
    let replied = false;
    const sent = provider.send(request()).then(() => (replied = true));
    await pass(50);
    expect(webhooks).toEqual([
      {
        tenant: 't1',
        tool: 'refund',
        key: 'k1',
        externalId: provider.effects()[0]?.id,
        result: { done: true },
      },
    ]);
    expect(replied).toBe(false);
    await pass(850);
    await sent;
    await pass(1_100);
    expect(webhooks).toHaveLength(3);
  });

  it('do not come where nothing happened', async () => {
    const { provider, faults, webhooks, pass } = world();
    faults.push({ ...declined('no'), echoAfterMs: [0] });
    await provider.send(request());
    await pass(10);
    expect(webhooks).toHaveLength(0);
  });
});

describe('arrival', () => {
  it('can be watched and held up before anything is done', async () => {
    let open = (): void => undefined;
    const seen: string[] = [];
    const { provider, pass } = world({
      onArrival: ({ key }) => {
        seen.push(key);
        return new Promise((resolve) => (open = resolve));
      },
    });
    const sent = provider.send(request());
    await pass(0);
    expect(seen).toEqual(['k1']);
    expect(provider.effects()).toHaveLength(0);
    open();
    await sent;
    expect(provider.effects()).toHaveLength(1);
  });
});
