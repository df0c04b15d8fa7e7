// Reports about an action from anyone but the holder of its claim: late answers, webhooks, exports.
import { type JsonValue, parseActionId, type ToolRules } from '@action-ledger/domain';
import { afterSuccess } from './after-success.ts';
import { type Performed } from './action-store.ts';
import { checkRecorded, checkRequest, reportShape } from './check-request.ts';
import { joinedBy } from './join.ts';
import { performKnown, unknownAction } from './known-action.ts';
import { manualRules } from './manual-rules.ts';
import { type Parts, toolOf } from './parts.ts';

export interface EvidenceReport {
  /** Who says so: `webhook`, `attempt 1`, a person. */
  readonly source: string;
  readonly claims: 'success' | 'refusal' | 'note';
  /** By our downstream key or reference. Only a proven success settles anything. */
  readonly proven: boolean;
  /** The provider says that it never had an effect for our key. */
  readonly neverHadEffect?: boolean;
  readonly attempt?: number;
  readonly externalId?: string;
  readonly data?: JsonValue;
}

/** Of anyone outside: checked before anything is recorded. */
export async function takeReport(
  parts: Parts,
  actionId: string,
  report: EvidenceReport,
): Promise<Performed> {
  const misfit = checkRequest(report, reportShape);
  if (misfit !== undefined) return misfit;
  const data = checkRecorded('data', report.data);
  if (data.kind === 'refusal') return data;
  if (parseActionId(actionId) === undefined) return unknownAction(actionId);
  const { source, claims, neverHadEffect, attempt, externalId } = report;
  const plain = {
    source,
    claims,
    // Left out by a program without types, it proves nothing.
    proven: (report.proven as unknown) === true,
    ...(neverHadEffect === undefined ? {} : { neverHadEffect }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data.value === undefined ? {} : { data: data.value }),
  };
  return reportEvidence(parts, actionId, plain, await rulesOf(parts, actionId));
}

async function rulesOf(parts: Parts, actionId: string): Promise<ToolRules> {
  const loaded = await parts.actions.load(actionId);
  const tool = loaded.kind === 'action' ? toolOf(parts, loaded.action) : undefined;
  return tool?.rules ?? manualRules(loaded.kind === 'action' ? loaded.action.tool : '');
}

export async function reportEvidence(
  parts: Parts,
  actionId: string,
  report: EvidenceReport,
  rules: ToolRules,
): Promise<Performed> {
  const performed = await performKnown(parts, actionId, (action) => ({
    type: 'ReportEvidence',
    ...report,
    rules,
    watched: parts.judge.watched(action),
    ...joinedBy(parts, actionId),
  }));
  if (performed.kind === 'broken') {
    await parts.quarantine.record(actionId, report.source, report.data ?? null);
    return performed;
  }
  if (performed.kind === 'done' && performed.action.status === 'succeeded') {
    await afterSuccess(parts, performed.before, performed.action);
  }
  return performed;
}
