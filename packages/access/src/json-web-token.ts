// JWTs of an identity provider, checked against its published keys (RFC 7519, RFC 7517). Signature,
// issuer, audience and expiry must hold; the claims say the tenant and the roles.
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
} from 'jose';
import { type Access, bearerToken, isRole, type Principal } from './principal.ts';

export interface JsonWebTokenOptions {
  /** The `iss` that tokens must bear. */
  readonly issuer: string;
  /** The `aud` that tokens must bear: this ledger, not another service of the same provider. */
  readonly audience: string;
  /** Where the provider publishes its keys, or the keys themselves. */
  readonly keys: URL | JSONWebKeySet;
  /** Names of claims. Defaults: `tenant`, `roles` (a list, or a text with spaces between), `sub`. */
  readonly claims?: {
    readonly tenant?: string;
    readonly roles?: string;
    readonly name?: string;
  };
  readonly clock: { nowMs(): number };
  /**
   * A token by a key that is not known has the published ones read again, at most so often, so that nobody
   * can make the provider work by guessing. Default 30 s. A key that is published no more is taken for 10 min.
   */
  readonly rereadAfterMs?: number;
  /** The provider's keys could not be read: nobody is let in meanwhile, and somebody should know. */
  readonly onFault?: (fault: unknown) => void;
}

/** Signatures only: a shared secret, or none, proves nothing about who signed. */
const algorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'EdDSA',
];
const skewSeconds = 60;
const tokenLengthMax = 8_192;
const rereadAfterMsUsual = 30_000;

export function createJsonWebTokenAccess(options: JsonWebTokenOptions): Access {
  const { issuer, audience, clock, onFault = () => undefined } = options;
  const { rereadAfterMs = rereadAfterMsUsual } = options;
  const keys =
    options.keys instanceof URL
      ? createRemoteJWKSet(options.keys, { cooldownDuration: rereadAfterMs })
      : createLocalJWKSet(options.keys);
  return {
    authenticate: async (credentials) => {
      const token = bearerToken(credentials);
      if (token === undefined || token.length > tokenLengthMax) return undefined;
      try {
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience,
          algorithms,
          requiredClaims: ['exp'],
          clockTolerance: skewSeconds,
          currentDate: new Date(clock.nowMs()),
        });
        const principal = principalFrom(payload, options.claims ?? {});
        return principal && { ...principal, until: endOf(payload, clock.nowMs()) };
      } catch (fault) {
        if (isBadToken(fault)) return undefined;
        onFault(fault);
        // Whether the token is good cannot be known now: that is no reason to throw it away.
        throw fault;
      }
    },
  };
}

function principalFrom(
  payload: Readonly<Record<string, unknown>>,
  claims: NonNullable<JsonWebTokenOptions['claims']>,
): Principal | undefined {
  const tenant = payload[claims.tenant ?? 'tenant'];
  const name = payload[claims.name ?? 'sub'];
  const said = payload[claims.roles ?? 'roles'];
  const roles = typeof said === 'string' ? said.split(' ') : said;
  if (!isName(tenant) || !isName(name) || !Array.isArray(roles)) return undefined;
  return { name, tenant, roles: new Set(roles.filter(isRole)) };
}

/** Whoever is let in past the expiry, since clocks differ, is so until no clock can differ by more. */
function endOf({ exp = 0 }: JWTPayload, nowMs: number): number {
  const endMs = exp * 1_000;
  return nowMs < endMs ? endMs : endMs + skewSeconds * 1_000;
}

function isName(text: unknown): text is string {
  return typeof text === 'string' && text !== '' && text.length <= 255 && !/\p{Cc}/u.test(text);
}

/** Says something about the token, and nothing about us or the provider. */
function isBadToken(fault: unknown): boolean {
  return (
    fault instanceof errors.JOSEError &&
    !(fault instanceof errors.JWKSTimeout) &&
    !(fault instanceof errors.JWKSInvalid) &&
    fault.code !== 'ERR_JOSE_GENERIC'
  );
}
