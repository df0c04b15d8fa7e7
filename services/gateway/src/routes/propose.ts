// POST /v1/actions: one tool call becomes one action, or meets the one that it is.
import { z } from 'zod';
import { type Proposal } from '@action-ledger/application';
import { proposalForm } from '@action-ledger/proposals';
import { problem } from '../answers/http-answer.ts';
import { replyTo } from '../answers/answer-status.ts';
import { prefer } from '../forms/command-forms.ts';
import { workerOf } from '../caller-worker.ts';
import { worker } from '../forms/caller-forms.ts';
import { text } from '../forms/json.ts';
import { preferring } from '../preferring.ts';
import { keyOf, traceOf, waitOf } from '../request-headers.ts';
import { route } from '../route.ts';
import { withoutMissing } from '../without-missing.ts';
import { proposedAnswers, proposalProblemHeaders } from './proposal-answers.ts';

export const idempotencyKey = {
  'Idempotency-Key': z
    .string()
    .optional()
    .meta({ description: '1 to 255 printable ASCII characters, taken as they are.' }),
};

const body = z
  .strictObject({
    ...proposalForm.shape,
    execute: z
      .literal('caller')
      .optional()
      .meta({ description: 'You carry it out yourself; needs the role worker, and `worker`.' }),
    worker: worker.optional(),
    request: text.optional().meta({
      description:
        'Of this request alone. Where calls are only observed, the same one sent again is no second call.',
    }),
  })
  .refine(
    ({ execute, worker: named }) => (execute === undefined) === (named === undefined),
    'execute and worker go together',
  )
  .meta({ id: 'ProposalRequest' });

export const propose = route({
  name: 'propose',
  method: 'POST',
  path: '/v1/actions',
  tag: 'actions',
  summary: 'Propose an action',
  description:
    'Said again with the same identity and arguments, it is answered from the record: nothing runs again. On whose behalf it is, and for which tenant, comes from the credentials.',
  headers: z.object({
    ...idempotencyKey,
    traceparent: z.string().optional().meta({
      description: 'W3C trace context, passed on to the tool; ignored where it is malformed.',
    }),
    tracestate: z.string().optional(),
    ...prefer,
  }),
  body,
  requestExample: {
    tool: 'refund',
    arguments: { order: 'A-1', cents: 500 },
    run: 'run-7',
    call: 'call-1',
  },
  answers: proposedAnswers,
  problems: [404, 409, 422],
  problemHeaders: proposalProblemHeaders,
  handle: async ({ ledger, runtime, limits }, { principal, body: asked, headers, signal }) => {
    const {
      tool,
      arguments: args,
      key: bodyKey,
      execute: _execute,
      worker: named,
      request,
      ...origin
    } = asked;
    if (named !== undefined && !principal.roles.has('worker'))
      return problem('access.forbidden', {
        detail: 'Who carries actions out has the role worker.',
      });
    const key = keyOf(headers, bodyKey);
    if (key.kind === 'refusal') return problem(key.code, { detail: key.message });
    const wait = waitOf(headers, limits);
    const proposal: Proposal = {
      tool,
      arguments: args,
      tenant: principal.tenant,
      by: principal.name,
      origin: withoutMissing(origin),
      waitMs: wait.waitMs,
      signal,
      ...traceOf(headers),
      ...(request === undefined ? {} : { request: workerOf(principal, request) }),
      ...(key.key === undefined ? {} : { key: key.key }),
    };
    const nowMs = (): number => runtime.clock.wallMs();
    if (named === undefined)
      return preferring(replyTo(await ledger.propose(proposal), nowMs()), wait);
    const execute = { worker: workerOf(principal, named) };
    const { answer, dispatch } = await ledger.callers.propose({ ...proposal, execute });
    const reply = replyTo(answer, nowMs());
    const handed = dispatch === undefined ? reply : { ...reply, body: { ...answer, dispatch } };
    return preferring(handed, wait);
  },
});
