export * from './archive/index.ts';
export * from './action-index.ts';
export { type Appended, appendOnce } from './append.ts';
export { type Broken, type Done, type Loaded, type Performed } from './action-store.ts';
export * from './answer.ts';
export { type AnswerCode, answerCodes, type RefusedCode } from './answer-codes.ts';
export { type CallerDoor, type Proposed } from './callers/caller-door.ts';
export {
  type CallerToolRefusalCode,
  callerToolRefusalCodes,
  type RegisterTools,
} from './callers/caller-tools.ts';
export { type HandedOut } from './callers/handed-out.ts';
export { type ClaimHeld, type OutcomeRequest, type OutcomeTaken } from './callers/outcome.ts';
export { type Lookup, type VerdictRequest, type Work, type WorkRequest } from './callers/work.ts';
export { type EditRequest } from './edit.ts';
export { type EvidenceReport } from './reports/evidence-report.ts';
export { type Explanation, type ExplainRequest } from './explain.ts';
export {
  type Confirmed,
  type ConfirmDeps,
  confirmRecovery,
  type ConfirmRequest,
} from './confirm-recovery.ts';
export { createExplainer, type ExplainerOptions } from './explain-record.ts';
export { type OnFault, safeOnFault } from './host-functions.ts';
export { amongProcesses, type Crew, createCrew } from './crew.ts';
export { type Core, openCore, openLedger } from './core.ts';
export { allDuties, type Duty } from './duties.ts';
export { type Following, type StreamPlace } from './follow-streams.ts';
export * from './ledger.ts';
export {
  type CancelRequest,
  type CheckNowRequest,
  type SettleRequest,
  type VoteRequest,
} from './operate.ts';
export { type LedgerGauges, type LedgerWatch } from './ledger-watch.ts';
export { type BurstLimit, usualBurst } from './burst-watch.ts';
export { type Notice, type WritePoint, writePoints } from './parts.ts';
export {
  type Pause,
  type PauseRefusalCode,
  pauseRefusalCodes,
  type PauseRequest,
  type PauseScope,
  type ResumeRequest,
} from './pauses.ts';
export { type Proposal } from './proposal.ts';
export {
  type BrokenRecord,
  type ProofOptions,
  proveChains,
  proveStore,
  type StoreInvariant,
  type StoreProof,
} from './prove-store.ts';
export { quarantineStream } from './quarantine.ts';
export { type DamagedEvents, readEvents, type ReadEventsOptions } from './read-events.ts';
export { rebuildIndex } from './rebuild-index.ts';
export * from './record-stream.ts';
export { readRecoveries, type Recovery, type RecoveryConfirmed } from './recoveries.ts';
export { toolStream } from './registry.ts';
export { type Reported, type Waits } from './reports/report-door.ts';
export {
  type EvidenceRequest,
  type ReportAbout,
  type ReportRefusalCode,
  reportRefusalCodes,
} from './reports/report-request.ts';
export { type WaitingReport } from './reports/waiting-reports.ts';
export { type RepeatRequest } from './repeat.ts';
export { type ConsumerOptions, type ConsumerLoop, createConsumer } from './service/consumer.ts';
export { createDutyService, type ServiceDeps } from './service/duty-service.ts';
export { createFollower, type FollowerOptions, placesOf } from './service/follower.ts';
export { type CoreSource, type OwnCore } from './service/own-core.ts';
export { type Service, type ServiceHealth } from './service/service.ts';
export { type SideEntry } from './side-table.ts';
export { type Gap, type Positions, surveyGap } from './survey-gap.ts';
export { matchesOf } from './undo.ts';
export * from './verify.ts';
export * from './workflow/index.ts';
