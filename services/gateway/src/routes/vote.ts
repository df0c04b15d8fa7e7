// POST /v1/actions/{id}/votes: approve or reject. A vote is bound to the arguments that were seen.
import { z } from 'zod';
import { type Performed } from '@action-ledger/application';
import { type Action } from '@action-ledger/domain';
import { etagOf, viewOf } from '../answers/action-view.ts';
import { type HttpAnswer } from '../answers/http-answer.ts';
import { commanded } from '../command-route.ts';
import { commandsAction } from '../command-shape.ts';
import { voteForm } from '../forms/action-forms.ts';
import { revisionSeen } from '../forms/command-forms.ts';
import { text } from '../forms/json.ts';
import { ownAction } from '../own-action.ts';
import { revisionSeen as seenBy } from '../request-headers.ts';
import { type Door, route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';

const body = z
  .strictObject({
    vote: z.enum(['approve', 'reject']),
    argumentsHash: text.meta({ description: 'Of the arguments that you saw.' }),
    reason: text.optional(),
    revisionSeen,
  })
  .meta({ id: 'VoteRequest' });

export const vote = route({
  ...commandsAction,
  name: 'vote',
  path: '/v1/actions/{id}/votes',
  summary: 'Approve or reject an action',
  description:
    'The voter is who asks. A vote that comes after the decision is no error: it is answered with who decided, and when. It need not name a revision, because it names the arguments; where it does, a stale one is refused.',
  body,
  requestExample: { vote: 'approve', argumentsHash: 'uHG4G5dVNTZhC0pYHw0fW0w3qgS0wPp9bSxq4bJm3hQ' },
  answers: {
    200: {
      description: 'The action as it now is, and whether the vote counted.',
      schema: voteForm,
      headers: ['ETag'],
    },
  },
  problemHeaders: { ...commandsAction.problemHeaders, 403: ['ETag'] },
  handle: async (door, asked) => {
    const { principal, params, body: cast, headers } = asked;
    const own = await ownAction(door, principal.tenant, params.id);
    if (own.kind === 'no') return own.answer;
    const isNamed = cast.revisionSeen !== undefined || headers('if-match').length > 0;
    const seen = isNamed ? seenBy(headers, cast.revisionSeen) : undefined;
    if (seen?.kind === 'no') return seen.answer;
    const performed = await door.ledger.vote({
      actionId: params.id,
      voter: principal.name,
      vote: cast.vote,
      argumentsHash: cast.argumentsHash,
      ...withoutMissing({ reason: cast.reason, revisionSeen: seen?.revision }),
    });
    return voted(door, own.action, performed);
  },
});

async function voted(door: Door, before: Action, performed: Performed): Promise<HttpAnswer> {
  if (performed.kind === 'done' && performed.refused === undefined)
    return voteReply(performed.action, { counted: true }, performed.events.length > 0);
  if (performed.kind !== 'refusal' || performed.code !== 'action.approval-decided')
    return commanded(door, before, performed);
  const loaded = await door.ledger.load(before.id);
  const current = loaded.kind === 'action' ? loaded.action : before;
  const { as, at, by } = performed.detail ?? {};
  return voteReply(current, {
    counted: false,
    message: performed.message,
    decided: { as, at, ...(by === undefined ? {} : { by }) },
  });
}

function voteReply(action: Action, said: object, now = false): HttpAnswer {
  return {
    status: 200,
    body: { ...viewOf(action, now), vote: said },
    headers: { etag: etagOf(action) },
  };
}
