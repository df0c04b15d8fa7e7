// Whoever is being answered when their key ends is let out: an event stream ends, held work is refused.
import { describe, expect, it } from '@jest/globals';
import { type Access } from '@action-ledger/access';
import { openWorld, passing } from './world.ts';

const asked = [
  { request: { method: 'GET', url: '/v1/events' }, status: 200 },
  {
    request: {
      method: 'POST',
      url: '/v1/work',
      headers: { prefer: 'wait=60' },
      payload: { tools: ['refund'] },
    },
    status: 401,
  },
] as const;

const endings = ['is revoked', 'is revoked by another process', 'expires'] as const;

describe('a key that ends while it is being answered', () => {
  it.each(endings.flatMap((ending) => asked.map((each) => ({ ending, ...each }))))(
    'lets go of $request.url when it $ending',
    async ({ ending, request, status }) => {
      const access: Access = {
        authenticate: (credentials) => world.keys.authenticate(credentials),
        whenRevoked: (principal, act) => world.keys.whenRevoked?.(principal, act) ?? (() => null),
      };
      const world = await openWorld({ access });
      const { time, keys, gateway } = world;
      const startedAt = time.clock.wallMs();
      const key = { tenant: 'acme', name: 'w', roles: ['worker', 'auditor'], by: 'ann' } as const;
      const expiring = ending === 'expires' ? { expiresAt: startedAt + 20_000 } : {};
      const made = await keys.create({ ...key, ...expiring });
      if (made.kind !== 'created') throw new Error(made.message);
      const headers = { 'x-api-key': made.text, ...('headers' in request ? request.headers : {}) };
      const answer = gateway.app.inject({ ...request, headers });
      await time.advance(10_000);
      const revoked = { id: made.key.id, by: 'ann', reason: 'leaked' };
      if (ending !== 'expires')
        await (ending === 'is revoked' ? keys : world.otherKeys()).revoke(revoked);
      expect((await passing(time, answer)).statusCode).toBe(status);
      const bounds = {
        'is revoked': 10_000,
        'is revoked by another process': 15_500,
        expires: 20_500,
      };
      expect(time.clock.wallMs() - startedAt).toBeLessThanOrEqual(bounds[ending]);
      expect(gateway.readers()).toBe(0);
      await world.close();
    },
  );
});
