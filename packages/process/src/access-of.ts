// Whom the gateway of a process lets in: API keys on record, and tokens of an identity provider where one is
// named.
import {
  type Access,
  anyAccess,
  createJsonWebTokenAccess,
  createKeyRing,
  createOpenAccess,
  type KeyRing,
} from '@action-ledger/access';
import { type ProcessParts } from './process-parts.ts';

export interface Admission {
  readonly keys: KeyRing;
  readonly access: Access;
}

export function accessOf({ store, settings, sha256, runtime, onFault }: ProcessParts): Admission {
  // Credentials end by the wall clock: set ahead by mistake and put right, it is to let them in again.
  const clock = { nowMs: () => runtime.clock.wallMs() };
  const keys = createKeyRing({ store, sha256, clock, runtime });
  if (settings.open) return { keys, access: createOpenAccess() };
  const { tokenIssuer: issuer, tokenAudience: audience, tokenKeysUrl } = settings;
  if (issuer === undefined || audience === undefined || tokenKeysUrl === undefined)
    return { keys, access: keys };
  const tokens = createJsonWebTokenAccess({
    issuer,
    audience,
    keys: new URL(tokenKeysUrl),
    clock,
    onFault: (fault) => {
      onFault('the keys of the identity provider', fault);
    },
  });
  return { keys, access: anyAccess([keys, tokens]) };
}
