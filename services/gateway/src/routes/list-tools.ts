// GET /v1/tools: what can be proposed, and what each tool promises.
import { z } from 'zod';
import { type ActionGuarantee } from '@action-ledger/domain';
import { observedTool, type Tool } from '@action-ledger/tools';
import { guarantee, object } from '../forms/json.ts';
import { route } from '../route.ts';

export const toolForm = z
  .strictObject({
    name: z.string(),
    kind: z.enum(['write', 'read']),
    description: z.string().optional(),
    guarantee: guarantee.optional(),
    promise: z.string(),
    scope: z.enum(['call', 'turn', 'run', 'conversation', 'tenant']).optional(),
    identity: z.union([z.literal('all'), z.array(z.string())]).optional(),
    free: z.array(z.string()).optional(),
    secret: z.array(z.string()),
    needsKey: z.boolean(),
    byCaller: z
      .literal(true)
      .optional()
      .meta({ description: 'Its callers carry it out, in processes of their own.' }),
    approval: z
      .strictObject({
        votes: z.number().int(),
        ownVote: z.boolean(),
        isConditional: z.boolean().meta({ description: 'Only some arguments need approval.' }),
      })
      .optional(),
    input: object.meta({ description: 'JSON Schema of the arguments.' }),
  })
  .meta({ id: 'Tool' });

const list = z.strictObject({ tools: z.array(toolForm) }).meta({ id: 'ToolList' });

const promises: Readonly<Record<ActionGuarantee, string>> = {
  idempotent: 'at most one effect; exactly one if it is settled within the key window',
  lookup: 'at most one effect, and its outcome is always found',
  natural: 'the same end state, if nobody else writes the field meanwhile',
  manual: 'at most one effect; an unknown outcome waits for a person',
  observed: 'nothing: the ledger only watches, and every call goes out',
};

export const listTools = route({
  name: 'listTools',
  method: 'GET',
  path: '/v1/tools',
  tag: 'actions',
  summary: 'The tools, and what each promises',
  answers: { 200: { description: 'All of them.', schema: list } },
  handle: async ({ tools, ledger }, { principal }) => {
    const all = [...tools.all, ...ledger.callers.tools(principal.tenant)];
    const found = all.map((tool) =>
      ledger.observes(principal.tenant, tool.name) ? observedTool(tool) : tool,
    );
    return { status: 200, body: { tools: found.map(describedTool) } };
  },
});

export function describedTool(each: Tool): object {
  const { name, kind, description, declaration, rules, needsKey, approval, byCaller } = each;
  const base = {
    name,
    kind,
    ...(description === undefined ? {} : { description }),
    secret: declaration.secret,
    needsKey,
    ...(byCaller === undefined ? {} : { byCaller }),
    input: schemaOf(each),
  };
  if (kind === 'read') return { ...base, promise: 'reads pass through: nothing is recorded' };
  return {
    ...base,
    guarantee: rules.guarantee,
    promise: promises[rules.guarantee],
    scope: declaration.scope,
    identity: declaration.identity,
    free: declaration.free,
    ...(approval === undefined
      ? {}
      : {
          approval: {
            votes: approval.rules.votes,
            ownVote: approval.rules.ownVote,
            isConditional: approval.when !== undefined,
          },
        }),
  };
}

const known = new WeakMap<Tool, object>();

/** What a schema says in code alone is left out: the tool's own check decides. */
function schemaOf(each: Tool): object {
  const before = known.get(each);
  if (before !== undefined) return before;
  const schema = z.toJSONSchema(each.input, { io: 'input', unrepresentable: 'any' });
  known.set(each, schema);
  return schema;
}
