// Access without proof, for one person on one machine: everybody is the same principal. The gateway
// opens it on a loopback address only.
import { type Access, type Principal, roles } from './access.ts';

export interface OpenAccess extends Access {
  readonly isOpen: true;
}

export function createOpenAccess(given: Partial<Principal> = {}): OpenAccess {
  const principal: Principal = {
    name: 'local',
    tenant: 'default',
    roles: new Set(roles),
    ...given,
  };
  return { isOpen: true, authenticate: async () => principal };
}

export function isOpenAccess(access: Access): access is OpenAccess {
  return 'isOpen' in access;
}

/** Names and addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
