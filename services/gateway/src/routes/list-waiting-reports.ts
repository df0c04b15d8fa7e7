// GET /v1/evidence: reports that match no action yet.
import { z } from 'zod';
import { count, json, text, time } from '../forms/json.ts';
import { route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';

const waiting = z
  .strictObject({
    at: time,
    until: time.meta({ description: 'It is given up then.' }),
    source: text,
    claims: z.enum(['success', 'refusal', 'note']),
    proven: z.boolean(),
    tool: text.optional(),
    downstreamKey: text.optional(),
    reference: text.optional(),
    externalId: text.optional(),
    id: text.optional(),
    data: json.optional(),
  })
  .meta({ id: 'WaitingReport' });

const list = z.strictObject({ reports: z.array(waiting) }).meta({ id: 'WaitingReportList' });

export const listWaitingReports = route({
  name: 'listWaitingReports',
  method: 'GET',
  path: '/v1/evidence',
  tag: 'reading',
  summary: 'Reports that match no action yet, oldest first',
  query: z.strictObject({ limit: count(1_000, 100) }),
  answers: { 200: { description: 'Those that wait.', schema: list } },
  handle: async ({ ledger }, { principal, query }) => {
    const reports = ledger
      .waitingReports(principal.tenant)
      .slice(0, query.limit)
      .map(({ at, until, request }) => {
        const { source, claims, proven, tool, downstreamKey, reference, externalId, id, data } =
          request;
        const said = { tool, downstreamKey, reference, externalId, id, data };
        return { at, until, source, claims, proven, ...withoutMissing(said) };
      });
    return { status: 200, body: { reports } };
  },
});
