// Who may ask what: one row per route, used at the door and printed by a test. `open` needs nobody.
import { type Role } from '@action-ledger/access';

const everybody: readonly Role[] = ['proposer', 'worker', 'approver', 'operator', 'auditor'];

/** By the route's name, which is its `operationId` in the OpenAPI document. */
export const permissions = {
  propose: ['proposer'],
  explain: ['proposer', 'operator', 'auditor'],
  listTools: everybody,
  getAction: everybody,
  listActions: everybody,
  getEvents: everybody,
  followEvents: everybody,
  vote: ['approver'],
  edit: ['approver', 'operator'],
  cancel: ['operator'],
  settle: ['operator'],
  check: ['worker', 'operator'],
  repeat: ['operator'],
  closeIncident: ['operator'],
  report: ['worker', 'operator'],
  listApprovals: ['approver', 'operator', 'auditor'],
  listUnknowns: ['worker', 'operator', 'auditor'],
  listSideEntries: ['operator', 'auditor'],
  health: 'open',
  readiness: 'open',
  openApi: 'open',
  docs: 'open',
} as const satisfies Readonly<Record<string, readonly Role[] | 'open'>>;

export type RouteName = keyof typeof permissions;

export function mayAsk(name: RouteName, held: ReadonlySet<Role>): boolean {
  const allowed: readonly Role[] | 'open' = permissions[name];
  return allowed === 'open' || allowed.some((role) => held.has(role));
}
