// GET /v1/pauses: what takes nothing new, as far as it concerns who asks.
import { z } from 'zod';
import { pauseForm } from '../../forms/ledger-forms.ts';
import { flag } from '../../forms/json.ts';
import { reachOf } from '../../reach.ts';
import { route } from '../../route.ts';

const list = z.strictObject({ pauses: z.array(pauseForm) }).meta({ id: 'PauseList' });

export const listPauses = route({
  name: 'listPauses',
  method: 'GET',
  path: '/v1/pauses',
  tag: 'people',
  summary: 'What is paused, oldest first',
  description:
    'Of your tenant, which its operator ends, and what is paused for every tenant, which only the owner of the machine ends.',
  query: z.strictObject({
    everyTenant: flag.meta({ description: 'Those of every tenant: for the owner of the machine.' }),
  }),
  answers: { 200: { description: 'The pauses.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const reach = reachOf(principal, query);
    if (reach.kind === 'no') return reach.answer;
    const { tenant } = reach;
    const pauses = ledger
      .pauses()
      .filter(
        (each) => tenant === undefined || each.tenant === undefined || each.tenant === tenant,
      );
    return Promise.resolve({ status: 200, body: { pauses } });
  },
});
