// Access without proof, for one person on one machine: everybody is the same principal, and the owner. The
// gateway opens it on a loopback address only.
import { type Access, type Principal, roles } from './principal.ts';

export function createOpenAccess(given: Partial<Principal> = {}): Access {
  const principal: Principal = {
    name: 'local',
    tenant: 'default',
    roles: new Set(roles),
    ...given,
  };
  return { isOpen: true, authenticate: async () => Promise.resolve(principal) };
}

/** Names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
