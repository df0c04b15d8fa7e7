// GET /v1/unknowns: what is not known, by owner and age.
import { z } from 'zod';
import { type ActionRow } from '@action-ledger/application';
import { viewOf } from '../answers/action-view.ts';
import { unknownForm } from '../forms/action-forms.ts';
import { count, owner, text } from '../forms/json.ts';
import { type Door, route } from '../route.ts';

const list = z
  .strictObject({
    unknowns: z.array(unknownForm),
    isComplete: z
      .boolean()
      .meta({ description: 'false: there are more; ask for one tool, or settle these first.' }),
  })
  .meta({ id: 'UnknownList' });

/** Rows that are sorted for one answer. */
const rowsMax = 1_000;

export const listUnknowns = route({
  name: 'listUnknowns',
  method: 'GET',
  path: '/v1/unknowns',
  tag: 'reading',
  summary: 'What is not known: the oldest first, those of operators before the rest',
  query: z.strictObject({
    owner: owner.optional(),
    tool: text.optional(),
    limit: count(100, 50),
  }),
  answers: { 200: { description: 'Unknown actions.', schema: list } },
  handle: async (door, { principal, query }) => {
    const { limit, owner: of, tool } = query;
    const rows = door.ledger.list({
      tenant: principal.tenant,
      status: 'unknown',
      limit: rowsMax,
      ...(tool === undefined ? {} : { tool }),
    });
    const wanted = rows.filter((row) => of === undefined || row.owner === of).sort(byOwnerAndAge);
    const unknowns = [];
    for (const row of wanted.slice(0, limit)) unknowns.push(...(await unknownOf(door, row)));
    const isComplete = wanted.length <= limit && rows.length < rowsMax;
    return { status: 200, body: { unknowns, isComplete } };
  },
});

function byOwnerAndAge(a: ActionRow, b: ActionRow): number {
  if (a.owner !== b.owner) return a.owner === 'operator' ? -1 : 1;
  return a.plannedAt - b.plannedAt;
}

/** Nothing where it has been settled meanwhile. */
async function unknownOf({ ledger, runtime }: Door, row: ActionRow): Promise<readonly object[]> {
  const loaded = await ledger.load(row.action);
  if (loaded.kind === 'broken' || loaded.action.status !== 'unknown') return [];
  const { action } = loaded;
  const unknownSince = action.unknownSince ?? action.updatedAt;
  return [
    {
      ...row,
      unknownSince,
      ageMs: Math.max(0, runtime.clock.wallMs() - unknownSince),
      checks: action.checks,
      messageForModel: viewOf(action).messageForModel,
    },
  ];
}
