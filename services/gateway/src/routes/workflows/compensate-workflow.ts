// POST /v1/workflows/{id}/compensate: a person has its steps undone, all of them or from one on.
import { z } from 'zod';
import { ifMatchAndPrefer, reason, revisionSeen } from '../../forms/command-forms.ts';
import { text } from '../../forms/json.ts';
import { onFailedCompensation } from '../../forms/workflow-forms.ts';
import { revisionSeen as seenBy, waitOf } from '../../request-headers.ts';
import { route } from '../../route.ts';
import { withoutMissing } from '../../without-missing.ts';
import { movedWorkflow, ofOneWorkflow, ownWorkflow } from '../../workflow-route.ts';

const body = z
  .strictObject({
    reason,
    revisionSeen,
    from: text
      .optional()
      .meta({ description: 'This step and those after it; without it: all of them.' }),
    onFailedCompensation,
  })
  .meta({ id: 'CompensateRequest' });

export const compensateWorkflow = route({
  ...ofOneWorkflow,
  name: 'compensateWorkflow',
  method: 'POST',
  path: '/v1/workflows/{id}/compensate',
  summary: 'Undo a workflow, all of it or from a step on',
  description: 'Also one that is complete. What could not be undone before is tried again.',
  headers: ifMatchAndPrefer,
  body,
  requestExample: { reason: 'the hotel is closed', from: 'hotel', revisionSeen: 6 },
  problems: [404, 412],
  handle: async (door, asked) => {
    const own = await ownWorkflow(door, asked);
    if (own.kind === 'no') return own.answer;
    const { reason: why, from, onFailedCompensation: onFailed } = asked.body;
    const seen = seenBy(asked.headers, asked.body.revisionSeen);
    if (seen.kind === 'no') return seen.answer;
    const started = await door.ledger.workflows.compensate(own.workflow.id, {
      tenant: asked.principal.tenant,
      by: asked.principal.name,
      reason: why,
      revisionSeen: seen.revision,
      ...withoutMissing({ from, onFailedCompensation: onFailed }),
    });
    return movedWorkflow(door, started, waitOf(asked.headers, door.limits), true);
  },
});
