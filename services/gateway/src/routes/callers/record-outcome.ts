// POST /v1/actions/{id}/outcome: what became of an attempt, by the caller that holds its claim.
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { refusedCommand } from '../../answers/performed.ts';
import { workerOf } from '../../caller-worker.ts';
import { answerForm } from '../../forms/action-forms.ts';
import {
  attemptNumber,
  claim,
  outcomeForm,
  outcomeFrom,
  worker,
} from '../../forms/caller-forms.ts';
import { ofAction } from '../../forms/command-forms.ts';
import { ownAction } from '../../own-action.ts';
import { route } from '../../route.ts';

const body = z
  .strictObject({ worker, claim, attempt: attemptNumber, outcome: outcomeForm })
  .meta({ id: 'OutcomeReport' });

const taken = z
  .strictObject({
    kind: z.enum(['outcome', 'evidence']).meta({
      description: '`evidence`: the claim was lost, or it was said otherwise before.',
    }),
    answer: answerForm,
  })
  .meta({ id: 'OutcomeTaken' });

export const recordOutcome = route({
  name: 'recordOutcome',
  method: 'POST',
  path: '/v1/actions/{id}/outcome',
  tag: 'callers',
  summary: 'Report the outcome of an attempt',
  description:
    'Say it again until it is answered: the same outcome twice is once. Only the holder of the claim settles anything; from anyone else it is evidence.',
  params: ofAction,
  body,
  requestExample: {
    worker: '3f0c9a1e',
    claim: 1,
    attempt: 1,
    outcome: { kind: 'succeeded', result: { refund: 're_1' }, externalId: 're_1' },
  },
  answers: { 200: { description: 'On record; the answer is as a call gets it.', schema: taken } },
  problems: [404, 409],
  problemHeaders: { 409: ['ETag'] },
  handle: async (door, { principal, params, body: said }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    // Of a damaged record nothing moves, and what is said of it is kept apart.
    if (own.kind === 'no' && own.answer.status !== 503) return own.answer;
    const came = await door.ledger.callers.outcome({
      actionId: params.id,
      worker: workerOf(principal, said.worker),
      by: principal.name,
      claim: said.claim,
      attempt: said.attempt,
      outcome: outcomeFrom(said.outcome),
    });
    if (came.kind === 'broken' || own.kind === 'no') return problem('stream.broken');
    if (came.kind === 'refusal') return refusedCommand(came, own.action);
    return { status: 200, body: came };
  },
});
