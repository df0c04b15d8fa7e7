// The door for reports that name their action as its provider does. What matches an action goes into its
// stream; what matches none yet waits, and is taken up when an action comes to bear the name, in this
// process or the next one on this store.
import { type Action, type ActionRefusalCode, type Refusal, refusal } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { providerNamesOf, providerNameText } from '../record/action-index.ts';
import { type Performed } from '../record/action-store.ts';
import {
  checkRecorded,
  checkRequest,
  reportAboutShape,
  reportShape,
} from '../core/check-request.ts';
import { tenantOfDamaged } from '../record/tenant-of-damaged.ts';
import { takeReport } from './evidence.ts';
import { isThere, unknownAction } from '../record/known-action.ts';
import { type Parts } from '../core/parts.ts';
import {
  actionNamed,
  type EvidenceRequest,
  namesIn,
  reportIn,
  type ReportRefusalCode,
} from './report-request.ts';
import { type WaitingReport } from './waiting-reports.ts';

/** Kept, and matched to no action yet. */
export interface Waits {
  readonly kind: 'waits';
  /** Given up then, in wall-clock ms since the epoch. */
  readonly until: number;
}

export type Reported = Performed | Waits | Refusal<ActionRefusalCode | ReportRefusalCode>;

/** @throws StoreFault */
export async function reportAbout(parts: Parts, asked: EvidenceRequest): Promise<Reported> {
  const misfit = checkRequest(asked, { ...reportShape, ...reportAboutShape });
  if (misfit !== undefined) return misfit;
  const data = checkRecorded('data', asked.data);
  if (data.kind === 'refusal') return data;
  const { data: _data, ...rest } = asked;
  const request: EvidenceRequest = {
    ...rest,
    // Left out by a program without types, it proves nothing.
    proven: (asked.proven as unknown) === true,
    ...(data.value === undefined ? {} : { data: data.value }),
  };
  if (request.action === undefined && namesIn(request).length === 0) return nothingNamed();
  const taken = await matched(parts, request);
  if (taken !== undefined) return taken;
  const waiting = await parts.reports.keep(request);
  if ('kind' in waiting) return waiting;
  // An action may have come to bear the name while this was written: it has not seen the report.
  return (await takeUp(parts, waiting)) ?? { kind: 'waits', until: waiting.until };
}

function nothingNamed(): Refusal<ActionRefusalCode> {
  return refusal(
    'action.request-invalid',
    'Nothing was recorded: name what the report is about: "action", "downstreamKey", "reference", or "externalId" with its "tool".',
    { member: 'action' },
  );
}

/** @returns undefined where it matches no action */
async function matched(
  parts: Parts,
  request: EvidenceRequest,
  saidAt?: number,
): Promise<Reported | undefined> {
  const named = actionNamed(parts.index, request);
  if (named.kind === 'none') return undefined;
  if (named.kind === 'refusal') return named;
  const loaded = await parts.actions.load(named.action);
  if (loaded.kind === 'action' && isThere(loaded.action)) {
    const { action } = loaded;
    if (action.tenant !== request.tenant) return unknownAction(named.action);
    if (isOfAnother(action, request)) return ofAnother(action);
  }
  // What its provider knows it by was looked up in this tenant alone; its id is anybody's to name.
  if (loaded.kind === 'broken' && request.action !== undefined) {
    const tenant = await tenantOfDamaged(parts.store, named.action);
    if (tenant !== request.tenant) return unknownAction(named.action);
  }
  return takeReport(parts, named.action, reportIn(request), saidAt);
}

function isOfAnother(action: Action, { downstreamKey, tool }: EvidenceRequest): boolean {
  const hasOtherKey = downstreamKey !== undefined && downstreamKey !== action.downstreamKey;
  return hasOtherKey || (tool !== undefined && tool !== action.tool);
}

function ofAnother({ id }: Action): Refusal<ReportRefusalCode> {
  return refusal(
    'evidence.other-action',
    'Nothing was recorded: the report names an action, and the downstream key or the tool of another.',
    { action: id },
  );
}

/** @returns undefined where it goes on waiting */
async function takeUp(parts: Parts, waiting: WaitingReport): Promise<Reported | undefined> {
  // What was said while it matched nothing may be older than what was sent: it proves no absence.
  const { neverHadEffect: _said, ...request } = waiting.request;
  const taken = await matched(parts, request, waiting.at);
  switch (taken?.kind) {
    case 'done':
    case 'broken': {
      const id = taken.kind === 'done' ? taken.action.id : taken.actionId;
      await parts.reports.matched(waiting, id);
      return taken;
    }
    case undefined:
    case 'waits':
    case 'refusal':
      return undefined;
  }
}

/** Whoever moved it: reports that wait for a name which it bears now are taken up, oldest first. */
export function takeUpReports(parts: Parts, action: Action): void {
  const { tenant } = action;
  const names = (): readonly string[] => providerNamesOf(action).map(providerNameText);
  inBackground(parts, parts.reports.under(tenant, names));
}

/**
 * What an earlier process has kept; its actions may have moved since. What cannot be read or taken up
 * holds up nothing else, and is left to the next try.
 */
export async function openReports(parts: Parts): Promise<void> {
  const isTold = parts.reportsLeft.all;
  const faults = await parts.reports.load().catch((fault: unknown) => [fault]);
  for (const fault of isTold ? [] : faults) tell(parts, 'reading the reports that wait', fault);
  parts.reportsLeft.all = faults.length > 0;
  // What is damaged is whole again when somebody has mended it, not by the next sweep.
  const waitMs = faults.every(isDamaged) ? damagedLookMs : 0;
  parts.reportsLeft.notBeforeMono = parts.clock.monoMs() + waitMs;
  inBackground(parts, parts.reports.all());
}

/** So often what is damaged is read again: a week of a tenant, and then all reports are matched. */
const damagedLookMs = 60_000;

function isDamaged(fault: unknown): boolean {
  return fault instanceof StoreFault && fault.code === 'store.corrupt';
}

/** Tries again what failed; costs nothing where nothing did. */
export function retryReports(parts: Parts): void {
  const { reportsLeft, reportsUnderWay } = parts;
  if (reportsUnderWay.size > 0 || parts.isClosing()) return;
  if (reportsLeft.all && parts.clock.monoMs() >= reportsLeft.notBeforeMono) {
    const work = openReports(parts).finally(() => reportsUnderWay.delete(work));
    reportsUnderWay.add(work);
    return;
  }
  const again = [...reportsLeft.reports];
  reportsLeft.reports.clear();
  inBackground(parts, again);
}

function inBackground(parts: Parts, reports: readonly WaitingReport[]): void {
  if (reports.length === 0) return;
  const work = (async () => {
    for (const waiting of reports) {
      await takeUp(parts, waiting).catch((fault: unknown) => {
        parts.reportsLeft.reports.add(waiting);
        tell(parts, 'a report that waited', fault);
      });
    }
  })().finally(() => parts.reportsUnderWay.delete(work));
  parts.reportsUnderWay.add(work);
}

function tell(parts: Parts, where: string, fault: unknown): void {
  if (!parts.isClosing()) parts.onFault(where, fault);
}
