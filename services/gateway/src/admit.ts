// The first door of every route, passed before a byte of the body is read: the gateway is open and not
// overrun, it is known who asks, and one of their roles may ask this.
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { bearerToken, type Credentials, isLoopback, type Principal } from '@action-ledger/access';
import { type HttpAnswer, problem, Refused } from './answers/http-answer.ts';
import { mayAsk, permissions, type RouteName, takesBasic } from './permissions.ts';
import { type ServerDeps } from './server-deps.ts';
import { whenOver } from './when-over.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Of an open route: nobody. */
    principal: Principal;
    /** It counts as being answered until then, or until it is over. */
    leave: () => void;
  }
}

const nobody: Principal = { name: '', tenant: '', roles: new Set() };

type Hook = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/** @throws Refused with the answer */
export function admit(deps: ServerDeps, name: RouteName): Hook {
  return async (request, reply) => {
    request.principal = nobody;
    request.leave = () => undefined;
    if (permissions[name] === 'open') return;
    if (deps.access.isOpen === true && !isMeantForHere(request)) throw new Refused(elsewhere());
    const refused = enter(deps, request, reply);
    if (refused !== undefined) throw new Refused(refused);
    const principal = await authenticated(deps, request, takesBasic.has(name));
    request.principal = principal ?? nobody;
    const tooMany = deps.rate.take(request);
    if (tooMany !== undefined) throw new Refused(tooMany);
    if (principal === undefined) throw new Refused(unauthenticated());
    if (!mayAsk(name, principal)) throw new Refused(forbidden(name));
    const full = enterTenant(deps, request, reply);
    if (full !== undefined) throw new Refused(full);
  };
}

/**
 * Where nobody proves anything, a page of the web must not come in: one whose name leads to this machine
 * (DNS rebinding) is told by the host that its requests name.
 */
function isMeantForHere({ headers: { host = '' } }: FastifyRequest): boolean {
  return isLoopback(host.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'));
}

function elsewhere(): HttpAnswer {
  const detail = 'Everybody comes in here, so only requests to localhost are answered.';
  return problem('access.forbidden', { detail });
}

function enter(
  { door, limits, underWay }: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): HttpAnswer | undefined {
  if (door.isClosing()) return problem('gateway.closing', { headers: { connection: 'close' } });
  if (underWay.count() >= limits.underWayMax) return problem('gateway.busy');
  request.leave = underWay.enter();
  whenOver(reply.raw, request.leave);
  return undefined;
}

/** Until then a tenant is not known; from then on each has its share. */
function enterTenant(
  { limits, underWayOf }: ServerDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): HttpAnswer | undefined {
  const { tenant } = request.principal;
  if (underWayOf.count(tenant) >= limits.tenantUnderWayMax) return problem('request.tenant-busy');
  const leave = underWayOf.enter(tenant);
  const leaveAll = request.leave;
  request.leave = () => {
    leaveAll();
    leave();
  };
  whenOver(reply.raw, leave);
  return undefined;
}

async function authenticated(
  { access, logger }: ServerDeps,
  request: FastifyRequest,
  isBasicTaken: boolean,
): Promise<Principal | undefined> {
  try {
    return await access.authenticate(credentialsOf(request, isBasicTaken));
  } catch (fault) {
    logger.error({ fault }, 'it could not be checked who is asking');
    throw new Refused(problem('access.unavailable'));
  }
}

export function unauthenticated(): HttpAnswer {
  const headers = { 'www-authenticate': 'Bearer realm="action-ledger"' };
  return problem('access.unauthenticated', { headers });
}

/** A header that is sent twice proves nothing, nor do a key and a token that differ: whose is it? */
function credentialsOf({ headers, raw }: FastifyRequest, isBasicTaken: boolean): Credentials {
  const { authorization } = headers;
  const apiKey = headers['x-api-key'];
  if (isTwice(raw.rawHeaders, 'authorization') || isTwice(raw.rawHeaders, 'x-api-key')) return {};
  const password = isBasicTaken ? basicPassword(authorization) : undefined;
  const token = password ?? bearerToken({ authorization });
  if (apiKey !== undefined && token !== undefined && token !== apiKey) return {};
  if (password !== undefined) return { apiKey: password };
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(typeof apiKey === 'string' ? { apiKey } : {}),
  };
}

/** RFC 7617; whatever the user is called. @returns undefined where the header has another scheme or none */
function basicPassword(authorization: string | undefined): string | undefined {
  const coded = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '')?.[1];
  if (coded === undefined) return undefined;
  const [, ...password] = Buffer.from(coded, 'base64').toString('utf8').split(':');
  return password.join(':');
}

/** @param raw names and values in turn, as they came */
function isTwice(raw: readonly string[], name: string): boolean {
  let times = 0;
  for (let at = 0; at < raw.length; at += 2) {
    const given = raw[at] ?? '';
    if (given.length === name.length && given.toLowerCase() === name) times += 1;
  }
  return times > 1;
}

function forbidden(name: RouteName): HttpAnswer {
  const allowed = permissions[name] as readonly string[] | 'owner';
  const who =
    allowed === 'owner'
      ? 'This is for the owner of the machine: ask there, with the command line.'
      : `This needs the role ${allowed.join(' or ')}.`;
  return problem('access.forbidden', { detail: who });
}
