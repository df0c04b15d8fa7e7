// Who asks through the door of the machine: whoever can open the file's socket owns it and may do everything,
// for the tenant and under the name that they give. Never for a port: nothing here is proved.
import { type Access, type Principal, roles } from '@action-ledger/access';

export interface LocalCaller {
  readonly name: string;
  readonly tenant: string;
}

const scheme = 'Local ';

export function localCredentials(caller: LocalCaller): string {
  return scheme + Buffer.from(JSON.stringify(caller)).toString('base64url');
}

export const localAccess: Access = {
  authenticate: async ({ authorization }) => Promise.resolve(principalOf(authorization)),
};

function principalOf(authorization: string | undefined): Principal | undefined {
  if (authorization?.startsWith(scheme) !== true) return undefined;
  const text = Buffer.from(authorization.slice(scheme.length), 'base64url').toString();
  const { name, tenant } = JSON.parse(text) as LocalCaller;
  return { name, tenant, roles: new Set(roles), isOwner: true };
}
