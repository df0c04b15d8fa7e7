// POST /v1/actions/{id}/claim: an action that is due is claimed and dispatched in the caller's name.
import { z } from 'zod';
import { workerOf } from '../../caller-worker.ts';
import { dispatchForm, worker } from '../../forms/caller-forms.ts';
import { ofAction } from '../../forms/command-forms.ts';
import { ownAction } from '../../own-action.ts';
import { route } from '../../route.ts';

const holding = z.boolean().optional().meta({
  description:
    'The caller has the secret arguments of the action; without them it is not handed one.',
});

const taken = z
  .strictObject({ dispatch: dispatchForm.optional() })
  .meta({ id: 'Taken', description: 'Without a dispatch there is nothing to send now.' });

export const takeAction = route({
  name: 'takeAction',
  method: 'POST',
  path: '/v1/actions/{id}/claim',
  tag: 'callers',
  summary: 'Take on an action that is due',
  description:
    'Policy, approval, pauses and limits are looked at again. Said again by the same worker, it is the same dispatch.',
  params: ofAction,
  body: z.strictObject({ worker, holding }).meta({ id: 'ClaimRequest' }),
  requestExample: { worker: '3f0c9a1e' },
  answers: { 200: { description: 'Yours, or not.', schema: taken } },
  problems: [404],
  handle: async (door, { principal, params, body }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const caller = {
      worker: workerOf(principal, body.worker),
      holding: body.holding === true,
    };
    const dispatch = await door.ledger.callers.take(own.action.id, caller);
    return { status: 200, body: dispatch === undefined ? {} : { dispatch } };
  },
});
