// Asks a tool's lookup once, and records the verdict as long as nothing has moved meanwhile.
import { type Action, type CommandOf, type Watched } from '@action-ledger/domain';
import {
  type LookupOutcome,
  lookupShape,
  recordable,
  runLookup,
  type Tool,
} from '@action-ledger/tools';
import { type Performed } from '../record/action-store.ts';
import { inTurnOfExternalId } from '../record/external-ids.ts';
import { afterSuccess } from '../attempt/after-success.ts';
import { attemptContext } from '../attempt/attempt.ts';
import { takeReport } from '../reports/evidence.ts';
import { joinedBy } from '../propose/join.ts';
import { type Parts } from '../core/parts.ts';
import { blockedLookMs } from '../attempt/send.ts';
import { inSpan } from '../core/spans.ts';

/** The verdict counts only at the revision that was read before asking. */
export async function lookUp(parts: Parts, tool: Tool, action: Action): Promise<void> {
  const sentMono = parts.clock.monoMs();
  const watched = parts.judge.watched(action, sentMono);
  const controller = new AbortController();
  const deadline = parts.runtime.timers.after(tool.rules.timeoutMs, () => {
    controller.abort(new Error('the lookup took too long'));
  });
  const args = parts.secrets.get(action.id) ?? action.arguments;
  const { id, tenant, guarantee, trace: parent } = action;
  const facts = { action: id, tool: tool.name, tenant, guarantee };
  const ended = ({ verdict }: LookupOutcome): object => ({ verdict });
  const outcome = await inSpan({ name: 'lookup', facts, parent, ended }, (downstream) =>
    runLookup(tool, {
      ...attemptContext(action, args),
      ...downstream,
      signal: controller.signal,
    }),
  );
  deadline.cancel();
  if (outcome.verdict === 'error' && outcome.came !== undefined) {
    const message = `The lookup of ${tool.name} returned ${outcome.came}; it must return ${lookupShape}.`;
    parts.onFault(`lookup of ${action.id}`, new TypeError(message));
  }
  await parts.passed('looked up', action.id);
  await recordVerdict(parts, tool, action, { outcome, revisionRead: action.revision, watched });
}

export interface Told {
  readonly outcome: LookupOutcome;
  /** Before the lookup was sent. */
  readonly revisionRead: number;
  readonly watched: Watched;
}

/** What a lookup has said. It settles what is still unknown; of anything else, what it has found is evidence. */
export async function recordVerdict(
  parts: Parts,
  tool: Tool,
  action: Action,
  told: Told,
): Promise<Performed> {
  const { outcome } = told;
  const { externalId } = outcome.verdict === 'found' ? outcome : {};
  const performed =
    externalId === undefined
      ? await performVerdict(parts, tool, action, told)
      : await inTurnOfExternalId(parts, action, { externalId, isToBeTaken: true }, (ofAnother) =>
          performVerdict(parts, tool, action, told, ofAnother),
        );
  if (performed.kind === 'refusal') parts.due.set(action.id, parts.clock.nowMs() + blockedLookMs);
  if (performed.kind !== 'done') return performed;
  if (performed.events.length === 0 && outcome.verdict === 'found')
    return isOnRecord(performed.action, outcome)
      ? performed
      : reportFound(parts, tool, performed.action, outcome);
  await parts.passed('reconciled', action.id);
  if (performed.action.status === 'succeeded')
    await afterSuccess(parts, performed.before, performed.action);
  return performed;
}

function performVerdict(
  parts: Parts,
  tool: Tool,
  action: Action,
  { outcome, revisionRead, watched }: Told,
  ofAnother?: string,
): Promise<Performed> {
  return parts.actions.perform(action.id, ({ status }) =>
    status === 'unknown'
      ? {
          type: 'RecordVerdict',
          verdict: verdictOf(parts, tool, outcome, ofAnother),
          revisionRead,
          watched,
          rules: tool.rules,
          ...joinedBy(parts, action),
        }
      : undefined,
  );
}

type Found = Extract<LookupOutcome, { verdict: 'found' }>;

function isOnRecord({ status, outcome }: Action, { externalId }: Found): boolean {
  return status === 'succeeded' && (externalId === undefined || externalId === outcome?.externalId);
}

/** The action has moved on meanwhile: told like any other proof, so that its effect is never forgotten. */
function reportFound(
  parts: Parts,
  tool: Tool,
  { id }: Action,
  { externalId, result }: Found,
): Promise<Performed> {
  return takeReport(parts, id, {
    source: 'lookup',
    claims: 'success',
    proven: true,
    data: recordable(parts.sha256, result ?? null, tool.keep).result,
    ...(externalId === undefined ? {} : { externalId }),
  });
}

type Verdict = CommandOf<'RecordVerdict'>['verdict'];

/** @param ofAnother whose effect the lookup has found */
function verdictOf(
  parts: Parts,
  tool: Tool,
  outcome: LookupOutcome,
  ofAnother: string | undefined,
): Verdict {
  switch (outcome.verdict) {
    case 'absent':
      return { kind: 'absent' };
    case 'ambiguous':
      return { kind: 'ambiguous', reason: outcome.reason };
    case 'error':
      return { kind: 'error', reason: outcome.reason };
    case 'found': {
      const { externalId, result } = outcome;
      const found = recordable(parts.sha256, result ?? null, tool.keep);
      if (externalId === undefined) return { kind: 'found', ...found };
      if (ofAnother !== undefined)
        return { kind: 'ambiguous', reason: `${externalId} is the effect of ${ofAnother}` };
      return { kind: 'found', ...found, externalId };
    }
  }
}
