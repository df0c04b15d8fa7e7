// POST /v1/actions/{id}/claim/extend: calls that outlast their lease keep it.
import { z } from 'zod';
import { refusedCommand } from '../../answers/performed.ts';
import { problem } from '../../answers/http-answer.ts';
import { workerOf } from '../../caller-worker.ts';
import { claim, leaseLeftMs, worker } from '../../forms/caller-forms.ts';
import { ofAction } from '../../forms/command-forms.ts';
import { time } from '../../forms/json.ts';
import { ownAction } from '../../own-action.ts';
import { route } from '../../route.ts';

const extended = z.strictObject({ leaseUntil: time, leaseLeftMs }).meta({ id: 'Extended' });

export const extendClaim = route({
  name: 'extendClaim',
  method: 'POST',
  path: '/v1/actions/{id}/claim/extend',
  tag: 'callers',
  summary: 'Keep a claim for another lease',
  description: '409 says that it is lost: send nothing more.',
  params: ofAction,
  body: z.strictObject({ worker, claim }).meta({ id: 'ExtendRequest' }),
  requestExample: { worker: '3f0c9a1e', claim: 1 },
  answers: { 200: { description: 'It is yours until then.', schema: extended } },
  problems: [404, 409],
  problemHeaders: { 409: ['ETag'] },
  handle: async (door, { principal, params, body }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const actionId = own.action.id;
    const held = { actionId, worker: workerOf(principal, body.worker), claim: body.claim };
    const came = await door.ledger.callers.extend(held);
    if (came.kind === 'broken') return problem('stream.broken');
    if (came.kind === 'refusal') return refusedCommand(came, own.action);
    const { kind: _kind, ...kept } = came;
    return { status: 200, body: kept };
  },
});
