// GET /v1/observed: what the ledger only observed, and what it would have done.
import { z } from 'zod';
import { observedWords } from '@action-ledger/domain';
import { rowForm } from '../forms/action-forms.ts';
import { count, position, text } from '../forms/json.ts';
import { route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';

const number = z.number().int().min(0);

const report = z
  .strictObject({
    calls: number.meta({ description: 'On record.' }),
    heldBack: number.meta({ description: 'Of these, what would not have gone out, or not yet.' }),
    would: z.strictObject(
      Object.fromEntries(observedWords.map((word) => [word, number])) as Record<
        (typeof observedWords)[number],
        typeof number
      >,
    ),
    unrecorded: number.meta({ description: 'Went out without a record; not among the calls.' }),
    actions: z.array(rowForm).meta({ description: 'Held back, newest first.' }),
  })
  .meta({ id: 'ObservedReport' });

export const listObserved = route({
  name: 'listObserved',
  method: 'GET',
  path: '/v1/observed',
  tag: 'reading',
  summary: 'What was only observed',
  description:
    'How many calls went out where the ledger only watches, and which of them it would have held back.',
  query: z.strictObject({
    tool: text.optional(),
    since: position().meta({ description: 'Milliseconds since 1970-01-01T00:00:00Z.' }),
    limit: count(1_000, 100),
  }),
  answers: { 200: { description: 'In numbers, and the newest ones.', schema: report } },
  handle: ({ ledger }, { principal, query }) => {
    const { limit, ...filter } = query;
    const { tenant } = principal;
    const body = ledger.observed({ ...withoutMissing(filter), tenant, limit });
    return Promise.resolve({ status: 200, body });
  },
});
