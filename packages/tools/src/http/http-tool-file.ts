// HTTP tools from a JSON file: the same declaration as `httpTool`, with the arguments as JSON Schema and
// secrets by name. Unknown members are refused, so that a misspelt rule is not a missing rule.
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type Duration } from '../duration.ts';
import { isRecord } from '../forms.ts';
import { inputFromJsonSchema } from '../schema/json-schema.ts';
import { type Tool } from '../tool.ts';
import { ToolDeclarationError } from '../tool-declaration-error.ts';
import { type HeaderValue, type HttpToolDefinition } from './http-definition.ts';
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
  return parsed.data.tools.map((tool) => httpTool(definitionOf(tool, secret)));
}

const json = z.json() as z.ZodType<JsonValue>;
const status = z.union([z.int(), z.templateLiteral([z.enum(['1', '2', '3', '4', '5']), 'xx'])]);
const statuses = z.union([status, z.array(status)]);
const bodyTest = z.record(z.string(), json);
const duration = z.union([z.int(), z.string()]) as z.ZodType<Duration>;
const paths = z.array(z.string());
const header = z.union([
  z.string(),
  z.strictObject({ secret: z.string(), prefix: z.string().optional() }),
]);
const normalization = z.enum(['nfc', 'trim', 'lowercase', 'collapse-whitespace']);

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

const times = {
  keyWindow: duration.optional(),
  settleMs: z.int().optional(),
  timeoutMs: z.int().optional(),
  inFlightMs: z.int().optional(),
  leaseMs: z.int().optional(),
  validFor: duration.optional(),
  undoWindow: duration.optional(),
  retry: z
    .strictObject({
      attempts: z.int().optional(),
      backoffMinMs: z.int().optional(),
      backoffMaxMs: z.int().optional(),
    })
    .optional(),
  checks: z
    .strictObject({
      intervalMinMs: z.int().optional(),
      intervalMaxMs: z.int().optional(),
      checksMax: z.int().optional(),
      escalateAfterMs: z.int().optional(),
    })
    .optional(),
};

const load = z.strictObject({
  concurrent: z.int().optional(),
  perSecond: z.number().optional(),
  oneAtATime: paths.optional(),
});

const identity = {
  identity: paths.optional(),
  free: paths.optional(),
  normalize: z.record(z.string(), z.union([normalization, z.array(normalization)])).optional(),
  sets: paths.optional(),
  scope: z.enum(['call', 'turn', 'run', 'conversation', 'tenant']).optional(),
};

const toolForm = z.strictObject({
  name: z.string(),
  kind: z.enum(['write', 'read']).optional(),
  description: z.string().optional(),
  input: z.record(z.string(), json),
  ...identity,
  secret: paths.optional(),
  keep: paths.optional(),
  identityVersion: z.int().optional(),
  previously: z.array(z.strictObject({ identityVersion: z.int(), ...identity })).optional(),
  key: z.enum(['derived', 'caller']).optional(),
  guarantee: z.enum(['idempotent', 'lookup', 'natural', 'manual']).optional(),
  ...times,
  undoneBy: z
    .array(z.strictObject({ tool: z.string(), match: z.record(z.string(), z.string()) }))
    .optional(),
  approval: z
    .union([
      z.boolean(),
      z.strictObject({
        votes: z.int().optional(),
        ownVote: z.boolean().optional(),
        expiresAfter: duration.optional(),
      }),
    ])
    .optional(),
  load: load.optional(),
  downstreamKey: z.enum(['base64url', 'uuid', 'hex']).optional(),
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
  const definition = {
    ...tool,
    input: inputFromJsonSchema(tool.input, tool.name),
    request: withSecrets(tool.request, secret),
    ...(tool.lookup !== undefined && { lookup: withSecrets(tool.lookup, secret) }),
  };
  // The form has the same members; zod's optional members also allow undefined, which JSON cannot hold.
  return definition as unknown as HttpToolDefinition<JsonObject>;
}

function withSecrets<Request extends { readonly headers?: ToolForm['request']['headers'] }>(
  request: Request,
  secret: ToolFileOptions['secret'],
): Omit<Request, 'headers'> & { readonly headers: Readonly<Record<string, HeaderValue>> } {
  const headers = Object.entries(request.headers ?? {}).map(([name, value]) => {
    if (typeof value === 'string') return [name, value] as const;
    return [name, async () => `${value.prefix ?? ''}${await secret(value.secret)}`] as const;
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
