// GET /v1/unknowns: what is not known, by owner and age.
import { z } from 'zod';
import { type ActionRow, type UnknownPlace, unknownPlace } from '@action-ledger/application';
import { viewOf } from '../answers/action-view.ts';
import { problem } from '../answers/http-answer.ts';
import { unknownForm } from '../forms/action-forms.ts';
import { count, owner, text } from '../forms/json.ts';
import { type Door, route } from '../route.ts';
import { viewsOfRows } from '../views-of-rows.ts';
import { withoutMissing } from '../without-missing.ts';

const list = z
  .strictObject({
    unknowns: z.array(unknownForm),
    next: z.string().optional().meta({ description: 'The cursor of the next page, if any.' }),
  })
  .meta({ id: 'UnknownList' });

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
    cursor: text.optional().meta({ description: '`next` of the page before.' }),
  }),
  answers: { 200: { description: 'A page.', schema: list } },
  handle: async (door, { principal, query }) => {
    const { limit, cursor, ...filters } = query;
    const after = cursor === undefined ? undefined : placeOf(cursor);
    if (cursor !== undefined && after === undefined) return problem('request.cursor');
    const { tenant } = principal;
    const found = door.ledger.unknowns({
      ...withoutMissing({ ...filters, after }),
      tenant,
      limit: limit + 1,
    });
    const rows = found.slice(0, limit);
    const last = found.length > limit ? rows.at(-1) : undefined;
    const unknowns = await viewsOfRows(rows, (row) => unknownOf(door, row));
    const next = last === undefined ? {} : { next: cursorOf(last) };
    return { status: 200, body: { unknowns, ...next } };
  },
});

function cursorOf(row: ActionRow): string {
  const { owner: of, since, action } = unknownPlace(row);
  return Buffer.from(JSON.stringify([of, since, action])).toString('base64url');
}

const place = z.tuple([owner, z.int(), z.string()]);

/** @returns undefined where it is none that was given out */
function placeOf(cursor: string): UnknownPlace | undefined {
  try {
    const said: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    const { data } = place.safeParse(said);
    return data && { owner: data[0], since: data[1], action: data[2] };
  } catch {
    return undefined;
  }
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
