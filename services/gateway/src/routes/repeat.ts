// POST /v1/actions/{id}/repeat: a settled action once more, deliberately, as the next epoch.
import { z } from 'zod';
import { aim, proposed } from '../command-route.ts';
import { bringsAbout } from '../command-shape.ts';
import { commandProblems, reason, revisionSeen } from '../forms/command-forms.ts';
import { object } from '../forms/json.ts';
import { preferring } from '../preferring.ts';
import { waitOf } from '../request-headers.ts';
import { route } from '../route.ts';

const body = z
  .strictObject({
    reason,
    revisionSeen,
    arguments: object.optional().meta({ description: 'Other ones; default: the same.' }),
    confirmedDouble: z
      .boolean()
      .optional()
      .meta({ description: 'You know that a forced ending may have had its effect.' }),
  })
  .meta({ id: 'RepeatRequest' });

export const repeat = route({
  ...bringsAbout,
  name: 'repeat',
  path: '/v1/actions/{id}/repeat',
  summary: 'Do a settled action once more',
  description:
    'Opens the next epoch. Said again with the same arguments, it is a repeat of itself.',
  problems: [...commandProblems, 422],
  problemHeaders: { ...bringsAbout.problemHeaders, 422: ['Location', 'ETag'] },
  body,
  requestExample: { reason: 'the customer wants it again', revisionSeen: 3 },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const { reason: why, arguments: args, confirmedDouble } = asked.body;
    const wait = waitOf(asked.headers, door.limits);
    const answer = await door.ledger.repeat({
      of: aimed.action.id,
      by: asked.principal.name,
      tenant: asked.principal.tenant,
      reason: why,
      revisionSeen: aimed.revisionSeen,
      waitMs: wait.waitMs,
      ...(args === undefined ? {} : { arguments: args }),
      ...(confirmedDouble === undefined ? {} : { confirmedDouble }),
    });
    return preferring(await proposed(door, aimed.action, answer), wait);
  },
});
