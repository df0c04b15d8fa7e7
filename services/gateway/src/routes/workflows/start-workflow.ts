// POST /v1/workflows: a workflow begins, or goes on with what is on record.
import { z } from 'zod';
import { etagOf } from '../../answers/action-view.ts';
import { workflowView } from '../../answers/workflow-view.ts';
import { json, text } from '../../forms/json.ts';
import { onFailedCompensation, workflowForm } from '../../forms/workflow-forms.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route, type SuccessDoc } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

const body = z
  .strictObject({
    id: text.optional().meta({ description: 'Your own; without it: the one of the run.' }),
    run: text.optional(),
    conversation: text.optional(),
    input: json
      .optional()
      .meta({ description: 'Started again with another one, it is a conflict.' }),
    onFailedCompensation,
    abandonedAfterMs: z
      .number()
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Without anything new for so long it is taken for abandoned: 24 h.' }),
    whenAbandoned: z.enum(['operator', 'compensate']).optional(),
  })
  .meta({ id: 'StartWorkflowRequest' });

const started: SuccessDoc = {
  description: 'It has started.',
  schema: workflowForm,
  headers: ['ETag', 'Location'],
};

export const startWorkflow = route({
  name: 'startWorkflow',
  method: 'POST',
  path: '/v1/workflows',
  tag: 'workflows',
  summary: 'Start a workflow, or go on with it',
  description:
    'Take its steps one after another, then say that it is complete or has failed: then its steps are undone in reverse. After a crash start it again with the same id, and take the same steps: each is answered from the record.',
  body,
  requestExample: { id: 'trip-7', input: { traveller: 'ann' } },
  answers: {
    200: {
      ...started,
      description: 'It was started before.',
      headers: [...(started.headers ?? []), 'Idempotent-Replayed'],
    },
    201: started,
  },
  problems: [422],
  handle: async ({ ledger }, { principal, body: asked }) => {
    const answer = await ledger.workflows.start({
      ...withoutMissing(asked),
      tenant: principal.tenant,
      by: principal.name,
    });
    if (answer.kind === 'refusal') return refusedByLedger(answer);
    const { workflow, repeat } = answer;
    return {
      status: repeat ? 200 : 201,
      body: workflowView(workflow, !repeat),
      headers: {
        etag: etagOf(workflow),
        location: `/v1/workflows/${workflow.id}`,
        ...(repeat ? { 'idempotent-replayed': 'true' } : {}),
      },
    };
  },
});
