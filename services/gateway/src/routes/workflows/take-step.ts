// POST /v1/workflows/{id}/steps: one tool call, recorded with how it is undone before it is sent.
import { z } from 'zod';
import { type StepAnswer } from '@action-ledger/application';
import { replyTo } from '../../answers/answer-status.ts';
import { type HttpAnswer, problem } from '../../answers/http-answer.ts';
import { preferWait } from '../../forms/command-forms.ts';
import { object, text } from '../../forms/json.ts';
import { compensateForm, ofWorkflow } from '../../forms/workflow-forms.ts';
import { preferring } from '../../preferring.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { waitOf } from '../../request-headers.ts';
import { route, type SuccessDoc } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';
import { ownWorkflow } from '../../workflow-route.ts';
import { proposalAnswers, proposalProblemHeaders } from '../proposal-answers.ts';

const body = z
  .strictObject({
    step: text.meta({ description: 'Its name in the workflow: said again, it is the same step.' }),
    tool: text,
    arguments: object.meta({ description: "Whatever the tool's schema asks for." }),
    compensate: compensateForm.optional(),
    mayFail: z
      .boolean()
      .optional()
      .meta({ description: 'Its ending without effect does not fail the workflow.' }),
    identity: z.enum(['step', 'tool']).optional(),
  })
  .meta({ id: 'StepRequest' });

const stepAnswers: typeof proposalAnswers = {
  200: withStep(proposalAnswers[200]),
  201: withStep(proposalAnswers[201]),
  202: withStep(proposalAnswers[202]),
};

const ofStep = ['Workflow-Step'] as const;

/** Whatever a proposal can be refused with. */
const stepProblemHeaders = {
  400: ofStep,
  403: [...proposalProblemHeaders[403], ...ofStep],
  404: ofStep,
  409: ofStep,
  413: ofStep,
  422: [...proposalProblemHeaders[422], ...ofStep],
  429: ofStep,
  503: ofStep,
} as const;

function withStep(doc: SuccessDoc): SuccessDoc {
  return { ...doc, headers: [...(doc.headers ?? []), 'Workflow-Step'] };
}

export const takeStep = route({
  name: 'takeStep',
  method: 'POST',
  path: '/v1/workflows/{id}/steps',
  tag: 'workflows',
  summary: 'Take a step',
  description:
    'Answered as a proposal is. Said again by the same name, it is answered from the record. A step that ends without effect fails the workflow, unless it may fail; then, and in a workflow that does not go on, nothing more is taken: 409.',
  params: ofWorkflow,
  headers: preferWait,
  body,
  requestExample: {
    step: 'hotel',
    tool: 'reserve_hotel',
    arguments: { city: 'Rome' },
    compensate: {
      tool: 'cancel_hotel',
      arguments: { reservation: { $from: 'outcome.reservation' } },
    },
  },
  answers: stepAnswers,
  problems: [404, 409, 422],
  problemHeaders: stepProblemHeaders,
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const wait = waitOf(asked.headers, door.limits);
    const answer = await door.ledger.workflows.step(own.workflow.id, {
      ...withoutMissing(asked.body),
      by: asked.principal.name,
      waitMs: wait.waitMs,
    });
    return preferring(stepReply(answer, door.runtime.clock.wallMs()), wait);
  },
});

function stepReply(answer: StepAnswer, nowMs: number): HttpAnswer {
  switch (answer.kind) {
    case 'settled':
    case 'waiting': {
      const reply = replyTo(answer.answer, nowMs);
      return { ...reply, headers: { ...reply.headers, 'workflow-step': answer.kind } };
    }
    case 'stopped': {
      const { id, status, revision } = answer.workflow;
      return problem('workflow.status', {
        detail: `No step is taken any more: the workflow is ${status}.`,
        facts: { workflow: id, status, revision },
      });
    }
    case 'refused': {
      const { refusal, differs } = answer;
      const detail = { ...refusal.detail, ...(differs === undefined ? {} : { differs }) };
      return refusedByLedger({ ...refusal, detail: detail as NonNullable<typeof refusal.detail> });
    }
  }
}
