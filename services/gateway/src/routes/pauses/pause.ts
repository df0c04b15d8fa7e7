// POST /v1/pauses: nothing new of a tool, or of the tenant, until it is resumed.
import { z } from 'zod';
import { pauseAnswer, pauseScope } from '../../forms/ledger-forms.ts';
import { reason } from '../../forms/command-forms.ts';
import { reachOf } from '../../reach.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

export const pause = route({
  name: 'pause',
  method: 'POST',
  path: '/v1/pauses',
  tag: 'people',
  summary: 'Take nothing new, of a tool or of the tenant',
  description:
    'New proposals are refused and nothing is sent; repeats are answered and lookups go on. Said again of the same scope, the first one stands.',
  body: z.strictObject({ ...pauseScope, reason }).meta({ id: 'PauseRequest' }),
  requestExample: { tool: 'refund', reason: 'the bank is down' },
  answers: { 200: { description: 'The pause of this scope.', schema: pauseAnswer } },
  problems: [409],
  handle: async ({ ledger }, { principal, body }) => {
    const reach = reachOf(principal, body);
    if (reach.kind === 'no') return reach.answer;
    const scope = withoutMissing({ tenant: reach.tenant, tool: body.tool });
    const paused = await ledger.pause({ ...scope, by: principal.name, reason: body.reason });
    return 'kind' in paused ? refusedByLedger(paused) : { status: 200, body: { pause: paused } };
  },
});
