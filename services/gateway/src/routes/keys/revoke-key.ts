// POST /v1/keys/{key}/revoke: nobody comes in by it any more. It cannot be taken back, so there is nothing
// that its author could have missed: no revision is named.
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { reason } from '../../forms/command-forms.ts';
import { keyAnswer } from '../../forms/ledger-forms.ts';
import { keyView } from '../../keys-door.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route } from '../../route.ts';

export const revokeKey = route({
  name: 'revokeKey',
  method: 'POST',
  path: '/v1/keys/{key}/revoke',
  tag: 'people',
  summary: 'Let nobody in by a key any more',
  description: 'At once. Said again, the first one stands.',
  params: z.strictObject({ key: z.string().max(100) }),
  body: z.strictObject({ reason }).meta({ id: 'RevokeKeyRequest' }),
  requestExample: { reason: 'leaked' },
  answers: { 200: { description: 'The key, with who ended it and why.', schema: keyAnswer } },
  problems: [404],
  handle: async ({ keys }, { principal, params, body }) => {
    if (keys === undefined) return problem('route.unknown');
    const revoked = await keys.revoke({
      id: params.key,
      by: principal.name,
      reason: body.reason,
      ...(principal.isOwner === true ? {} : { tenant: principal.tenant }),
    });
    if (revoked.kind === 'refusal') return refusedByLedger(revoked);
    return { status: 200, body: { key: keyView(revoked.key) } };
  },
});
