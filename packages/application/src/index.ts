export * from './archive/index.ts';
export { claimGone } from './attend/attend.ts';
export * from './record/action-index.ts';
export { type Appended, appendOnce } from './record/append.ts';
export { type Broken, type Done, type Loaded, type Performed } from './record/action-store.ts';
export * from './answer/answer.ts';
export { type AnswerCode, answerCodes, type RefusedCode } from './answer/answer-codes.ts';
export { type CallerDoor, type Proposed } from './callers/caller-door.ts';
export {
  type CallerToolRefusalCode,
  callerToolRefusalCodes,
  type RegisterTools,
} from './callers/caller-tools.ts';
export { type HandedOut } from './callers/handed-out.ts';
export {
  type ClaimHeld,
  type LeaseKept,
  type OutcomeRequest,
  type OutcomeTaken,
} from './callers/outcome.ts';
export { type Lookup, type VerdictRequest, type Work, type WorkRequest } from './callers/work.ts';
export { type EditRequest } from './people/edit.ts';
export { type EvidenceReport } from './reports/evidence-report.ts';
export { type Explanation, type ExplainRequest } from './propose/explain.ts';
export {
  type Confirmed,
  type ConfirmDeps,
  confirmRecovery,
  type ConfirmRequest,
} from './people/confirm-recovery.ts';
export { createExplainer, type ExplainerOptions } from './propose/explain-record.ts';
export { type OnFault, safeOnFault } from './core/host-functions.ts';
export { sideBySide } from './core/side-by-side.ts';
export { createLedgerClock, type LedgerClock } from './core/ledger-clock.ts';
export { within } from './core/within.ts';
export { amongProcesses, type Crew, createCrew } from './core/crew.ts';
export { type Core, openCore, openLedger } from './core/core.ts';
export { allDuties, type Duty } from './core/duties.ts';
export { type Following, type StreamPlace } from './core/follow-streams.ts';
export * from './ledger.ts';
export {
  type CancelRequest,
  type CheckNowRequest,
  type SettleRequest,
  type VoteRequest,
} from './people/operate.ts';
export { type LedgerGauges, type LedgerWatch } from './core/ledger-watch.ts';
export { type BurstLimit, usualBurst } from './people/burst-watch.ts';
export { type ObservedReport, observedReport } from './observe/observed-report.ts';
export { type Notice, type WritePoint, writePoints } from './core/parts.ts';
export {
  createPauses,
  type Pause,
  type PauseEnd,
  type PauseRefusalCode,
  pauseRefusalCodes,
  type PauseRequest,
  type PauseScope,
  type ResumeRequest,
} from './people/pauses.ts';
export * from './projection/index.ts';
export { type Proposal } from './propose/proposal.ts';
export {
  type BrokenRecord,
  type ProofOptions,
  proveChains,
  proveStore,
  type StoreInvariant,
  type StoreProof,
} from './record/prove-store.ts';
export { quarantineStream } from './record/quarantine.ts';
export { tenantOfDamaged } from './record/tenant-of-damaged.ts';
export { type DamagedEvents, readEvents, type ReadEventsOptions } from './record/read-events.ts';
export { rebuildIndex } from './record/rebuild-index.ts';
export * from './record/record-stream.ts';
export { readRecoveries, type Recovery, type RecoveryConfirmed } from './people/recoveries.ts';
export { toolStream } from './record/registry.ts';
export { type Reported, type Waits } from './reports/report-door.ts';
export {
  type EvidenceRequest,
  type ReportAbout,
  type ReportRefusalCode,
  reportRefusalCodes,
} from './reports/report-request.ts';
export { createWaitingReports, type WaitingReport } from './reports/waiting-reports.ts';
export { type RepeatRequest } from './people/repeat.ts';
export { type ConsumerOptions, type ConsumerLoop, createConsumer } from './service/consumer.ts';
export {
  createCoreService,
  type CoreServiceDeps,
  loopOf,
  type RunningCore,
} from './service/core-service.ts';
export { createDutyService, type ServiceDeps } from './service/duty-service.ts';
export { createFollower, type FollowerOptions, placesOf } from './service/follower.ts';
export {
  type CoreSource,
  openServiceCore,
  type OwnCore,
  type ServiceCore,
} from './service/own-core.ts';
export { type Service, type ServiceHealth } from './service/service.ts';
export { type SideEntry } from './record/side-table.ts';
export { type Gap, type Positions, surveyGap } from './record/survey-gap.ts';
export { matchesOf } from './attempt/undo.ts';
export * from './record/verify.ts';
export * from './workflow/index.ts';
