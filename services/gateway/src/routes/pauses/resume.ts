// POST /v1/pauses/resume: the pause of a scope ends, if it is still the one that was seen.
import { z } from 'zod';
import { type Pause, type PauseScope } from '@action-ledger/application';
import { problem } from '../../answers/http-answer.ts';
import { pauseAnswer, pauseScope } from '../../forms/ledger-forms.ts';
import { reason } from '../../forms/command-forms.ts';
import { reachOf } from '../../reach.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';

export const resume = route({
  name: 'resume',
  method: 'POST',
  path: '/v1/pauses/resume',
  tag: 'people',
  summary: 'End a pause',
  description:
    'What it held back goes on. The scope is that of the pause, exactly. One without a `tenant` is of every tenant: only the owner of the machine ends it.',
  body: z
    .strictObject({
      ...pauseScope,
      reason,
      revisionSeen: z
        .number()
        .int()
        .meta({ description: 'The `revision` of the pause that you saw.' }),
    })
    .meta({ id: 'ResumeRequest' }),
  requestExample: { tool: 'refund', reason: 'the bank is up again', revisionSeen: 0 },
  answers: { 200: { description: 'The pause that has ended.', schema: pauseAnswer } },
  problems: [404, 412],
  handle: async ({ ledger }, { principal, body }) => {
    const reach = reachOf(principal, body);
    if (reach.kind === 'no') return reach.answer;
    const scope = withoutMissing({ tenant: reach.tenant, tool: body.tool });
    const { reason: why, revisionSeen } = body;
    const ended = await ledger.resume({ ...scope, by: principal.name, reason: why, revisionSeen });
    if (!('kind' in ended)) return { status: 200, body: { pause: ended } };
    return ended.code === 'pause.none' && isOfEveryTenant(scope, ledger.pauses())
      ? problem('access.forbidden', { detail: ofEveryTenant })
      : refusedByLedger(ended);
  },
});

const ofEveryTenant =
  'This pause is of every tenant: only the owner of the machine ends it, there, with the command line.';

/** What the list shows is there: it is another's to end. */
function isOfEveryTenant({ tenant, tool }: PauseScope, pauses: readonly Pause[]): boolean {
  if (tenant === undefined) return false;
  return pauses.some((pause) => pause.tenant === undefined && pause.tool === tool);
}
