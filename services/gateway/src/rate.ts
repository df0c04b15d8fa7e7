// How often one principal may ask. Who proves nothing is counted by address.
import rateLimit from '@fastify/rate-limit';
import { type FastifyInstance, type FastifyRequest } from 'fastify';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

export interface Rate {
  /** @returns the answer to one request too many */
  take(request: FastifyRequest): Promise<HttpAnswer | undefined>;
}

const windowMs = 60_000;

export function createRate(app: FastifyInstance, { requestsPerMinute }: Limits): Rate {
  void app.register(rateLimit, { global: false });
  let check: ReturnType<FastifyInstance['createRateLimit']> | undefined;
  app.addHook('onReady', async () => {
    check = app.createRateLimit({
      max: requestsPerMinute,
      timeWindow: windowMs,
      keyGenerator: ({ principal, ip }) =>
        principal.tenant === ''
          ? `address ${ip}`
          : JSON.stringify([principal.tenant, principal.name]),
    });
  });
  return {
    take: async (request) => {
      const taken = await check?.(request);
      if (taken === undefined || taken.isAllowed || !taken.isExceeded) return undefined;
      return problem('request.rate', { headers: { 'retry-after': String(taken.ttlInSeconds) } });
    },
  };
}
