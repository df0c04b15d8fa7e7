// POST /v1/actions/{id}/repeat: a settled action once more, deliberately, as the next epoch.
import { z } from 'zod';
import { aimAtCurrent, proposed } from '../command-route.ts';
import {
  commandProblems,
  ifMatch,
  ofAction,
  reason,
  revisionSeen,
} from '../forms/command-forms.ts';
import { object } from '../forms/json.ts';
import { waitOf } from '../request-headers.ts';
import { route } from '../route.ts';
import { proposalAnswers } from './proposal-answers.ts';

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
  name: 'repeat',
  method: 'POST',
  path: '/v1/actions/{id}/repeat',
  tag: 'people',
  summary: 'Do a settled action once more',
  description:
    'Opens the next epoch. Said again with the same arguments, it is a repeat of itself.',
  params: ofAction,
  headers: ifMatch,
  body,
  requestExample: { reason: 'the customer wants it again', revisionSeen: 3 },
  answers: proposalAnswers,
  problems: [...commandProblems, 422],
  handle: async (door, asked) => {
    const aimed = await aimAtCurrent(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const { reason: why, arguments: args, confirmedDouble } = asked.body;
    const answer = await door.ledger.repeat({
      of: aimed.action.id,
      by: asked.principal.name,
      tenant: asked.principal.tenant,
      reason: why,
      waitMs: waitOf(asked.headers, door.limits).waitMs,
      ...(args === undefined ? {} : { arguments: args }),
      ...(confirmedDouble === undefined ? {} : { confirmedDouble }),
    });
    return proposed(door, aimed.action, answer);
  },
});
