// POST /v1/keys: a key for one tenant. For the owner of the machine alone: whoever makes keys can give
// themselves every role and vote under every name.
import { roles } from '@action-ledger/access';
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { text, time } from '../../forms/json.ts';
import { keyForm } from '../../forms/ledger-forms.ts';
import { keyView } from '../../keys-door.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

const made = z
  .strictObject({
    text: z.string().meta({ description: 'Shown this once: only its hash is kept.' }),
    key: keyForm,
  })
  .meta({ id: 'MadeKey' });

export const createKey = route({
  name: 'createKey',
  method: 'POST',
  path: '/v1/keys',
  tag: 'people',
  summary: 'Make an API key',
  description:
    'On the machine of the ledger only (`action-ledger keys create`): whoever makes keys can give themselves every role, and vote under every name.',
  body: z
    .strictObject({
      name: text.meta({ description: 'Who holds it, as it stands on record.' }),
      roles: z.array(z.enum(roles)).min(1).max(roles.length),
      tenant: text.optional(),
      expiresAt: time.optional(),
    })
    .meta({ id: 'CreateKeyRequest' }),
  requestExample: { name: 'billing agent', roles: ['proposer'] },
  answers: { 201: { description: 'The key.', schema: made } },
  problems: [404, 409],
  handle: async ({ keys }, { principal, body }) => {
    if (keys === undefined) return problem('route.unknown');
    const { tenant = principal.tenant, name, roles: held, expiresAt } = body;
    const created = await keys.create({
      name,
      tenant,
      roles: held,
      by: principal.name,
      ...withoutMissing({ expiresAt }),
    });
    if (created.kind === 'refusal') return refusedByLedger(created);
    return { status: 201, body: { text: created.text, key: keyView(created.key) } };
  },
});
