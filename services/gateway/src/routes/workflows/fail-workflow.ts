// POST /v1/workflows/{id}/fail: its program gives up, and what it has done is undone in reverse.
import { z } from 'zod';
import { prefer, reason } from '../../forms/command-forms.ts';
import { waitOf } from '../../request-headers.ts';
import { route } from '../../route.ts';
import { movedWorkflow, ofOneWorkflow, ownWorkflow } from '../../workflow-route.ts';

export const failWorkflow = route({
  ...ofOneWorkflow,
  name: 'failWorkflow',
  method: 'POST',
  path: '/v1/workflows/{id}/fail',
  summary: 'Say that a workflow has failed: its steps are undone',
  description:
    'One that is being undone, or was, is answered as it is. One that is complete stays done: 409.',
  headers: z.object(prefer),
  body: z.strictObject({ reason }).meta({ id: 'FailWorkflowRequest' }),
  requestExample: { reason: 'the traveller has changed their mind' },
  problems: [404, 409],
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const failed = await door.ledger.workflows.fail(own.workflow.id, asked.body.reason);
    return movedWorkflow(door, failed, waitOf(asked.headers, door.limits));
  },
});
