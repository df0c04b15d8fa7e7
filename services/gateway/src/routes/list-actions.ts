// GET /v1/actions: the tenant's actions, newest first, in pages.
import { z } from 'zod';
import { problem } from '../answers/http-answer.ts';
import { pageOf, placeOfCursor } from '../cursor.ts';
import { rowForm, status } from '../forms/action-forms.ts';
import { count, text } from '../forms/json.ts';
import { route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';

const list = z
  .strictObject({
    actions: z.array(rowForm),
    next: z.string().optional().meta({ description: 'The cursor of the next page, if any.' }),
  })
  .meta({ id: 'ActionList' });

export const listActions = route({
  name: 'listActions',
  method: 'GET',
  path: '/v1/actions',
  tag: 'reading',
  summary: 'List actions, newest first',
  query: z.strictObject({
    status: status.optional(),
    tool: text.optional(),
    run: text.optional(),
    limit: count(200, 50),
    cursor: text.optional().meta({ description: '`next` of the page before.' }),
  }),
  answers: { 200: { description: 'A page.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const { limit, cursor, ...filters } = query;
    const after = cursor === undefined ? undefined : placeOfCursor(cursor);
    if (cursor !== undefined && after === undefined) return problem('request.cursor');
    const { rows, next } = pageOf(
      (filter) => ledger.list(filter),
      { ...withoutMissing(filters), tenant: principal.tenant },
      limit,
      after,
    );
    return {
      status: 200,
      body: { actions: rows, ...(next === undefined ? {} : { next }) },
    };
  },
});
