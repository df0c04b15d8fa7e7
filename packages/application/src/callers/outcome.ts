// What a caller says of its attempt. Only the holder of the claim writes an outcome; said again, it is
// answered the same. From anyone else, and from a holder whose lease has ended, it is evidence.
import { type ActionRefusalCode, type AttemptOutcome, type Refusal } from '@action-ledger/domain';
import { recordable } from '@action-ledger/tools';
import { type Broken, type Performed } from '../record/action-store.ts';
import { type Answer, answerFor } from '../answer/answer.ts';
import { afterSuccess } from '../attempt/after-success.ts';
import { outcomeEvidence, reportRecorded } from '../attempt/attempt.ts';
import { joinedBy } from '../propose/join.ts';
import { type HandedOut, leaseLeft } from './handed-out.ts';
import { isThere, unknownAction } from '../record/known-action.ts';
import { manualRules } from '../attempt/manual-rules.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { evidenceFull } from '../reports/evidence.ts';

export interface ClaimHeld {
  readonly actionId: string;
  readonly worker: string;
  /** The fencing token. */
  readonly claim: number;
}

export interface OutcomeRequest extends ClaimHeld {
  /** Who says so, as it is shown to everybody. Default: `worker`. */
  readonly by?: string;
  readonly attempt: number;
  readonly outcome: AttemptOutcome;
}

/** As the ledger has granted it, now or before. */
export interface LeaseKept extends Pick<HandedOut, 'leaseUntil' | 'leaseLeftMs'> {
  readonly kind: 'kept';
}

export interface OutcomeTaken {
  readonly kind: 'outcome' | 'evidence';
  readonly answer: Answer;
}

type No = Refusal<ActionRefusalCode> | Broken;

/** @throws StoreFault it is not known whether it is recorded: say it again */
export async function takeOutcome(
  parts: Parts,
  request: OutcomeRequest,
): Promise<OutcomeTaken | No> {
  const { actionId, worker, claim, attempt, by = worker } = request;
  const loaded = await parts.actions.load(actionId);
  if (loaded.kind === 'broken') return keptApart(parts, request, loaded);
  const { action } = loaded;
  if (!isThere(action)) return unknownAction(actionId);
  const tool = toolOf(parts, action);
  const rules = tool?.rules ?? manualRules(action.tool);
  const outcome = asStored(parts, request.outcome, tool?.keep ?? []);
  const jitter = parts.runtime.randomness.next();
  const performed = await parts.actions.perform(actionId, (current) => ({
    type: 'RecordOutcome',
    claim,
    worker,
    attempt,
    outcome,
    rules,
    jitter,
    ...joinedBy(parts, current, outcome.kind),
  }));
  switch (performed.kind) {
    case 'broken':
      return keptApart(parts, request, performed);
    case 'done':
      await told(parts, performed);
      return { kind: 'outcome', answer: answerFor(performed.action, { repeat: false }) };
    case 'refusal': {
      // Of an attempt that never was, nothing can be known; of one that was another's, nothing be proven.
      const told = action.attempts.find((each) => each.attempt === attempt);
      if (told === undefined) return performed;
      const proven = told.claim === claim && told.worker === worker;
      const kept = await reportRecorded(parts, rules, action, { attempt, outcome, by, proven });
      // Only what is on record is answered as on record.
      return kept.kind === 'done' ? asItIs(parts, actionId) : kept;
    }
  }
}

async function told(
  parts: Parts,
  { before, action, events }: Extract<Performed, { kind: 'done' }>,
): Promise<void> {
  if (events.length === 0) return;
  const isUnknown = action.status === 'unknown';
  await parts.passed(isUnknown ? 'unknown recorded' : 'outcome recorded', action.id);
  if (action.status === 'succeeded') await afterSuccess(parts, before, action);
}

async function asItIs(parts: Parts, actionId: string): Promise<OutcomeTaken | No> {
  const loaded = await parts.actions.load(actionId);
  if (loaded.kind === 'broken') return loaded;
  return { kind: 'evidence', answer: answerFor(loaded.action, { repeat: false }) };
}

/** Nothing in a broken stream moves; what is said of it lies in its quarantine. */
async function keptApart(
  parts: Parts,
  { actionId, attempt, outcome, worker, by = worker }: OutcomeRequest,
  broken: Broken,
): Promise<No> {
  const source = `attempt ${attempt}, ${by}`;
  const data = outcomeEvidence(outcome);
  const said = { source, claims: 'note', attempt, data } as const;
  const kept = await parts.quarantine.record(actionId, said, 'outside');
  return kept === 'kept' ? broken : evidenceFull(actionId);
}

/** Cut to size, whoever has said it. */
function asStored(
  { sha256 }: Parts,
  outcome: AttemptOutcome,
  keep: readonly string[],
): AttemptOutcome {
  switch (outcome.kind) {
    case 'succeeded':
      return { ...outcome, ...recordable(sha256, outcome.result, keep), ...whole(outcome) };
    case 'no effect':
      return outcome.detail === undefined
        ? outcome
        : { ...outcome, detail: recordable(sha256, outcome.detail, []).result };
    case 'in doubt':
    case 'not sent':
      return outcome;
  }
}

/** The caller has cut it already, and knows the whole. */
function whole({
  digest,
  notes,
}: Extract<AttemptOutcome, { kind: 'succeeded' }>): Pick<
  Extract<AttemptOutcome, { kind: 'succeeded' }>,
  'digest' | 'notes'
> {
  return { ...(digest === undefined ? {} : { digest }), ...(notes === undefined ? {} : { notes }) };
}

/** Calls that outlast their lease extend it; a refusal says that it is lost. @throws StoreFault */
export async function extendHeld(
  parts: Parts,
  { actionId, worker, claim }: ClaimHeld,
): Promise<LeaseKept | No> {
  const loaded = await parts.actions.load(actionId);
  if (loaded.kind === 'broken') return loaded;
  if (!isThere(loaded.action)) return unknownAction(actionId);
  const rules = toolOf(parts, loaded.action)?.rules ?? manualRules(loaded.action.tool);
  const command = { type: 'ExtendClaim', claim, worker, leaseMs: rules.leaseMs } as const;
  const performed = await parts.actions.perform(actionId, () => command);
  if (performed.kind !== 'done') return performed;
  const { claim: held } = performed.action;
  const own = held?.revision === claim ? held : undefined;
  return { kind: 'kept', ...leaseLeft(rules, own, parts.clock.nowMs()) };
}
