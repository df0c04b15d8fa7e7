// How often one principal may ask, and all of one tenant together. Who proves nothing is counted by address.
import { type Clock } from '@action-ledger/runtime';
import { type FastifyRequest } from 'fastify';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

export interface Rate {
  /** @returns the answer to one request too many */
  take(request: Pick<FastifyRequest, 'principal' | 'ip'>): HttpAnswer | undefined;
}

const windowMs = 60_000;
/** Beyond so many at once the one whose minute began first is counted anew. */
const windowsMax = 5_000;

export function createRate(clock: Pick<Clock, 'monoMs'>, limits: Limits): Rate {
  const own = createWindows(clock, limits.requestsPerMinute);
  const ofTenant = createWindows(clock, limits.tenantRequestsPerMinute);
  return {
    take: (request) => {
      const { tenant, name } = request.principal;
      if (tenant === '') return own(`address ${request.ip}`);
      // What one principal asks too often is not held against the others of its tenant.
      return own(`${tenant.length} ${tenant} ${name}`) ?? ofTenant(tenant);
    },
  };
}

function createWindows(
  clock: Pick<Clock, 'monoMs'>,
  max: number,
): (who: string) => HttpAnswer | undefined {
  /** In the order in which they began. */
  const windows = new Map<string, { readonly since: number; count: number }>();
  return (who) => {
    const now = clock.monoMs();
    let current = windows.get(who);
    if (current === undefined || now - current.since >= windowMs) {
      windows.delete(who);
      const [oldest] = windows.size < windowsMax ? [] : windows.keys();
      if (oldest !== undefined) windows.delete(oldest);
      current = { since: now, count: 0 };
      windows.set(who, current);
    }
    current.count += 1;
    return current.count > max ? tooMany(current.since + windowMs - now) : undefined;
  };
}

function tooMany(leftMs: number): HttpAnswer {
  const seconds = String(Math.ceil(leftMs / 1_000));
  return problem('request.rate', { headers: { 'retry-after': seconds } });
}
