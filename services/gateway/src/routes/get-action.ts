// GET /v1/actions/{id}: the action as it is now.
import { z } from 'zod';
import { isFinished, retryAfterS } from '../answers/answer-status.ts';
import { etagOf, viewOf } from '../answers/action-view.ts';
import { actionForm } from '../forms/action-forms.ts';
import { actionId } from '../forms/json.ts';
import { ownAction } from '../own-action.ts';
import { route } from '../route.ts';

export const getAction = route({
  name: 'getAction',
  method: 'GET',
  path: '/v1/actions/{id}',
  tag: 'actions',
  summary: 'An action as it is now',
  params: z.strictObject({ id: actionId }),
  answers: {
    200: {
      description: 'The action. `Retry-After` where it is not finished.',
      schema: actionForm,
      headers: ['ETag', 'Retry-After'],
    },
  },
  problems: [404],
  handle: async (door, { principal, params }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const view = viewOf(own.action);
    const retry = isFinished(view)
      ? {}
      : { 'retry-after': String(retryAfterS(view, door.runtime.clock.wallMs())) };
    return { status: 200, body: view, headers: { etag: etagOf(own.action), ...retry } };
  },
});
