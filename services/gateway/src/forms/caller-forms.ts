// The forms of what callers send and get that carry actions out in processes of their own.
import { z } from 'zod';
import { type AttemptOutcome, type JsonValue, recordableNotesMax } from '@action-ledger/domain';
import { type LookupOutcome } from '@action-ledger/tools';
import { callForm, evidenceForm } from './action-forms.ts';
import { actionId, json, object, revision, text, time } from './json.ts';

/** With the name of the credentials before it, it is whose claim it is. */
export const worker = z
  .string()
  .min(1)
  .max(200)
  .meta({
    description:
      'Of this one request, and new for each claim: said again with the same one, the same claim is meant.',
    examples: ['3f0c9a1e'],
  });

export const claim = z
  .number()
  .int()
  .min(0)
  .meta({ description: 'The fencing token, as it was handed out.' });

export const attemptNumber = z.number().int().min(1);

const tries = z.array(
  z.strictObject({ attempt: attemptNumber, dispatchedAt: time, deadlineAt: time }),
);

/** What `execute` and `lookup` are both given. */
const given = {
  downstreamKey: z.string(),
  timeoutMs: z.number(),
  arguments: object.meta({ description: 'As recorded: the first wording.' }),
  attempts: tries,
  evidence: z.array(evidenceForm),
  origin: callForm.optional(),
  traceparent: z.string().optional().meta({ description: 'W3C trace context of the proposal.' }),
  tracestate: z.string().optional(),
};

const left = 'Of it, as this is answered: count it from before the request that brought it.';

export const leaseLeftMs = z.number().min(0).meta({ description: left });

export const dispatchForm = z
  .strictObject({
    ...given,
    attempt: attemptNumber,
    claim,
    deadlineAt: time,
    timeLeftMs: z.number().min(0).meta({ description: left }),
    inFlightMs: z.number(),
    leaseMs: z.number(),
    leaseUntil: time,
    leaseLeftMs,
  })
  .meta({ id: 'Dispatch', description: 'On record before it is handed out: send it now, once.' });

/** Of one hand-out. */
export const lookupName = z.string().min(1).max(200).meta({
  description: 'The lookup, as it was handed out: its `absent` is judged by when that was.',
});

export const workForm = z
  .union([
    z.strictObject({ kind: z.literal('send'), actionId, tool: z.string() }),
    z.strictObject({
      ...given,
      kind: z.literal('lookup'),
      actionId,
      tool: z.string(),
      revision,
      lookup: lookupName,
    }),
  ])
  .meta({ id: 'Work' });

const reason = z.string().max(4_096);
const retryAfterMs = z.number().int().min(0).optional();

const outcomeOf = z.union([
  z.strictObject({
    kind: z.literal('succeeded'),
    result: json.optional(),
    externalId: text.optional(),
    digest: z.string().max(200).optional(),
    notes: z.array(reason).max(recordableNotesMax).optional(),
  }),
  z.strictObject({
    kind: z.literal('no effect').meta({ description: 'The provider has refused, or could not.' }),
    reason,
    code: text.optional(),
    detail: json.optional(),
    retryable: z.boolean(),
    retryAfterMs,
    neverHadEffect: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal('in doubt'),
    reason,
    answered: z.boolean().meta({ description: 'The request is not under way any more.' }),
    retryAfterMs,
  }),
  z.strictObject({ kind: z.literal('not sent'), reason }),
]);

export const outcomeForm = outcomeOf.meta({ id: 'AttemptOutcome' });

/** Members that are missing are left out; a result that is missing is null. */
export function outcomeFrom(said: z.infer<typeof outcomeForm>): AttemptOutcome {
  const whole = said.kind === 'succeeded' ? { ...said, result: said.result ?? null } : said;
  return JSON.parse(JSON.stringify(whole)) as AttemptOutcome;
}

export const lookedUpForm = z
  .union([
    z.strictObject({
      verdict: z.literal('found'),
      result: json.optional(),
      externalId: text.optional(),
    }),
    z.strictObject({ verdict: z.literal('absent') }),
    z.strictObject({ verdict: z.literal('ambiguous'), reason }),
    z.strictObject({ verdict: z.literal('error'), reason }),
  ])
  .meta({ id: 'LookedUp' });

export function lookedUpFrom(said: z.infer<typeof lookedUpForm>): LookupOutcome {
  return JSON.parse(JSON.stringify(said)) as LookupOutcome & JsonValue;
}
