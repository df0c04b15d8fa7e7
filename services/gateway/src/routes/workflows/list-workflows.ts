// GET /v1/workflows: the tenant's workflows, newest first.
import { z } from 'zod';
import { count, flag, text } from '../../forms/json.ts';
import { workflowRowForm, workflowStatus } from '../../forms/workflow-forms.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

const list = z.strictObject({ workflows: z.array(workflowRowForm) }).meta({ id: 'WorkflowList' });

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
  }),
  answers: { 200: { description: 'The newest ones.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const { tenant } = principal;
    const workflows = ledger.workflows.list({ ...withoutMissing(query), tenant });
    return Promise.resolve({ status: 200, body: { workflows } });
  },
});
