// Who may ask what: one row per route, used at the door and printed by a test. `open` needs nobody,
// `owner` whoever has the machine of the ledger.
import { type Principal, type Role } from '@action-ledger/access';

export type Allowed = readonly Role[] | 'open' | 'owner';

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
  listWaitingReports: ['worker', 'operator', 'auditor'],
  declareTools: ['worker', 'operator'],
  findWork: ['worker'],
  takeAction: ['worker'],
  extendClaim: ['worker'],
  recordOutcome: ['worker'],
  recordVerdict: ['worker'],
  listPauses: everybody,
  pause: ['operator'],
  resume: ['operator'],
  listKeys: ['operator', 'auditor'],
  createKey: 'owner',
  revokeKey: ['operator'],
  startWorkflow: ['proposer'],
  takeStep: ['proposer'],
  completeWorkflow: ['proposer'],
  failWorkflow: ['proposer'],
  compensateWorkflow: ['operator'],
  getWorkflow: everybody,
  listWorkflows: everybody,
  listApprovals: ['approver', 'operator', 'auditor'],
  listUnknowns: ['worker', 'operator', 'auditor'],
  listSideEntries: ['operator', 'auditor'],
  listObserved: ['operator', 'auditor'],
  getSchema: everybody,
  listSubjects: everybody,
  listVersions: everybody,
  getVersion: everybody,
  getCompatibility: everybody,
  health: 'open',
  readiness: 'open',
  openApi: 'open',
  docs: 'open',
  docsFile: 'open',
} as const satisfies Readonly<Record<string, Allowed>>;

export type RouteName = keyof typeof permissions;

/** Readers of records in Avro ask them, and know no proof but a user and a password: that is the key. */
export const takesBasic: ReadonlySet<RouteName> = new Set([
  'getSchema',
  'listSubjects',
  'listVersions',
  'getVersion',
  'getCompatibility',
]);

export function mayAsk(name: RouteName, { roles, isOwner }: Principal): boolean {
  const allowed: Allowed = permissions[name];
  if (allowed === 'open') return true;
  return allowed === 'owner' ? isOwner === true : allowed.some((role) => roles.has(role));
}
