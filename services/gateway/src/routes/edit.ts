// POST /v1/actions/{id}/edit: another action takes the place of one that has not been sent.
import { z } from 'zod';
import { aim, proposed } from '../command-route.ts';
import { bringsAbout } from '../command-shape.ts';
import { reason, revisionSeen } from '../forms/command-forms.ts';
import { object, text } from '../forms/json.ts';
import { preferring } from '../preferring.ts';
import { waitOf } from '../request-headers.ts';
import { route } from '../route.ts';

const body = z
  .strictObject({
    arguments: object.meta({ description: 'The whole of the new arguments.' }),
    reason,
    revisionSeen,
    tool: text.optional().meta({ description: "The action's own; another one is refused." }),
  })
  .meta({ id: 'EditRequest' });

export const edit = route({
  ...bringsAbout,
  name: 'edit',
  path: '/v1/actions/{id}/edit',
  summary: 'Change the arguments of an action that has not been sent',
  description: 'The action ends in favour of a new one, whose outcome its callers get.',
  body,
  requestExample: {
    arguments: { order: 'A-1', cents: 400 },
    reason: 'only four were broken',
    revisionSeen: 1,
  },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const { arguments: args, reason: why, tool } = asked.body;
    const wait = waitOf(asked.headers, door.limits);
    const answer = await door.ledger.edit({
      actionId: aimed.action.id,
      by: asked.principal.name,
      reason: why,
      revisionSeen: aimed.revisionSeen,
      arguments: args,
      waitMs: wait.waitMs,
      ...(tool === undefined ? {} : { tool }),
    });
    return preferring(await proposed(door, aimed.action, answer), wait);
  },
});
