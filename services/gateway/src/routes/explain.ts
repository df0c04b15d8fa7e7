// POST /v1/explain: what a call would be, without making it.
import { z } from 'zod';
import { proposalForm } from '@action-ledger/proposals';
import { problem } from '../answers/http-answer.ts';
import { isProblemCode } from '../answers/problems.ts';
import { status } from '../forms/action-forms.ts';
import { actionId, guarantee } from '../forms/json.ts';
import { keyOf } from '../request-headers.ts';
import { route } from '../route.ts';
import { idempotencyKey } from './propose.ts';
import { withoutMissing } from '../without-missing.ts';

const meeting = z.strictObject({
  kind: z.enum(['answer', 'open', 'conflict', 'exhausted']),
  epoch: z.number().int(),
  as: z.enum(['attach', 'duplicate', 'reversed', 'replaced', 'recorded ending']).optional(),
  newCall: z.boolean().optional(),
  after: actionId.optional(),
});

const explanation = z
  .strictObject({
    kind: z.literal('explanation'),
    tool: z.string(),
    guarantee,
    scope: z.enum(['call', 'turn', 'run', 'conversation', 'tenant']),
    keyKind: z.enum(['derived', 'caller']),
    keyHash: z.string(),
    argumentsHash: z.string(),
    arguments: z.string().meta({ description: 'Canonical JSON, as it would be stored.' }),
    identity: z.union([z.literal('all'), z.array(z.string())]),
    epochs: z.array(z.strictObject({ action: actionId, status, sameArguments: z.boolean() })),
    meeting: meeting.meta({ description: 'What the call would meet, and what would follow.' }),
    differs: z.array(z.strictObject({ path: z.string(), note: z.string().optional() })).optional(),
    policy: z.enum(['allow', 'deny', 'ask']),
    approval: z.boolean(),
  })
  .meta({ id: 'Explanation' });

export const explain = route({
  name: 'explain',
  method: 'POST',
  path: '/v1/explain',
  tag: 'actions',
  summary: 'What a call would be, without making it',
  headers: z.object(idempotencyKey),
  body: proposalForm,
  requestExample: { tool: 'refund', arguments: { order: 'A-1', cents: 500 }, run: 'run-7' },
  answers: {
    200: { description: 'Key, hashes, epochs, and what it would meet.', schema: explanation },
  },
  problems: [404],
  handle: async ({ ledger }, { principal, body: asked, headers }) => {
    const { tool, arguments: args, key: bodyKey, ...origin } = asked;
    const key = keyOf(headers, bodyKey);
    if (key.kind === 'refusal') return problem(key.code, { detail: key.message });
    const explained = await ledger.explain({
      tool,
      arguments: args,
      tenant: principal.tenant,
      origin: withoutMissing(origin),
      ...(key.key === undefined ? {} : { key: key.key }),
    });
    if (explained.kind === 'explanation') return { status: 200, body: explained };
    const { code, message, detail } = explained;
    if (!isProblemCode(code)) return problem('gateway.bug');
    return problem(code, {
      detail: message,
      ...(detail === undefined ? {} : { facts: detail }),
    });
  },
});
