// POST /v1/evidence: what anyone but the holder of the claim has to say about an action: webhooks,
// exports, people. It is matched by the action's id, or by an id of the provider that is on record.
import { z } from 'zod';
import { type Action, type JsonValue } from '@action-ledger/domain';
import { viewOf } from '../answers/action-view.ts';
import { type HttpAnswer, problem } from '../answers/http-answer.ts';
import { refusedCommand } from '../answers/performed.ts';
import { actionForm } from '../forms/action-forms.ts';
import { actionId, json, text } from '../forms/json.ts';
import { ownAction } from '../own-action.ts';
import { type Asked, type Door, route } from '../route.ts';

const body = z
  .strictObject({
    action: actionId.optional(),
    tool: text
      .optional()
      .meta({ description: 'Needed with `externalId` where no action is named.' }),
    downstreamKey: text.optional().meta({ description: 'The key that the provider saw.' }),
    reference: text.optional(),
    externalId: text.optional().meta({ description: "The provider's own id of the effect." }),
    claims: z.enum(['success', 'refusal', 'note']),
    proven: z
      .boolean()
      .optional()
      .meta({ description: 'By our downstream key or reference. Only a proven success settles.' }),
    neverHadEffect: z.boolean().optional(),
    attempt: z.number().int().min(1).optional(),
    source: text.optional().meta({ description: 'Where the reporter has it from: `webhook`.' }),
    data: json.optional(),
  })
  .refine(
    ({ action, downstreamKey, reference, externalId }) =>
      [action, downstreamKey, reference, externalId].some((each) => each !== undefined),
    'Name what it is about: action, downstreamKey, reference or externalId',
  )
  .meta({ id: 'Report' });

type Report = z.infer<typeof body>;

const kept = z
  .strictObject({ kept: z.literal(true), action: actionForm, messageForModel: z.string() })
  .meta({ id: 'ReportKept' });

const notKept = z
  .strictObject({ kept: z.literal(false), reason: z.string() })
  .meta({ id: 'ReportNotKept' });

export const report = route({
  name: 'report',
  method: 'POST',
  path: '/v1/evidence',
  tag: 'people',
  summary: 'Report what is known about an action',
  description:
    'Kept in the stream of the action it is matched to. A report that cannot be matched yet is not kept: send it again, or with the id of the action.',
  body,
  requestExample: {
    action: 'uHG4G5dVNTZhC0pYHw0fW0w3qgS0wPp9bSxq4bJm3hQ.0',
    claims: 'success',
    proven: true,
    externalId: 'tx-1',
    source: 'webhook',
  },
  answers: {
    200: { description: 'Kept with the action.', schema: kept },
    202: {
      description: 'Nothing is known here that it could be matched to. It was not kept.',
      schema: notKept,
      headers: ['Retry-After'],
    },
  },
  problems: [404, 409],
  problemHeaders: { 400: ['ETag'], 409: ['ETag'] },
  handle: async (door, asked) => {
    const id = asked.body.action ?? ownerOf(door, asked);
    if (id === undefined) return notMatched(asked.body);
    const own = await ownAction(door, asked.principal.tenant, id);
    if (own.kind === 'no') return own.answer;
    const { downstreamKey } = asked.body;
    if (downstreamKey !== undefined && downstreamKey !== own.action.downstreamKey)
      return problem('evidence.other-action');
    return reported(door, asked, own.action);
  },
});

type AskedReport = Asked<unknown, unknown, Report>;

function ownerOf({ ledger }: Door, { principal, body: said }: AskedReport): string | undefined {
  const { tool, externalId } = said;
  if (tool === undefined || externalId === undefined) return undefined;
  return ledger.ownerOfExternalId(principal.tenant, tool, externalId);
}

async function reported(
  { ledger }: Door,
  { principal, body: said }: AskedReport,
  before: Action,
): Promise<HttpAnswer> {
  const { claims, proven = false, neverHadEffect, attempt, externalId, source, data } = said;
  const performed = await ledger.report(before.id, {
    // Who says so is known; where they have it from is theirs to say.
    source: source === undefined ? principal.name : `${principal.name}: ${source}`,
    claims,
    proven,
    ...(neverHadEffect === undefined ? {} : { neverHadEffect }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(externalId === undefined ? {} : { externalId }),
    ...(data === undefined ? {} : { data: data as JsonValue }),
  });
  switch (performed.kind) {
    case 'broken':
      return problem('stream.broken');
    case 'refusal':
      return refusedCommand(performed, before);
    case 'done': {
      const action = viewOf(performed.action);
      const { messageForModel } = action;
      return { status: 200, body: { kept: true, action, messageForModel } };
    }
  }
}

/** Soon enough for an outcome that is being recorded, seldom enough for one that never comes. */
const retryAfterS = 60;

function notMatched({ downstreamKey, reference }: Report): HttpAnswer {
  const reason =
    downstreamKey === undefined && reference === undefined
      ? 'No action of this tool has recorded this external id.'
      : 'Reports cannot be matched by downstream key or reference yet: name the action.';
  return {
    status: 202,
    headers: { 'retry-after': String(retryAfterS) },
    body: { kept: false, reason: `${reason} It was not kept.` },
  };
}
