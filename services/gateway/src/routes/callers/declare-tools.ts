// POST /v1/tools: a program says which tools it carries out itself. They are its tenant's.
import { z } from 'zod';
import { type JsonValue } from '@action-ledger/domain';
import { object } from '../../forms/json.ts';
import { refusedByLedger } from '../../refused-by-ledger.ts';
import { route } from '../../route.ts';
import { describedTool, toolForm } from '../list-tools.ts';

const body = z
  .strictObject({
    tools: z
      .array(object.meta({ description: 'As `callerDeclaration` makes them.' }))
      .min(1)
      .max(64),
  })
  .meta({ id: 'ToolDeclarations' });

const declared = z
  .strictObject({
    tenant: z.string().meta({ description: 'Whose they are.' }),
    tools: z.array(toolForm),
  })
  .meta({ id: 'DeclaredTools' });

export const declareTools = route({
  name: 'declareTools',
  method: 'POST',
  path: '/v1/tools',
  tag: 'callers',
  summary: 'Declare tools that callers carry out',
  description:
    'All of them or none. Said again unchanged, nothing is recorded. What decides identity changes under a new `identityVersion` only, and what guards a tool (`approval`, `undoWindow`, `guarantee`, `keyWindow`, and the waits) is loosened by an operator only.',
  body,
  requestExample: {
    tools: [
      {
        name: 'refund',
        input: {
          type: 'object',
          properties: { order: { type: 'string' } },
          required: ['order'],
          additionalProperties: false,
        },
        guarantee: 'lookup',
        lookup: true,
      },
    ],
  },
  answers: { 200: { description: 'They are known.', schema: declared } },
  problems: [409],
  handle: async ({ ledger }, { principal, body: said }) => {
    const registered = await ledger.callers.register({
      tenant: principal.tenant,
      by: principal.name,
      declarations: said.tools as readonly JsonValue[],
      mayLoosen: principal.roles.has('operator'),
    });
    if ('kind' in registered) return refusedByLedger(registered);
    const { tenant } = principal;
    return { status: 200, body: { tenant, tools: registered.map(describedTool) } };
  },
});
