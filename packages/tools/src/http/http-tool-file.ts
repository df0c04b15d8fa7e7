// HTTP tools from a JSON file: the same declaration as `httpTool`, with the arguments as JSON Schema and
// secrets by name. Unknown members are refused, so that a misspelt rule is not a missing rule.
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import {
  approval,
  downstreamKey,
  guarantee,
  json,
  load,
  naming,
  times,
} from '../declaration-forms.ts';
import { isRecord } from '../forms.ts';
import { inputFromJsonSchema } from '../schema/json-schema.ts';
import { type Tool } from '../tool.ts';
import { ToolDeclarationError } from '../tool-declaration-error.ts';
import { conditionForm, conditionOf, policyForm, policyOf } from './file-conditions.ts';
import { type HeaderSecret, type HeaderValue, type HttpToolDefinition } from './http-definition.ts';
import { httpTool } from './http-tool.ts';

export interface ToolFileOptions {
  /** The secret of a name, asked at each send. Rejecting or throwing: nothing is sent. */
  readonly secret: (name: string) => string | Promise<string>;
}

/**
 * @param file one tool, or `{ "tools": [ … ] }`, parsed or as text
 * @throws ToolDeclarationError
 */
export function httpToolFile(file: JsonValue, options: ToolFileOptions): readonly Tool[] {
  const { secret } = (isRecord(options) ? options : {}) as Partial<ToolFileOptions>;
  if (typeof secret !== 'function')
    throw new ToolDeclarationError(
      'tool.file',
      '(file)',
      'give how secrets are had, beside it: httpToolFile(file, { secret: (name) => … }).',
    );
  const json = typeof file === 'string' ? parseText(file) : file;
  const hasList = typeof json === 'object' && json !== null && 'tools' in json;
  const parsed = fileForm.safeParse(hasList ? json : { tools: [json] });
  if (!parsed.success)
    throw new ToolDeclarationError(
      'tool.file',
      '(file)',
      z.prettifyError(parsed.error).replaceAll('\n', ' '),
    );
  return parsed.data.tools.map((form) => {
    const tool = httpTool(definitionOf(form, secret));
    checkConditions(form, tool);
    return tool;
  });
}

/** The names of the secrets that the tools of a file send, each once; empty where it is no tool file. */
export function secretsOfToolFile(file: JsonValue): readonly string[] {
  const hasList = isRecord(file) && 'tools' in file;
  const parsed = fileForm.safeParse(hasList ? file : { tools: [file] });
  if (!parsed.success) return [];
  const headers = parsed.data.tools.flatMap(({ request, lookup: asked }) =>
    [request.headers, asked?.headers].flatMap((each) => Object.values(each ?? {})),
  );
  const names = headers.flatMap((each) => (typeof each === 'string' ? [] : [each.secret]));
  return [...new Set(names)];
}

const status = z.union([z.int(), z.templateLiteral([z.enum(['1', '2', '3', '4', '5']), 'xx'])]);
const statuses = z.union([status, z.array(status)]);
const bodyTest = z.record(z.string(), json);
const header = z.union([
  z.string(),
  z.strictObject({ secret: z.string(), prefix: z.string().optional() }),
]);

const requestMembers = {
  url: z.string(),
  query: z.record(z.string(), z.string()).optional(),
  headers: z.record(z.string(), header).optional(),
  body: z.union([z.enum(['arguments', 'none']), z.record(z.string(), json)]).optional(),
  encoding: z.enum(['json', 'form']).optional(),
};

const rule = z.strictObject({
  status: statuses.optional(),
  body: bodyTest.optional(),
  outcome: z.enum(['succeeded', 'refused', 'refused before handling', 'in doubt']),
  reason: z.string().optional(),
  code: z.string().optional(),
  externalId: z.string().optional(),
});

const answers = z.strictObject({
  rules: z.array(rule).optional(),
  success: z
    .strictObject({
      status: statuses.optional(),
      body: bodyTest.optional(),
      externalId: z.string().optional(),
      result: z.string().optional(),
    })
    .optional(),
  format: z.enum(['json', 'text']).optional(),
});

const lookup = z.strictObject({
  ...requestMembers,
  method: z.enum(['GET', 'POST']),
  found: z
    .strictObject({
      status: statuses.optional(),
      items: z.string().optional(),
      match: bodyTest.optional(),
      externalId: z.string().optional(),
      result: z.string().optional(),
    })
    .optional(),
  absent: z
    .strictObject({
      status: statuses.optional(),
      body: bodyTest.optional(),
      complete: z.union([z.literal(true), bodyTest]).optional(),
    })
    .optional(),
});

const [always, byVotes] = approval.options;
const approvalWithCondition = z.union([
  always,
  z.strictObject({ ...byVotes.shape, when: conditionForm.optional() }),
]);

const toolForm = z.strictObject({
  ...naming,
  kind: z.enum(['write', 'read']).optional(),
  guarantee: guarantee.optional(),
  ...times,
  undoneBy: z
    .array(z.strictObject({ tool: z.string(), match: z.record(z.string(), z.string()) }))
    .optional(),
  approval: approvalWithCondition.optional(),
  policy: policyForm.optional(),
  load: load.optional(),
  downstreamKey: downstreamKey.optional(),
  request: z.strictObject({
    ...requestMembers,
    method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  }),
  keyPlace: z
    .union([
      z.literal('none'),
      z.strictObject({ in: z.enum(['header', 'query', 'body']), name: z.string() }),
    ])
    .optional(),
  answers: answers.optional(),
  lookup: lookup.optional(),
  compensate: z
    .strictObject({ tool: z.string(), arguments: z.record(z.string(), json) })
    .optional(),
  allowPrivate: z.boolean().optional(),
  responseBytesMax: z.int().optional(),
  socketsMax: z.int().optional(),
});

const fileForm = z.strictObject({ tools: z.array(toolForm).min(1) });

type ToolForm = z.infer<typeof toolForm>;

function definitionOf(
  tool: ToolForm,
  secret: ToolFileOptions['secret'],
): HttpToolDefinition<JsonObject> {
  const { approval, policy, ...rest } = tool;
  const definition = {
    ...rest,
    ...(approval !== undefined && { approval: approvalOf(approval) }),
    ...(policy !== undefined && { policy: policyOf(policy) }),
    input: inputFromJsonSchema(tool.input, tool.name),
    request: withSecrets(tool.request, secret),
    ...(tool.lookup !== undefined && { lookup: withSecrets(tool.lookup, secret) }),
  };
  // The form has the same members; zod's optional members also allow undefined, which JSON cannot hold.
  return definition as unknown as HttpToolDefinition<JsonObject>;
}

function approvalOf(approval: NonNullable<ToolForm['approval']>): unknown {
  if (typeof approval === 'boolean' || approval.when === undefined) return approval;
  return { ...approval, when: conditionOf(approval.when) };
}

/** A condition on an argument that does not exist would never hold, or always. */
function checkConditions({ approval, policy }: ToolForm, { name, fields }: Tool): void {
  const asked = typeof approval === 'object' ? [approval.when] : [];
  const conditions = [...asked, ...(policy?.rules ?? []).map(({ when }) => when)];
  const unknown = conditions
    .flatMap((condition) => Object.keys(condition ?? {}))
    .find((path) => !Object.hasOwn(fields, path));
  if (unknown !== undefined)
    throw new ToolDeclarationError(
      'tool.file',
      name,
      `\`when\` names "${unknown}", which is no argument.`,
    );
}

function withSecrets<Request extends { readonly headers?: ToolForm['request']['headers'] }>(
  request: Request,
  secret: ToolFileOptions['secret'],
): Omit<Request, 'headers'> & { readonly headers: Readonly<Record<string, HeaderValue>> } {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    const resolve = async (): Promise<HeaderSecret> => {
      const bare = await secret(value.secret);
      return { value: `${value.prefix ?? ''}${bare}`, secret: bare };
    };
    return [name, resolve] as const;
  });
  return { ...request, headers: Object.fromEntries<HeaderValue>(headers) };
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ToolDeclarationError(
      'tool.file',
      '(file)',
      `it is no JSON: ${(error as Error).message}`,
    );
  }
}
