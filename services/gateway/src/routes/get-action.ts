// GET /v1/actions/{id}: the action as it is now.
import { z } from 'zod';
import { isFinished, retryAfterS } from '../answers/answer-status.ts';
import { etagOf, viewOf } from '../answers/action-view.ts';
import { actionForm } from '../forms/action-forms.ts';
import { actionId } from '../forms/json.ts';
import { preferWait } from '../forms/command-forms.ts';
import { ownAction } from '../own-action.ts';
import { preferredWait } from '../request-headers.ts';
import { route } from '../route.ts';

export const getAction = route({
  name: 'getAction',
  method: 'GET',
  path: '/v1/actions/{id}',
  tag: 'actions',
  summary: 'An action as it is now',
  description:
    '`Prefer: wait=N` holds the answer up to N seconds, until nothing more is expected to happen by then.',
  headers: preferWait,
  params: z.strictObject({ id: actionId }),
  answers: {
    200: {
      description: 'The action. `Retry-After` where it is not finished.',
      schema: actionForm,
      headers: ['ETag', 'Retry-After', 'Preference-Applied'],
    },
  },
  problems: [404],
  handle: async (door, { principal, params, headers }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const { waitMs, applied } = preferredWait(headers, door.limits);
    const rested = waitMs === 0 ? own.action : await door.ledger.rest(own.action.id, waitMs);
    const action = rested ?? own.action;
    const view = viewOf(action);
    const retry = isFinished(view)
      ? {}
      : { 'retry-after': String(retryAfterS(view, door.runtime.clock.wallMs())) };
    return { status: 200, body: view, headers: { etag: etagOf(action), ...retry, ...applied } };
  },
});
