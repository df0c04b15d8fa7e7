// GET /healthz: the process answers. GET /readyz: it would also take a proposal.
import { z } from 'zod';
import { problem } from '../answers/http-answer.ts';
import { route } from '../route.ts';

const well = z.strictObject({ status: z.literal('ok') }).meta({ id: 'Well' });

export const health = route({
  name: 'health',
  method: 'GET',
  path: '/healthz',
  tag: 'gateway',
  summary: 'The process answers',
  answers: { 200: { description: 'It does.', schema: well } },
  handle: async () => ({ status: 200, body: { status: 'ok' } }),
});

export const readiness = route({
  name: 'readiness',
  method: 'GET',
  path: '/readyz',
  tag: 'gateway',
  summary: 'The ledger takes proposals',
  answers: { 200: { description: 'It does.', schema: well } },
  problems: [503],
  handle: async ({ feed, isClosing }) => {
    if (isClosing()) return problem('gateway.closing');
    if (feed.condition().kind === 'recovering') return problem('ledger.recovering');
    await feed.head();
    return { status: 200, body: { status: 'ok' } };
  },
});
