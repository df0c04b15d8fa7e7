// POST /v1/actions/{id}/check: an unknown is looked up now, whatever its next check.
import { z } from 'zod';
import { actionReply } from '../answers/performed.ts';
import { problem } from '../answers/http-answer.ts';
import { aimAtCurrent } from '../command-route.ts';
import {
  commandDone,
  commandProblems,
  ifMatch,
  ofAction,
  revisionSeen,
} from '../forms/command-forms.ts';
import { route } from '../route.ts';

export const check = route({
  name: 'check',
  method: 'POST',
  path: '/v1/actions/{id}/check',
  tag: 'people',
  summary: 'Look an unknown up now',
  params: ofAction,
  headers: ifMatch,
  body: z.strictObject({ revisionSeen }).meta({ id: 'CheckRequest' }),
  requestExample: { revisionSeen: 3 },
  answers: { 200: { ...commandDone, description: 'It was looked at; the action as it now is.' } },
  problems: commandProblems,
  handle: async (door, asked) => {
    const aimed = await aimAtCurrent(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    await door.ledger.checkNow(aimed.action.id);
    const loaded = await door.ledger.load(aimed.action.id);
    return loaded.kind === 'action' ? actionReply(loaded.action) : problem('stream.broken');
  },
});
