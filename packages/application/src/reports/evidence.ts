// Reports about an action from anyone but the holder of its claim: late answers, webhooks, exports.
import {
  type Action,
  type ActionRefusalCode,
  type CommandOf,
  parseActionId,
  type Refusal,
  refusal,
  type ToolRules,
} from '@action-ledger/domain';
import { afterSuccess } from '../attempt/after-success.ts';
import { type Broken, type Performed } from '../record/action-store.ts';
import { inTurnOfExternalId } from '../record/external-ids.ts';
import { checkRecorded, checkRequest, reportShape } from '../core/check-request.ts';
import { joinedBy } from '../propose/join.ts';
import { isThere, performKnown, unknownAction } from '../record/known-action.ts';
import { manualRules } from '../attempt/manual-rules.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { type EvidenceReport } from './evidence-report.ts';

/**
 * Of anyone outside: checked before anything is recorded.
 * @param saidAt where it has waited for its action
 */
export async function takeReport(
  parts: Parts,
  actionId: string,
  report: EvidenceReport,
  saidAt?: number,
): Promise<Performed> {
  const misfit = checkRequest(report, reportShape);
  if (misfit !== undefined) return misfit;
  const data = checkRecorded('data', report.data);
  if (data.kind === 'refusal') return data;
  if (parseActionId(actionId) === undefined) return unknownAction(actionId);
  const { source, claims, neverHadEffect, id, attempt, externalId } = report;
  const action = await actionOf(parts, actionId);
  const said: EvidenceReport = {
    source,
    claims,
    // Left out by a program without types, it proves nothing.
    proven: (report.proven as unknown) === true,
    ...(neverHadEffect === undefined ? {} : { neverHadEffect }),
    ...(id === undefined ? {} : { id }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data.value === undefined ? {} : { data: data.value }),
  };
  const take = (ofAnother?: string): Promise<Performed> => {
    // An id that another action has proves nothing about this one.
    const proven = said.proven && ofAnother === undefined;
    const dated = saidAt === undefined ? {} : { saidAt };
    return performEvidence(parts, actionId, { ...said, ...dated, proven }, rulesOf(parts, action));
  };
  const isToBeTaken = said.proven && claims === 'success';
  const performed =
    action === undefined || externalId === undefined
      ? await take()
      : await inTurnOfExternalId(parts, action, { externalId, isToBeTaken }, take);
  return followUp(parts, said, performed);
}

async function actionOf(parts: Parts, actionId: string): Promise<Action | undefined> {
  const loaded = await parts.actions.load(actionId);
  return loaded.kind === 'action' && isThere(loaded.action) ? loaded.action : undefined;
}

function rulesOf(parts: Parts, action: Action | undefined): ToolRules {
  if (action === undefined) return manualRules('');
  return toolOf(parts, action)?.rules ?? manualRules(action.tool);
}

/** Of an attempt that was carried out here, or by a caller: its result may have been cut. */
export type OwnReport = EvidenceReport & Pick<CommandOf<'ReportEvidence'>, 'digest' | 'notes'>;

export async function reportEvidence(
  parts: Parts,
  actionId: string,
  report: OwnReport,
  rules: ToolRules,
): Promise<Performed> {
  const performed = await performEvidence(parts, actionId, report, rules);
  return followUp(parts, report, performed);
}

function performEvidence(
  parts: Parts,
  actionId: string,
  report: OwnReport & { readonly saidAt?: number },
  rules: ToolRules,
): Promise<Performed> {
  return performKnown(parts, actionId, (action) => ({
    type: 'ReportEvidence',
    ...report,
    rules,
    watched: parts.judge.watched(action),
    ...joinedBy(parts, action),
  }));
}

async function followUp(
  parts: Parts,
  said: EvidenceReport,
  performed: Performed,
): Promise<Performed> {
  if (performed.kind === 'broken') return keptApart(parts, performed, said);
  if (performed.kind === 'done' && performed.action.status === 'succeeded') {
    await afterSuccess(parts, performed.before, performed.action);
  }
  return performed;
}

/** Nothing in a broken stream moves; what is said of it lies in its quarantine, once. */
async function keptApart(
  { quarantine }: Parts,
  broken: Broken,
  { source, claims, proven, id, attempt, externalId, data }: EvidenceReport,
): Promise<Performed> {
  const kept = await quarantine.record(
    broken.actionId,
    {
      source,
      claims: claims === 'success' && !proven ? 'note' : claims,
      ...(id === undefined ? {} : { id }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(externalId === undefined ? {} : { externalId }),
      ...(data === undefined ? {} : { data }),
    },
    'outside',
  );
  return kept === 'kept' ? broken : evidenceFull(broken.actionId);
}

export function evidenceFull(actionId: string): Refusal<ActionRefusalCode> {
  const message = 'Nothing was recorded: so much was said of this action that no more is taken.';
  return refusal('action.evidence-full', message, { action: actionId });
}
