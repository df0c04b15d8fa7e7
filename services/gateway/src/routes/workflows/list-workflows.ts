// GET /v1/workflows: the tenant's workflows, newest first.
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { cursorOfWorkflow, placeOfCursor } from '../../cursor.ts';
import { count, flag, text } from '../../forms/json.ts';
import { workflowRowForm, workflowStatus } from '../../forms/workflow-forms.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

const list = z
  .strictObject({
    workflows: z.array(workflowRowForm),
    next: z.string().optional().meta({ description: 'The cursor of the next page, if any.' }),
  })
  .meta({ id: 'WorkflowList' });

export const listWorkflows = route({
  name: 'listWorkflows',
  method: 'GET',
  path: '/v1/workflows',
  tag: 'workflows',
  summary: 'List workflows, newest first',
  query: z.strictObject({
    status: workflowStatus.optional(),
    run: text.optional(),
    open: flag.meta({ description: 'Only those that go on, or that a person has to look at.' }),
    limit: count(1_000, 50),
    cursor: text.optional().meta({ description: '`next` of the page before.' }),
  }),
  answers: { 200: { description: 'A page.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const { limit, cursor, ...filters } = query;
    const place = cursor === undefined ? undefined : placeOfCursor(cursor);
    if (cursor !== undefined && place === undefined) return problem('request.cursor');
    const found = ledger.workflows.list({
      ...withoutMissing(filters),
      tenant: principal.tenant,
      limit: limit + 1,
      ...(place === undefined ? {} : { after: { startedAt: place.at, workflow: place.action } }),
    });
    const workflows = found.slice(0, limit);
    const last = workflows.at(-1);
    const next = found.length > limit && last ? cursorOfWorkflow(last) : undefined;
    return { status: 200, body: { workflows, ...(next === undefined ? {} : { next }) } };
  },
});
