// The forms of workflows: what is asked of them, and how they are shown.
import { z } from 'zod';
import { answerWords } from '@action-ledger/application';
import { workflowStatuses } from '@action-ledger/domain';
import { actionId, json, object, owner, revision, text, time } from './json.ts';

const words = Object.keys(answerWords) as (keyof typeof answerWords)[];

export const workflowStatus = z
  .enum(workflowStatuses.filter((each) => each !== 'new'))
  .meta({ id: 'WorkflowStatus' });

export const ofWorkflow = z.strictObject({
  id: z.string().min(1).max(400).meta({
    description: 'Its id of 43 characters, or the `id` or `run` that it was started with.',
  }),
});

export const onFailedCompensation = z.enum(['stop', 'go on']).optional().meta({
  description: 'Where one cannot be undone: hold the earlier ones back, or undo them all the same.',
});

/** As a program names it. */
export const compensateForm = z
  .union([z.enum(['not needed', 'impossible']), z.strictObject({ tool: text, arguments: object })])
  .meta({
    id: 'StepCompensation',
    description:
      'How a step is undone, recorded before it is sent. Arguments may refer to what it brings about: `{"$from": "outcome.id"}`, `{"$from": "arguments.trip"}`, `{"$from": "externalId"}`.',
  });

const recordedCompensation = z.strictObject({
  kind: z.enum(['not needed', 'impossible', 'tool', 'declared']),
  tool: z.string().optional(),
  arguments: object.optional(),
});

const settled = z.strictObject({
  step: z.string(),
  action: actionId,
  as: z.enum(['succeeded', 'without effect']),
  owned: z.boolean().meta({ description: "false: another's action, never undone here." }),
  at: time,
  reason: z.string().optional(),
  undo: z.strictObject({ tool: z.string(), arguments: object }).optional(),
  undoFault: z.string().optional(),
});

const compensated = z.strictObject({
  as: z.enum(['compensated', 'failed']),
  at: time,
  by: z.string().optional(),
  reason: z.string().optional(),
});

const stepForm = z
  .strictObject({
    step: z.string(),
    tool: z.string(),
    arguments: object,
    argumentsHash: z.string(),
    compensation: recordedCompensation,
    identity: z.strictObject({ kind: z.enum(['step', 'tool']) }),
    mayFail: z.literal(true).optional(),
    secret: z
      .literal(true)
      .optional()
      .meta({ description: 'Some of its arguments are secret, and shown as digests.' }),
    plannedAt: time,
    settled: settled.optional().meta({ description: 'Without it: not known yet.' }),
    compensated: compensated.optional(),
    failedUndos: z.array(z.string()),
  })
  .meta({ id: 'Step' });

export const workflowForm = z
  .strictObject({
    word: z.enum(words),
    status: workflowStatus,
    repeat: z.boolean().meta({ description: 'Nothing ran because of this request.' }),
    tenant: z.string(),
    workflow: z.string().meta({ description: 'Its id: 43 characters.' }),
    name: z.string().optional(),
    run: z.string().optional(),
    conversation: z.string().optional(),
    by: z.string().optional(),
    input: json.optional(),
    revision,
    steps: z.array(stepForm),
    result: json.optional(),
    reason: z.string().optional(),
    standing: z
      .array(z.strictObject({ step: z.string(), why: z.string() }))
      .meta({ description: 'Effects that stand although it was undone.' }),
    onFailedCompensation: z.enum(['stop', 'go on']),
    abandonedAfterMs: z
      .number()
      .meta({ description: 'Without anything new for so long it is taken for abandoned.' }),
    whenAbandoned: z.enum(['operator', 'compensate']),
    notes: z
      .array(z.string())
      .optional()
      .meta({ description: 'What could not be kept of the result, and why.' }),
    digest: z.string().optional().meta({ description: 'SHA-256 of the whole result.' }),
    startedAt: time,
    updatedAt: time,
    endedAt: time.optional(),
    compensation: z
      .strictObject({
        by: z.string(),
        reason: z.string(),
        at: time,
        from: z.number().int().meta({ description: 'The first step that is undone, from 0.' }),
        failedStep: z.string().optional(),
      })
      .optional(),
    owner: owner.optional(),
    nextCheckAt: time.optional(),
    messageForModel: z.string(),
  })
  .meta({ id: 'Workflow', description: 'A workflow as it is now, and what became of it.' });

export const workflowRowForm = z
  .strictObject({
    workflow: z.string(),
    tenant: z.string(),
    name: z.string().optional(),
    run: z.string().optional(),
    status: workflowStatus,
    steps: z.number().int(),
    startedAt: time,
    updatedAt: time,
    revision,
    owner: owner.optional(),
    nextCheckAt: time.optional(),
  })
  .meta({ id: 'WorkflowRow' });
