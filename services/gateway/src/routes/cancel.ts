// POST /v1/actions/{id}/cancel: nothing is sent any more. While an attempt is in doubt the wish is kept.
import { z } from 'zod';
import { aim, commanded } from '../command-route.ts';
import { commandsAction } from '../command-shape.ts';
import { reason, revisionSeen } from '../forms/command-forms.ts';
import { route } from '../route.ts';

export const cancel = route({
  ...commandsAction,
  name: 'cancel',
  path: '/v1/actions/{id}/cancel',
  summary: 'Cancel an action',
  description:
    'Where an attempt is under way or in doubt the wish is kept: nothing is sent again, and proven absence ends it as cancelled.',
  body: z.strictObject({ reason, revisionSeen }).meta({ id: 'CancelRequest' }),
  requestExample: { reason: 'ordered twice', revisionSeen: 1 },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const performed = await door.ledger.cancel({
      actionId: aimed.action.id,
      by: asked.principal.name,
      reason: asked.body.reason,
      revisionSeen: aimed.revisionSeen,
    });
    return commanded(door, aimed.action, performed);
  },
});
