// What must always hold (DESIGN.md section 12): checked after every test, continuously by the
// auditor, on demand by the CLI. Pure: each check names what is broken, and mends nothing.
export * from './invariants/broken.ts';
export {
  type ActionTrail,
  type AuditedAction,
  followTrail,
  shortenTrail,
  startTrail,
} from './invariants/action-trail.ts';
export {
  checkAction,
  checkTrail,
  type StreamContext,
  type StreamEvent,
} from './invariants/check-action.ts';
export {
  checkLedger,
  type DownstreamTally,
  type LedgerContext,
} from './invariants/check-ledger.ts';
export { checkState } from './invariants/check-state.ts';
export { checkWorkflows } from './invariants/check-workflows.ts';
