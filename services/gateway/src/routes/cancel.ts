// POST /v1/actions/{id}/cancel: nothing is sent any more. While an attempt is in doubt the wish is kept.
import { z } from 'zod';
import { aim, commanded } from '../command-route.ts';
import {
  commandDone,
  commandProblems,
  ifMatch,
  ofAction,
  reason,
  revisionSeen,
} from '../forms/command-forms.ts';
import { route } from '../route.ts';

export const cancel = route({
  name: 'cancel',
  method: 'POST',
  path: '/v1/actions/{id}/cancel',
  tag: 'people',
  summary: 'Cancel an action',
  description:
    'Where an attempt is under way or in doubt the wish is kept: nothing is sent again, and proven absence ends it as cancelled.',
  params: ofAction,
  headers: ifMatch,
  body: z.strictObject({ reason, revisionSeen }).meta({ id: 'CancelRequest' }),
  requestExample: { reason: 'ordered twice', revisionSeen: 1 },
  answers: { 200: commandDone },
  problems: commandProblems,
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
