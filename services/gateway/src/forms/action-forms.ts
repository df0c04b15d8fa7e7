// The forms of what the gateway answers about actions. Everything that goes out fits one of them: a test
// holds thousands of answers against the document that is made of these.
import { z } from 'zod';
import { answerWords } from '@action-ledger/application';
import { actionStatuses, observedWords } from '@action-ledger/domain';
import { actionId, guarantee, json, object, owner, revision, time } from './json.ts';

const words = Object.keys(answerWords) as (keyof typeof answerWords)[];

export const status = z.enum(actionStatuses).meta({ id: 'ActionStatus' });

const origin = {
  conversation: z.string().optional(),
  run: z.string().optional(),
  turn: z.string().optional(),
  call: z.string().optional(),
};

export const callForm = z
  .strictObject(origin)
  .meta({ id: 'Call', description: 'Where a call came from.' });

const difference = z.strictObject({ path: z.string(), note: z.string().optional() });

export const observedForm = z
  .strictObject({
    would: z.enum(observedWords).meta({ description: '`send`: the same as it did.' }),
    action: actionId.optional().meta({ description: 'The action that the call would have met.' }),
    reason: z.string().optional(),
  })
  .meta({
    id: 'Observed',
    description: 'What the ledger would have done, had it not only watched.',
  });

const answerMembers = {
  word: z.enum(words).meta({ description: 'One of ten, from a fixed vocabulary.' }),
  state: z
    .enum([...actionStatuses, 'refused', 'passed-through'])
    .meta({ description: 'Success, failure, expiry and the rest are told apart here.' }),
  repeat: z.boolean().meta({ description: 'Nothing ran because of this request.' }),
  tenant: z.string(),
  tool: z.string(),
  actionId: actionId.optional(),
  epoch: z.number().int().min(0).optional(),
  previous: actionId.optional().meta({ description: 'The epoch before.' }),
  editOf: actionId.optional(),
  revision: revision.optional(),
  guarantee: guarantee.optional(),
  observed: observedForm.optional(),
  result: json.optional(),
  externalId: z.string().optional(),
  notes: z.array(z.string()).optional(),
  digest: z.string().optional(),
  settledAt: time.optional(),
  code: z.string().optional().meta({ description: 'Stable; see docs/errors.md.' }),
  reason: z.string().optional(),
  detail: json.optional(),
  differs: z.array(difference).optional(),
  owner: owner.optional(),
  nextCheckAt: time.optional(),
  messageForModel: z
    .string()
    .meta({ description: 'The word as a sentence that a model can act on.' }),
};

export const answerForm = z
  .strictObject(answerMembers)
  .meta({ id: 'Answer', description: 'What became of a proposal.' });

const watch = { owner, nextCheckAt: time };

const attempt = z.strictObject({
  attempt: z.number().int(),
  dispatchedAt: time,
  deadlineAt: time,
  inFlightMs: z.number(),
  state: z.enum(['running', 'in doubt', 'succeeded', 'no effect']),
  answered: z.boolean(),
});

export const approvalForm = z
  .strictObject({
    votesNeeded: z.number().int(),
    ownVote: z.boolean(),
    expiresAt: time,
    argumentsHash: z.string().meta({ description: 'A vote must name it.' }),
    undoWindowMs: z.number(),
    policyVersion: z.string().optional(),
    reason: z.string().optional(),
    votes: z.array(
      z.strictObject({ voter: z.string(), vote: z.enum(['approve', 'reject']), at: time }),
    ),
    decided: z
      .strictObject({ as: z.enum(['approved', 'rejected', 'expired', 'ended']), at: time })
      .optional(),
  })
  .meta({ id: 'Approval' });

export const evidenceForm = z.strictObject({
  source: z.string(),
  claims: z.enum(['success', 'refusal', 'note']),
  at: time,
  id: z.string().optional(),
  attempt: z.number().int().optional(),
  externalId: z.string().optional(),
  saidAt: time.optional().meta({ description: 'Before `at`: it waited for its action.' }),
  data: json.optional(),
  digest: z.string().optional().meta({ description: 'Of the whole, where `data` is a part.' }),
  notes: z.array(z.string()).optional(),
});

export const actionForm = z
  .strictObject({
    ...answerMembers,
    key: z.string().optional(),
    identityVersion: z.number().int(),
    arguments: object,
    argumentsHash: z.string(),
    by: z.string().optional(),
    plannedAt: time,
    updatedAt: time,
    validUntil: time,
    readyAt: time,
    after: actionId.optional(),
    policyVersion: z.string().optional(),
    repeatOf: z.string().optional(),
    compensates: z.string().optional(),
    calls: z.array(callForm),
    attempts: z.array(attempt),
    downstreamKey: z.string().optional(),
    undoes: z.array(z.string()),
    approval: approvalForm.optional(),
    checks: z.number().int(),
    unknownSince: time.optional(),
    undoneBy: z.string().optional(),
    undoneAt: time.optional(),
    supersededBy: z.string().optional(),
    edited: object.optional(),
    cancelRequested: z
      .strictObject({ by: z.string(), person: z.boolean(), reason: z.string() })
      .optional(),
    compensatedBy: z.string().optional(),
    evidence: z.array(evidenceForm),
    incidents: z.array(z.strictObject({ ...watch, incident: z.string(), reason: z.string() })),
    duplicates: z.array(
      z.strictObject({ externalIds: z.array(z.string()), other: z.string().optional() }),
    ),
  })
  .meta({ id: 'Action', description: 'An action as it is now, and what became of it.' });

export const voteForm = z
  .strictObject({
    ...actionForm.shape,
    vote: z.strictObject({
      counted: z.boolean().meta({ description: 'false: the approval was decided before.' }),
      message: z.string().optional(),
      decided: z.strictObject({ as: z.string(), at: time, by: z.string().optional() }).optional(),
    }),
  })
  .meta({ id: 'ActionAfterVote' });

const rowMembers = {
  action: actionId,
  tenant: z.string(),
  tool: z.string(),
  run: z.string().optional(),
  epoch: z.number().int(),
  status,
  guarantee: z.string(),
  attempts: z.number().int(),
  plannedAt: time,
  updatedAt: time,
  revision,
  owner: owner.optional(),
  nextCheckAt: time.optional(),
  unknownSince: time.optional(),
  externalId: z.string().optional(),
  incidents: z.number().int().meta({ description: 'Open ones.' }),
  observed: observedForm.optional(),
};

export const rowForm = z.strictObject(rowMembers).meta({ id: 'ActionRow' });

export const unknownForm = z
  .strictObject({
    ...rowMembers,
    unknownSince: time,
    ageMs: z.number().min(0),
    checks: z.number().int(),
    messageForModel: z.string(),
  })
  .meta({ id: 'Unknown' });

export const waitingForm = z
  .strictObject({
    ...rowMembers,
    arguments: object,
    argumentsHash: z.string(),
    by: z.string().optional(),
    approval: approvalForm,
    messageForModel: z.string(),
  })
  .meta({ id: 'WaitingForApproval' });

export const eventForm = z
  .strictObject({
    revision,
    position: z.number().int(),
    type: z.string(),
    at: time,
    by: z.string().optional(),
    data: object,
    state: actionForm.optional().meta({ description: 'After this event; where it was asked for.' }),
  })
  .meta({ id: 'Event' });

export const sideKinds = ['duplicate', 'conflict', 'refused', 'observed'] as const;

export const sideEntryForm = z
  .strictObject({
    at: time,
    tenant: z.string(),
    tool: z.string(),
    action: z.string(),
    kind: z.enum(sideKinds),
    reason: z.string(),
    call: callForm.optional(),
  })
  .meta({ id: 'SideEntry' });
