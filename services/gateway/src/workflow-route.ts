// What the routes of one workflow share: it must be of the tenant of who asks, and is answered as it is.
import { type Refusal, type Workflow } from '@action-ledger/domain';
import { type HttpAnswer } from './answers/http-answer.ts';
import { workflowReply } from './answers/workflow-view.ts';
import { ofWorkflow, workflowForm } from './forms/workflow-forms.ts';
import { preferring } from './preferring.ts';
import { refusedByLedger } from './refused-by-ledger.ts';
import { type Wait } from './request-headers.ts';
import { type Asked, type Door, type SuccessDoc } from './route.ts';

export type OwnWorkflow =
  | { readonly kind: 'own'; readonly workflow: Workflow }
  | { readonly kind: 'no'; readonly answer: HttpAnswer };

export async function ownWorkflow(
  { ledger }: Door,
  { principal, params }: Asked<{ readonly id: string }, unknown, unknown>,
): Promise<OwnWorkflow> {
  const found = await ledger.workflows.show(params.id, { tenant: principal.tenant });
  return 'code' in found
    ? { kind: 'no', answer: refusedByLedger(found) }
    : { kind: 'own', workflow: found };
}

/** Held, at most so long, until it is not being undone any more. */
export async function movedWorkflow(
  { ledger }: Door,
  moved: Workflow | Refusal,
  wait: Wait,
  undoing = false,
): Promise<HttpAnswer> {
  if ('code' in moved) return refusedByLedger(moved);
  const rested = await ledger.workflows.rest(moved.id, wait.waitMs);
  return preferring(workflowReply(rested ?? moved, true, undoing), wait);
}

export const workflowDone: Readonly<Record<200 | 202, SuccessDoc>> = {
  200: {
    description: 'The workflow as it now is.',
    schema: workflowForm,
    headers: ['ETag', 'Location', 'Preference-Applied'],
  },
  202: {
    description: 'It is still being undone.',
    schema: workflowForm,
    headers: ['ETag', 'Location', 'Preference-Applied', 'Retry-After'],
  },
};

export const ofOneWorkflow = {
  tag: 'workflows',
  params: ofWorkflow,
  answers: workflowDone,
} as const;
