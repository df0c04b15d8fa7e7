// GET /v1/side-entries: what was held back: duplicates, conflicts, refused votes.
import { z } from 'zod';
import { sideEntryForm, sideKinds } from '../forms/action-forms.ts';
import { count } from '../forms/json.ts';
import { route } from '../route.ts';

const list = z.strictObject({ entries: z.array(sideEntryForm) }).meta({ id: 'SideEntryList' });

/** The ledger keeps so many, of all tenants together. */
const keptMax = 10_000;

export const listSideEntries = route({
  name: 'listSideEntries',
  method: 'GET',
  path: '/v1/side-entries',
  tag: 'reading',
  summary: 'What was held back, newest first',
  description: 'Kept beside the record: the latest ones, lost at most in a crash.',
  query: z.strictObject({
    kind: z.enum(sideKinds).optional(),
    limit: count(1_000, 100),
  }),
  answers: { 200: { description: 'The latest entries.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const entries = ledger
      .sideEntries(keptMax)
      .filter(({ tenant }) => tenant === principal.tenant)
      .filter(({ kind }) => query.kind === undefined || kind === query.kind)
      .slice(0, query.limit);
    return { status: 200, body: { entries } };
  },
});
