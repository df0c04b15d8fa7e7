// Reports about an action from anyone but the holder of its claim: late answers, webhooks, exports.
import {
  type ActionRefusalCode,
  type JsonValue,
  type Refusal,
  type ToolRules,
} from '@action-ledger/domain';
import { afterSuccess } from './after-success.ts';
import { type Performed } from './action-store.ts';
import { checkRequest, reportShape } from './check-request.ts';
import { joinedBy } from './join.ts';
import { type Parts } from './parts.ts';

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

export async function reportEvidence(
  parts: Parts,
  actionId: string,
  report: EvidenceReport,
  rules: ToolRules,
): Promise<Performed | Refusal<ActionRefusalCode>> {
  const misfit = checkRequest(report, reportShape);
  if (misfit !== undefined) return misfit;
  const performed = await parts.actions.perform(actionId, (action) => ({
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
