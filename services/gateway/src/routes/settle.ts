// POST /v1/actions/{id}/settle: a person says what became of an unknown.
import { z } from 'zod';
import { type JsonValue } from '@action-ledger/domain';
import { aim, commanded } from '../command-route.ts';
import { commandsAction } from '../command-shape.ts';
import { reason, revisionSeen } from '../forms/command-forms.ts';
import { json, text } from '../forms/json.ts';
import { route } from '../route.ts';

const body = z
  .strictObject({
    verdict: z.enum(['found', 'absent']),
    reason,
    revisionSeen,
    forced: z.boolean().optional().meta({
      description: '`absent` against the waits: it ends failed, with its doubt on record.',
    }),
    externalId: text.optional(),
    result: json.optional(),
  })
  .meta({ id: 'SettleRequest' });

export const settle = route({
  ...commandsAction,
  name: 'settle',
  path: '/v1/actions/{id}/settle',
  summary: 'Settle an unknown',
  body,
  requestExample: {
    verdict: 'found',
    reason: 'seen in the bank statement',
    externalId: 'tx-1',
    revisionSeen: 3,
  },
  handle: async (door, asked) => {
    const aimed = await aim(door, asked);
    if (aimed.kind === 'no') return aimed.answer;
    const { verdict, reason: why, forced, externalId, result } = asked.body;
    const performed = await door.ledger.settle({
      actionId: aimed.action.id,
      by: asked.principal.name,
      reason: why,
      revisionSeen: aimed.revisionSeen,
      verdict,
      ...(forced === undefined ? {} : { forced }),
      ...(externalId === undefined ? {} : { externalId }),
      ...(result === undefined ? {} : { result: result as JsonValue }),
    });
    return commanded(door, aimed.action, performed);
  },
});
