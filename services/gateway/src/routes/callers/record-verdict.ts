// POST /v1/actions/{id}/verdict: what a lookup that was handed out has found.
import { z } from 'zod';
import { problem } from '../../answers/http-answer.ts';
import { refusedCommand } from '../../answers/performed.ts';
import { answerForm } from '../../forms/action-forms.ts';
import { lookedUpForm, lookedUpFrom, lookupName } from '../../forms/caller-forms.ts';
import { ofAction } from '../../forms/command-forms.ts';
import { revision } from '../../forms/json.ts';
import { ownAction } from '../../own-action.ts';
import { route } from '../../route.ts';

const body = z
  .strictObject({ revision, lookup: lookupName.optional(), outcome: lookedUpForm })
  .meta({ id: 'VerdictReport' });

const taken = z.strictObject({ answer: answerForm }).meta({ id: 'VerdictTaken' });

export const recordVerdict = route({
  name: 'recordVerdict',
  method: 'POST',
  path: '/v1/actions/{id}/verdict',
  tag: 'callers',
  summary: 'Answer an open unknown by its lookup',
  description:
    '`revision` is that of the lookup as it was handed out: where the action has moved since, 412, save that an effect found of what is no longer unknown is recorded all the same. `absent` counts only from a lookup that was handed out after the waits: name it as `lookup`.',
  params: ofAction,
  body,
  requestExample: {
    revision: 3,
    lookup: '0a4d',
    outcome: { verdict: 'found', externalId: 're_1' },
  },
  answers: { 200: { description: 'On record.', schema: taken } },
  problems: [404, 412],
  problemHeaders: { 412: ['ETag'] },
  handle: async (door, { principal, params, body: said }) => {
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const came = await door.ledger.callers.verdict({
      actionId: own.action.id,
      revisionRead: said.revision,
      ...(said.lookup === undefined ? {} : { lookup: said.lookup }),
      outcome: lookedUpFrom(said.outcome),
    });
    if (came.kind === 'broken') return problem('stream.broken');
    if (came.kind === 'refusal')
      return came.code === 'action.unknown'
        ? problem('action.unknown')
        : refusedCommand(came, own.action);
    return { status: 200, body: { answer: came.answer } };
  },
});
