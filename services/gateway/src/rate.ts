// How often one principal may ask, and all of one tenant together. Who proves nothing is counted by address.
import rateLimit from '@fastify/rate-limit';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

export interface Rate {
  /** @returns the answer to one request too many */
  take(request: FastifyRequest): Promise<HttpAnswer | undefined>;
}

const windowMs = 60_000;

type Check = ReturnType<FastifyInstance['createRateLimit']>;

export function createRate(app: FastifyInstance, limits: Limits): Rate {
  void app.register(rateLimit, { global: false });
  const checks: { readonly own?: Check; readonly tenant?: Check } = {};
  app.addHook('onReady', async () => {
    Object.assign(checks, {
      own: app.createRateLimit({
        max: limits.requestsPerMinute,
        timeWindow: windowMs,
        keyGenerator: ({ principal: { tenant, name }, ip }) =>
          tenant === '' ? `address ${ip}` : JSON.stringify([tenant, name]),
      }),
      tenant: app.createRateLimit({
        max: limits.tenantRequestsPerMinute,
        timeWindow: windowMs,
        keyGenerator: ({ principal: { tenant } }) => JSON.stringify([tenant]),
      }),
    });
    return Promise.resolve();
  });
  return {
    // What one principal asks too often is not held against the others of its tenant.
    take: async (request) =>
      (await taken(checks.own, request)) ??
      (request.principal.tenant === '' ? undefined : taken(checks.tenant, request)),
  };
}

async function taken(
  check: Check | undefined,
  request: FastifyRequest,
): Promise<HttpAnswer | undefined> {
  const found = await check?.(request);
  if (found === undefined || found.isAllowed || !found.isExceeded) return undefined;
  return problem('request.rate', { headers: { 'retry-after': String(found.ttlInSeconds) } });
}
