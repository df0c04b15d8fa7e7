// POST /v1/actions/{id}/incidents/{incident}/close
import { z } from 'zod';
import { aim, commanded } from '../command-route.ts';
import { commandsAction } from '../command-shape.ts';
import { reason, revisionSeen } from '../forms/command-forms.ts';
import { actionId } from '../forms/json.ts';
import { route } from '../route.ts';

export const closeIncident = route({
  ...commandsAction,
  name: 'closeIncident',
  path: '/v1/actions/{id}/incidents/{incident}/close',
  summary: 'Close an incident',
  params: z.strictObject({
    id: actionId,
    incident: z
      .string()
      .max(300)
      .meta({ examples: ['late-success-7'] }),
  }),
  body: z.strictObject({ reason, revisionSeen }).meta({ id: 'CloseIncidentRequest' }),
  requestExample: { reason: 'refunded by hand', revisionSeen: 9 },
  problems: [404, 412],
  problemHeaders: { 400: ['ETag'], 404: ['ETag'], 412: ['ETag'] },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const performed = await door.ledger.closeIncident({
      actionId: aimed.action.id,
      incident: asked.params.incident,
      by: asked.principal.name,
      reason: asked.body.reason,
      revisionSeen: aimed.revisionSeen,
    });
    return commanded(door, aimed.action, performed);
  },
});
