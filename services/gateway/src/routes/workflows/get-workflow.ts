// GET /v1/workflows/{id}: a workflow as it is now, with its steps.
import { z } from 'zod';
import { etagOf } from '../../answers/action-view.ts';
import { workflowView } from '../../answers/workflow-view.ts';
import { preferWait } from '../../forms/command-forms.ts';
import { ofWorkflow, workflowForm } from '../../forms/workflow-forms.ts';
import { preferredWait } from '../../request-headers.ts';
import { route } from '../../route.ts';
import { ownWorkflow } from '../../workflow-route.ts';

export const getWorkflow = route({
  name: 'getWorkflow',
  method: 'GET',
  path: '/v1/workflows/{id}',
  tag: 'workflows',
  summary: 'A workflow as it is now',
  description: '`Prefer: wait=N` holds the answer up to N seconds while it is being undone.',
  headers: preferWait,
  params: ofWorkflow,
  query: z.strictObject({}),
  answers: {
    200: {
      description: 'The workflow.',
      schema: workflowForm,
      headers: ['ETag', 'Preference-Applied'],
    },
  },
  problems: [404],
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const { waitMs, applied } = preferredWait(asked.headers, door.limits);
    const rested =
      waitMs === 0 ? undefined : await door.ledger.workflows.rest(own.workflow.id, waitMs);
    const workflow = rested ?? own.workflow;
    const headers = { etag: etagOf(workflow), ...applied };
    return { status: 200, body: workflowView(workflow), headers };
  },
});
