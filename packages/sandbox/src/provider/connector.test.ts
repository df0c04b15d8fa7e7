import { describe, expect, it } from '@jest/globals';
import { type JsonObject } from '@action-ledger/domain';
import { createSystemRuntime } from '@action-ledger/runtime';
import { attemptResultKind, NotSent, type ExecuteContext } from '@action-ledger/tools';
import { type ProviderOptions } from './behaviour.ts';
import { attemptResultOf, executeAt, lookUpAt } from './connector.ts';
import { ackLost } from './fault.ts';
import { createProvider, type SandboxProvider } from './provider.ts';
import { ConnectionLost, type LookupReply, type ProviderPort } from './wire.ts';

function providerOf(options: Partial<ProviderOptions> = {}): SandboxProvider {
  return createProvider({ runtime: createSystemRuntime(), ...options });
}

function context(more: Partial<ExecuteContext<JsonObject>> = {}): ExecuteContext<JsonObject> {
  return {
    actionId: 'a-1',
    tenant: 't1',
    tool: 'refund',
    arguments: { order: 'o-1' },
    origin: { run: 'r', call: 'c' },
    downstreamKey: 'k1',
    attempt: 2,
    attempts: [{ attempt: 2, dispatchedAt: 1_000, deadlineAt: 2_000 }],
    evidence: [],
    signal: new AbortController().signal,
    beforeSend: () => undefined,
    ...more,
  };
}

describe('executeAt', () => {
  it('sends one request with key, attempt, origin and the end of its way', async () => {
    const provider = providerOf();
    const later = context({ attempts: [{ attempt: 2, dispatchedAt: 4e12, deadlineAt: 4e12 }] });
    const result = await executeAt(provider, { inFlightMs: 150 })(later);
    expect(provider.arrivals.map((arrival) => arrival.request)).toEqual([
      {
        tenant: 't1',
        tool: 'refund',
        arguments: { order: 'o-1' },
        key: 'k1',
        attempt: 2,
        origin: { run: 'r', call: 'c' },
        expiresAt: 4e12 + 150,
      },
    ]);
    expect(attemptResultKind(result)).toBe('succeeded');
    expect(result).toMatchObject({
      result: { done: true },
      externalId: provider.effects()[0]?.id,
    });
  });

  it('sends nothing when it may not', async () => {
    const provider = providerOf();
    const refusing = context({
      beforeSend: () => {
        throw new NotSent('too late');
      },
    });
    await expect(executeAt(provider)(refusing)).rejects.toBeInstanceOf(NotSent);
    expect(provider.arrivals).toHaveLength(0);
  });

  it('throws when the connection breaks, so that it is doubt', async () => {
    const provider = providerOf({ fault: () => ackLost });
    await expect(executeAt(provider)(context())).rejects.toBeInstanceOf(ConnectionLost);
  });

  it('gives up at the deadline', async () => {
    const provider = providerOf({ fault: () => ({ connection: 'silent' }) });
    await expect(
      executeAt(provider)(context({ signal: AbortSignal.abort(new Error('deadline')) })),
    ).rejects.toThrow('deadline');
  });
});

describe('attemptResultOf', () => {
  const no = (error: string, more: object = {}) => ({ ok: false as const, error, ...more });

  it.each([
    ['a success', { status: 200, body: { ok: true as const, id: 'x', result: 1 } }, 'succeeded'],
    ['a 200 that says no', { status: 200, body: no('channel_not_found') }, 'refused'],
    ['a refusal', { status: 422, body: no('no funds') }, 'refused'],
    ['too many requests', { status: 429, body: no('busy') }, 'refused'],
    ['a server error', { status: 503, body: no('oops') }, 'in doubt'],
    ['a key in use', { status: 409, body: no('running', { code: 'key_in_use' }) }, 'in doubt'],
    [
      'a key with other arguments',
      { status: 422, body: no('x', { code: 'key_reused' }) },
      'in doubt',
    ],
    [
      'what exists with our reference',
      { status: 422, body: no('exists', { code: 'already_exists', id: '77', reference: 'k1' }) },
      'succeeded',
    ],
    [
      'what exists with another reference',
      { status: 422, body: no('exists', { code: 'already_exists', id: '77', reference: 'k9' }) },
      'refused',
    ],
  ])('takes %s for %s', (_, reply, kind) => {
    expect(attemptResultKind(attemptResultOf(reply, 'k1'))).toBe(kind);
  });

  it('retries only what was refused before it was handled, and not too soon', () => {
    const busy = { status: 429, body: no('busy'), retryAfterMs: 700 };
    expect(attemptResultOf(busy, 'k1')).toMatchObject({ retryable: true, retryAfterMs: 700 });
    expect(attemptResultOf({ status: 422, body: no('no') }, 'k1')).toMatchObject({
      retryable: false,
    });
  });

  it('hands on that a key never had an effect', () => {
    const never = { status: 422, body: no('no', { neverHadEffect: true }) };
    expect(attemptResultOf(never, 'k1')).toMatchObject({ neverHadEffect: true });
    expect(attemptResultOf({ status: 422, body: no('no') }, 'k1')).not.toHaveProperty(
      'neverHadEffect',
    );
  });

  it('knows that an answered request is not under way any more', () => {
    expect(attemptResultOf({ status: 500, body: no('x') }, 'k1')).toMatchObject({ answered: true });
  });
});

describe('lookUpAt', () => {
  it('finds by our key, with id and result', async () => {
    const provider = providerOf();
    expect(await lookUpAt(provider)(context())).toEqual({ verdict: 'absent' });
    await executeAt(provider)(context());
    expect(await lookUpAt(provider)(context())).toEqual({
      verdict: 'found',
      externalId: provider.effects()[0]?.id,
      result: { done: true },
    });
  });

  it('calls the effect of another key ambiguous', async () => {
    const reply: LookupReply = { found: true, id: 'x', result: null, key: 'k9' };
    const provider: ProviderPort = { ...providerOf(), lookUp: () => Promise.resolve(reply) };
    expect(await lookUpAt(provider)(context())).toMatchObject({ verdict: 'ambiguous' });
  });

  it('never takes an outage for absence', async () => {
    const provider = providerOf({ lookupFault: () => ({ outage: true }) });
    await expect(lookUpAt(provider)(context())).rejects.toBeInstanceOf(ConnectionLost);
  });
});
