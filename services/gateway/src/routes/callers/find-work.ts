// POST /v1/work: what there is to do for a program that has the tools.
import { z } from 'zod';
import { unauthenticated } from '../../admit.ts';
import { workForm } from '../../forms/caller-forms.ts';
import { preferWait } from '../../forms/command-forms.ts';
import { actionId, text } from '../../forms/json.ts';
import { preferring } from '../../preferring.ts';
import { type Wait, waitOf } from '../../request-headers.ts';
import { route } from '../../route.ts';

const workMax = 100;

const body = z
  .strictObject({
    tools: z.array(text).min(1).max(1_000).meta({ description: 'Those that you have.' }),
    holding: z
      .array(actionId)
      .max(1_000)
      .optional()
      .meta({ description: 'Actions whose secret arguments you hold.' }),
    max: z.number().int().min(1).max(workMax).optional(),
  })
  .meta({ id: 'WorkRequest' });

const atOnce: Wait = { waitMs: 0, applied: {} };

const found = z.strictObject({ work: z.array(workForm) }).meta({ id: 'WorkList' });

export const findWork = route({
  name: 'findWork',
  method: 'POST',
  path: '/v1/work',
  tag: 'callers',
  summary: 'Ask for work of tools that you have',
  description:
    'Waits until there is some; beyond so many that wait, answers at once. `send`: take the action to be handed its dispatch. `lookup`: look its effect up now, and answer with the verdict; nobody else is asked meanwhile. Whose key is revoked or runs out while it waits is refused.',
  headers: preferWait,
  body,
  requestExample: { tools: ['refund'], max: 10 },
  answers: {
    200: {
      description: 'What is due; empty where nothing is.',
      schema: found,
      headers: ['Preference-Applied'],
    },
  },
  handle: async ({ ledger, limits }, { principal, body: asked, ...by }) => {
    const wanted = waitOf(by.headers, limits);
    const wait = wanted.waitMs > 0 && !by.waitsForWork() ? atOnce : wanted;
    const { signal, letOut } = by;
    const work = await ledger.callers.work({
      tenant: principal.tenant,
      tools: asked.tools,
      holding: asked.holding ?? [],
      max: asked.max ?? workMax,
      waitMs: wait.waitMs,
      signal: AbortSignal.any([signal, letOut.signal]),
    });
    if (letOut.isOut()) return unauthenticated();
    return preferring({ status: 200, body: { work } }, wait);
  },
});
