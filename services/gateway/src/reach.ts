// How far somebody reaches beyond one action: an operator to the whole of their tenant, the owner of the
// machine to every tenant. Another tenant's name is refused whether or not there is such a tenant.
import { type Principal } from '@action-ledger/access';
import { type HttpAnswer, problem } from './answers/http-answer.ts';

export interface Named {
  readonly tenant?: string | undefined;
  readonly everyTenant?: boolean | undefined;
}

export type Reach =
  | {
      readonly kind: 'within';
      /** undefined: every tenant. */
      readonly tenant: string | undefined;
    }
  | { readonly kind: 'no'; readonly answer: HttpAnswer };

export function reachOf(principal: Principal, { tenant, everyTenant = false }: Named): Reach {
  const isOwner = principal.isOwner === true;
  if (everyTenant && tenant !== undefined)
    return no('request.invalid', 'Name a tenant, or every tenant, not both.');
  if (everyTenant)
    return isOwner
      ? { kind: 'within', tenant: undefined }
      : no('access.forbidden', 'Only the owner of the machine reaches every tenant.');
  const named = tenant ?? principal.tenant;
  return isOwner || named === principal.tenant
    ? { kind: 'within', tenant: named }
    : no('access.forbidden', 'You reach your own tenant, and no other.');
}

function no(code: 'request.invalid' | 'access.forbidden', detail: string): Reach {
  return { kind: 'no', answer: problem(code, { detail }) };
}
