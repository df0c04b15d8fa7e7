// Every route, in the order of the OpenAPI document.
import { type Route } from '../route.ts';
import { cancel } from './cancel.ts';
import { check } from './check.ts';
import { closeIncident } from './close-incident.ts';
import { edit } from './edit.ts';
import { explain } from './explain.ts';
import { followEvents } from './follow-events.ts';
import { getAction } from './get-action.ts';
import { getEvents } from './get-events.ts';
import { health, readiness } from './health.ts';
import { listActions } from './list-actions.ts';
import { listApprovals } from './list-approvals.ts';
import { listSideEntries } from './list-side-entries.ts';
import { listTools } from './list-tools.ts';
import { listUnknowns } from './list-unknowns.ts';
import { openApi } from './open-api.ts';
import { propose } from './propose.ts';
import { repeat } from './repeat.ts';
import { report } from './report.ts';
import { settle } from './settle.ts';
import { vote } from './vote.ts';

export { docsPage } from './open-api.ts';

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
  listApprovals,
  listUnknowns,
  listSideEntries,
  health,
  readiness,
  openApi,
];
