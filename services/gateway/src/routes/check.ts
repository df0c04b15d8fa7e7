// POST /v1/actions/{id}/check: an unknown is looked up now, whatever its next check.
import { z } from 'zod';
import { aim, commanded } from '../command-route.ts';
import { commandsAction } from '../command-shape.ts';
import { commandDone, revisionSeen } from '../forms/command-forms.ts';
import { route } from '../route.ts';

export const check = route({
  ...commandsAction,
  name: 'check',
  path: '/v1/actions/{id}/check',
  summary: 'Look an unknown up now',
  body: z.strictObject({ revisionSeen }).meta({ id: 'CheckRequest' }),
  requestExample: { revisionSeen: 3 },
  answers: { 200: { ...commandDone, description: 'It was looked at; the action as it now is.' } },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const performed = await door.ledger.checkNow({
      actionId: aimed.action.id,
      by: asked.principal.name,
      revisionSeen: aimed.revisionSeen,
    });
    return commanded(door, aimed.action, performed);
  },
});
