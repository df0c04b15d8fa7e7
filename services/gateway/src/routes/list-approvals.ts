// GET /v1/approvals: what waits for people, with what they need to decide.
import { z } from 'zod';
import { type ActionRow } from '@action-ledger/application';
import { viewOf } from '../answers/action-view.ts';
import { problem } from '../answers/http-answer.ts';
import { pageOf, placeOfCursor } from '../cursor.ts';
import { waitingForm } from '../forms/action-forms.ts';
import { count, text } from '../forms/json.ts';
import { type Door, route } from '../route.ts';
import { viewsOfRows } from '../views-of-rows.ts';

const list = z
  .strictObject({ approvals: z.array(waitingForm), next: z.string().optional() })
  .meta({ id: 'ApprovalList' });

export const listApprovals = route({
  name: 'listApprovals',
  method: 'GET',
  path: '/v1/approvals',
  tag: 'reading',
  summary: 'Actions that wait for approval, newest first',
  query: z.strictObject({
    tool: text.optional(),
    limit: count(100, 50),
    cursor: text.optional(),
  }),
  answers: { 200: { description: 'A page.', schema: list } },
  handle: async (door, { principal, query }) => {
    const { tool, limit, cursor } = query;
    const after = cursor === undefined ? undefined : placeOfCursor(cursor);
    if (cursor !== undefined && after === undefined) return problem('request.cursor');
    const { rows, next } = pageOf(
      (filter) => door.ledger.list(filter),
      {
        tenant: principal.tenant,
        status: 'awaiting_approval',
        ...(tool === undefined ? {} : { tool }),
      },
      limit,
      after,
    );
    const approvals = await viewsOfRows(rows, (row) => waitingOf(door, row));
    return { status: 200, body: { approvals, ...(next === undefined ? {} : { next }) } };
  },
});

/** Nothing where it has been decided meanwhile. */
async function waitingOf({ ledger }: Door, row: ActionRow): Promise<readonly object[]> {
  const loaded = await ledger.load(row.action);
  if (loaded.kind === 'broken') return [];
  const { status, approval, arguments: args, argumentsHash, by } = loaded.action;
  if (status !== 'awaiting_approval' || approval === undefined) return [];
  return [
    {
      ...row,
      arguments: args,
      argumentsHash,
      ...(by === undefined ? {} : { by }),
      approval,
      messageForModel: viewOf(loaded.action).messageForModel,
    },
  ];
}
