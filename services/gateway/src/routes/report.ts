// POST /v1/evidence: what anyone but the holder of the claim has to say about an action: webhooks,
// exports, people. It is matched by the action's id, or by what the provider knows the action by; what
// matches nothing yet is kept until it does.
import { z } from 'zod';
import { type EvidenceRequest, type Reported } from '@action-ledger/application';
import { type Action, type JsonValue } from '@action-ledger/domain';
import { viewOf } from '../answers/action-view.ts';
import { type HttpAnswer } from '../answers/http-answer.ts';
import { refusedCommand } from '../answers/performed.ts';
import { actionForm } from '../forms/action-forms.ts';
import { actionId, json, text, time } from '../forms/json.ts';
import { ownAction } from '../own-action.ts';
import { refusedByLedger } from '../refused-by-ledger.ts';
import { type Asked, route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';

/** Any one of these says what it is about. */
const whatItIsAbout = [
  ['action'],
  ['downstreamKey'],
  ['reference'],
  ['tool', 'externalId'],
] as const;

/** As the check below has it. */
function anyOfThese({ jsonSchema }: { readonly jsonSchema: object }): void {
  Object.assign(jsonSchema, { anyOf: whatItIsAbout.map((required) => ({ required })) });
}

const body = z
  .strictObject({
    action: actionId.optional(),
    tool: text
      .optional()
      .meta({ description: 'Needed with `externalId` where nothing else is named.' }),
    downstreamKey: text
      .optional()
      .meta({ description: 'The idempotency key that the provider was sent.' }),
    reference: text.optional().meta({
      description:
        'The downstream key or, with `tool`, the provider’s own id, where it is not known which.',
    }),
    externalId: text.optional().meta({ description: "The provider's own id of the effect." }),
    claims: z.enum(['success', 'refusal', 'note']),
    proven: z.boolean().optional().meta({
      description:
        'By our downstream key or reference. Only what is proven settles: a success, or that it `neverHadEffect`.',
    }),
    neverHadEffect: z.boolean().optional(),
    id: text.optional().meta({
      description:
        'The reporter’s own id of what it says (of a webhook): said again, it counts once.',
    }),
    attempt: z.number().int().min(1).optional(),
    source: text.optional().meta({ description: 'Where the reporter has it from: `webhook`.' }),
    data: json.optional(),
  })
  .refine(
    (said) => whatItIsAbout.some((names) => names.every((name) => said[name] !== undefined)),
    'Name what it is about: action, downstreamKey, reference, or externalId with its tool',
  )
  .meta({ id: 'Report', override: anyOfThese });

type Report = z.infer<typeof body>;

const kept = z
  .strictObject({ kept: z.literal(true), action: actionForm, messageForModel: z.string() })
  .meta({ id: 'ReportKept' });

const waits = z
  .strictObject({ kept: z.literal(true), waitsUntil: time.optional(), reason: z.string() })
  .meta({
    id: 'ReportWaits',
    description: 'Without `waitsUntil`: the record of its action is damaged, and a person looks.',
  });

export const report = route({
  name: 'report',
  method: 'POST',
  path: '/v1/evidence',
  tag: 'people',
  summary: 'Report what is known about an action',
  description:
    'Kept in the stream of the action that it is matched to. A report that matches none yet is kept for seven days, and matched when an action comes to bear the key or id that it names. Evidence changes no known result; what contradicts the record opens an incident.',
  body,
  requestExample: {
    downstreamKey: '7Zf1m3J0l8wQ2bT5xYc9vR4nK6pS1dGhA0eUoLiMjEk',
    claims: 'success',
    proven: true,
    externalId: 'tx-1',
    source: 'webhook',
    id: 'evt-1',
  },
  answers: {
    200: { description: 'Kept with the action.', schema: kept },
    202: {
      description: 'Kept apart: it matches no action yet, or one whose record is damaged.',
      schema: waits,
    },
  },
  problems: [404, 409],
  problemHeaders: { 400: ['ETag'], 409: ['ETag'] },
  handle: async (door, asked) => {
    const { action } = asked.body;
    if (action === undefined) return answerOf(await door.ledger.reportAbout(requestOf(asked)));
    const own = await ownAction(door, asked.principal.tenant, action);
    if (own.kind === 'no' && own.answer.status !== 503) return own.answer;
    const before = own.kind === 'own' ? own.action : undefined;
    return answerOf(await door.ledger.reportAbout(requestOf(asked)), before);
  },
});

function requestOf({ principal, body: said }: Asked<unknown, unknown, Report>): EvidenceRequest {
  const { source, proven = false, data, ...rest } = said;
  return withoutMissing({
    ...rest,
    tenant: principal.tenant,
    // Who says so is known; where they have it from is theirs to say.
    source: source === undefined ? principal.name : `${principal.name}: ${source}`,
    proven,
    data: data as JsonValue | undefined,
  });
}

function answerOf(reported: Reported, before?: Action): HttpAnswer {
  switch (reported.kind) {
    case 'broken':
      return {
        status: 202,
        body: {
          kept: true,
          reason: 'The record of its action is damaged. It is kept beside it; a person is looking.',
        },
      };
    case 'refusal': {
      const { code } = reported;
      const isOfReports = code.startsWith('evidence.');
      return before === undefined || isOfReports
        ? refusedByLedger(reported)
        : refusedCommand(reported as Parameters<typeof refusedCommand>[0], before);
    }
    case 'waits':
      return {
        status: 202,
        body: {
          kept: true,
          waitsUntil: reported.until,
          reason:
            'It matches no action yet. It is kept, and matched when one comes to bear the name.',
        },
      };
    case 'done': {
      const action = viewOf(reported.action);
      const { messageForModel } = action;
      return { status: 200, body: { kept: true, action, messageForModel } };
    }
  }
}
