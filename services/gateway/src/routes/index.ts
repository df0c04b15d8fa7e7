// Every route, in the order of the OpenAPI document.
import { type Described, type Route } from '../route.ts';
import { declareTools } from './callers/declare-tools.ts';
import { extendClaim } from './callers/extend-claim.ts';
import { findWork } from './callers/find-work.ts';
import { recordOutcome } from './callers/record-outcome.ts';
import { recordVerdict } from './callers/record-verdict.ts';
import { takeAction } from './callers/take-action.ts';
import { cancel } from './cancel.ts';
import { check } from './check.ts';
import { closeIncident } from './close-incident.ts';
import { edit } from './edit.ts';
import { explain } from './explain.ts';
import { followEvents } from './follow-events.ts';
import { getAction } from './get-action.ts';
import { getEvents } from './get-events.ts';
import { health, readiness } from './health.ts';
import { createKey } from './keys/create-key.ts';
import { listKeys } from './keys/list-keys.ts';
import { revokeKey } from './keys/revoke-key.ts';
import { listActions } from './list-actions.ts';
import { listApprovals } from './list-approvals.ts';
import { listObserved } from './list-observed.ts';
import { listSideEntries } from './list-side-entries.ts';
import { listTools } from './list-tools.ts';
import { listUnknowns } from './list-unknowns.ts';
import { listWaitingReports } from './list-waiting-reports.ts';
import { docsFile, docsPage, openApi } from './open-api.ts';
import { listPauses } from './pauses/list-pauses.ts';
import { pause } from './pauses/pause.ts';
import { resume } from './pauses/resume.ts';
import { propose } from './propose.ts';
import { repeat } from './repeat.ts';
import { report } from './report.ts';
import { getCompatibility } from './schemas/get-compatibility.ts';
import { getSchema } from './schemas/get-schema.ts';
import { getVersion } from './schemas/get-version.ts';
import { listSubjects } from './schemas/list-subjects.ts';
import { listVersions } from './schemas/list-versions.ts';
import { settle } from './settle.ts';
import { vote } from './vote.ts';
import { compensateWorkflow } from './workflows/compensate-workflow.ts';
import { completeWorkflow } from './workflows/complete-workflow.ts';
import { failWorkflow } from './workflows/fail-workflow.ts';
import { getWorkflow } from './workflows/get-workflow.ts';
import { listWorkflows } from './workflows/list-workflows.ts';
import { startWorkflow } from './workflows/start-workflow.ts';
import { takeStep } from './workflows/take-step.ts';

export const routes: readonly Route[] = [
  propose,
  explain,
  listTools,
  getAction,
  listActions,
  getEvents,
  followEvents,
  vote,
  edit,
  cancel,
  settle,
  check,
  repeat,
  closeIncident,
  report,
  listWaitingReports,
  listApprovals,
  listUnknowns,
  listSideEntries,
  listObserved,
  declareTools,
  findWork,
  takeAction,
  extendClaim,
  recordOutcome,
  recordVerdict,
  listPauses,
  pause,
  resume,
  listKeys,
  createKey,
  revokeKey,
  startWorkflow,
  listWorkflows,
  getWorkflow,
  takeStep,
  completeWorkflow,
  failWorkflow,
  compensateWorkflow,
  getSchema,
  listSubjects,
  listVersions,
  getVersion,
  getCompatibility,
  health,
  readiness,
  openApi,
];

/** What the document describes: every route, and what is served beside them. */
export const described: readonly Described[] = [...routes, docsPage, docsFile];
