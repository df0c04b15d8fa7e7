// Where a call is only observed, nothing that goes wrong in the ledger keeps it in: what cannot be recorded
// goes out without a record.
import { type JsonObject, withMessage } from '@action-ledger/domain';
import { type AttemptOutcome, recordable, runUnrecorded, type Tool } from '@action-ledger/tools';
import { type Answer } from '../answer/answer.ts';
import { type Parts } from '../core/parts.ts';
import { type Proposal } from '../propose/proposal.ts';
import { noteObserved } from './beside.ts';

/**
 * @param told what the ledger has done with the call; where that is a refusal, nothing of it has run.
 *   Callers with processes of their own, and steps, need the record: they get the refusal.
 */
export async function letOut(
  parts: Parts,
  tool: Tool,
  args: JsonObject,
  proposal: Proposal,
  told: Answer,
): Promise<Answer> {
  const needsRecord = tool.byCaller === true || proposal.link !== undefined;
  if (told.state !== 'refused' || needsRecord) return told;
  const reason = told.reason ?? told.code ?? 'not recorded';
  const observed = { would: 'refused', reason } as const;
  noteObserved(parts, proposal, observed);
  const { timers, ids } = parts.runtime;
  const { tenant, origin, traceparent, tracestate } = proposal;
  const call = { tool, args, tenant, origin, traceparent, tracestate };
  const outcome = await runUnrecorded(timers, call, ids.next());
  return withMessage({
    state: 'passed-through',
    repeat: false,
    tenant,
    tool: tool.name,
    guarantee: 'observed',
    observed,
    ...toldOf(parts, tool, outcome),
  });
}

function toldOf(
  { sha256 }: Parts,
  { keep }: Tool,
  outcome: AttemptOutcome,
): Pick<Answer, 'word' | 'result' | 'externalId' | 'reason'> {
  switch (outcome.kind) {
    case 'succeeded': {
      const { externalId } = outcome;
      const result = recordable(sha256, outcome.result, keep);
      return { word: 'done', ...result, ...(externalId === undefined ? {} : { externalId }) };
    }
    case 'no effect':
    case 'not sent':
      return { word: 'failed-without-effect', reason: outcome.reason };
    case 'in doubt':
      return { word: 'checking', reason: outcome.reason };
  }
}
