// GET /v1/keys: who holds which key of the tenant.
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { flag } from '../../forms/json.ts';
import { keyForm } from '../../forms/ledger-forms.ts';
import { keyView } from '../../keys-door.ts';
import { reachOf } from '../../reach.ts';
import { route } from '../../route.ts';

const list = z.strictObject({ keys: z.array(keyForm) }).meta({ id: 'KeyList' });

export const listKeys = route({
  name: 'listKeys',
  method: 'GET',
  path: '/v1/keys',
  tag: 'people',
  summary: 'API keys of the tenant, oldest first',
  query: z.strictObject({
    everyTenant: flag.meta({ description: 'Those of every tenant: for the owner of the machine.' }),
  }),
  answers: { 200: { description: 'The keys, never their text.', schema: list } },
  problems: [404],
  handle: async ({ keys }, { principal, query }) => {
    const reach = reachOf(principal, query);
    if (reach.kind === 'no') return reach.answer;
    if (keys === undefined) return problem('route.unknown');
    const { tenant } = reach;
    const found = (await keys.list()).filter(
      (key) => tenant === undefined || key.tenant === tenant,
    );
    return { status: 200, body: { keys: found.map(keyView) } };
  },
});
