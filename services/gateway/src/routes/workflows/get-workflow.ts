// GET /v1/workflows/{id}: a workflow as it is now, with its steps.
import { z } from 'zod';
import { etagOf } from '../../answers/action-view.ts';
import { workflowView } from '../../answers/workflow-view.ts';
import { ofWorkflow, workflowForm } from '../../forms/workflow-forms.ts';
import { route } from '../../route.ts';
import { ownWorkflow } from '../../workflow-route.ts';

export const getWorkflow = route({
  name: 'getWorkflow',
  method: 'GET',
  path: '/v1/workflows/{id}',
  tag: 'workflows',
  summary: 'A workflow as it is now',
  params: ofWorkflow,
  query: z.strictObject({}),
  answers: { 200: { description: 'The workflow.', schema: workflowForm, headers: ['ETag'] } },
  problems: [404],
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const { workflow } = own;
    return { status: 200, body: workflowView(workflow), headers: { etag: etagOf(workflow) } };
  },
});
