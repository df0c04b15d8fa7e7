// POST /v1/workflows/{id}/complete: all of it is done, and stays done.
import { z } from 'zod';
import { json } from '../../forms/json.ts';
import { route } from '../../route.ts';
import { movedWorkflow, ofOneWorkflow, ownWorkflow } from '../../workflow-route.ts';

export const completeWorkflow = route({
  ...ofOneWorkflow,
  name: 'completeWorkflow',
  method: 'POST',
  path: '/v1/workflows/{id}/complete',
  summary: 'Say that a workflow is complete',
  description:
    'Said again, it is answered from the record; with another result it is refused. One that is being undone is answered as it is.',
  body: z.strictObject({ result: json.optional() }).meta({ id: 'CompleteWorkflowRequest' }),
  requestExample: { result: { booked: true } },
  problems: [404, 409, 422],
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const completed = await door.ledger.workflows.complete(own.workflow.id, asked.body.result);
    return movedWorkflow(door, completed, { waitMs: 0, applied: {} });
  },
});
