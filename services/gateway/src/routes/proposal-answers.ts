// The successes of everything that ends in an action: proposals, repeats and edits.
import { z } from 'zod';
import { answerForm } from '../forms/action-forms.ts';
import { dispatchForm } from '../forms/caller-forms.ts';
import { type SuccessDoc } from '../route.ts';
import { answerExamples } from './examples.ts';

export const proposalAnswers: Readonly<Record<200 | 201 | 202, SuccessDoc>> = {
  200: {
    description: 'A repeat: the recorded outcome. Or a tool that only reads has answered.',
    schema: answerForm,
    headers: ['Location', 'Idempotent-Replayed', 'Preference-Applied'],
    example: answerExamples.repeated,
  },
  201: {
    description: 'Settled by this request; `state` tells how.',
    schema: answerForm,
    headers: ['Location', 'Preference-Applied'],
    example: answerExamples.done,
  },
  202: {
    description:
      'Not finished: in progress, waiting for approval, unknown, or still being recorded.',
    schema: answerForm,
    headers: ['Location', 'Retry-After', 'Preference-Applied'],
    example: answerExamples.waiting,
  },
};

/** Denied or rejected, and a key that was used for something else: the action that says so. */
export const proposalProblemHeaders = {
  403: ['Location', 'Idempotent-Replayed'],
  422: ['Location'],
} as const;

/** Where the proposer carries it out itself. */
const proposedForm = z
  .strictObject({
    ...answerForm.shape,
    dispatch: dispatchForm
      .optional()
      .meta({ description: 'It is yours to carry out, now: where `execute` was asked for.' }),
  })
  .meta({ id: 'Proposed' });

export const proposedAnswers: typeof proposalAnswers = {
  ...proposalAnswers,
  202: { ...proposalAnswers[202], schema: proposedForm },
};
