// A tool that acts by one HTTP request, declared as data. Requests go out once per attempt, in the tick
// of `beforeSend`, without retries or redirects; answers are read by declared rules, doubt being the rule.
import { type JsonObject, type JsonValue, readField, traceContextOf } from '@action-ledger/domain';
import { type AttemptResult, notSent, refused } from '../attempt-result.ts';
import { defineTool, failOf } from '../define-tool.ts';
import { type AttemptContext, type ExecuteContext, type LookupVerdict } from '../definition.ts';
import { type HttpRefusalCode } from '../refusal-codes.ts';
import { describeThrown } from '../safe-text.ts';
import { redactMembers } from '../secrets.ts';
import { type Fail } from '../tool-declaration-error.ts';
import { type Tool, type ToolCompensation, type TypedTool } from '../tool.ts';
import { checkHttpMembers } from './check-http-members.ts';
import { compileRequest, type RequestBuilder, UnsendableRequest } from './build-request.ts';
import { createHttpClient, type HttpAnswer, type HttpClient } from './http-client.ts';
import {
  type HttpLookup,
  type HttpRequestTemplate,
  type HttpToolDefinition,
  type KeyPlace,
} from './http-definition.ts';
import { compileLookup, type LookupReader } from './http-lookup.ts';
import { type AnswerReader, compileAnswers } from './read-answer.ts';
import { compileSecretHeaders, type HadHeaders, type SecretHeaders } from './secret-headers.ts';
import { compileTemplate, type Values } from './template.ts';

/** @throws ToolDeclarationError */
export function httpTool<Args>(definition: HttpToolDefinition<Args>): TypedTool<Args, JsonValue> {
  return declare(definition as unknown as HttpToolDefinition<JsonObject>);
}

function declare(definition: HttpToolDefinition<JsonObject>): Tool {
  const fail = failOf(definition);
  checkHttpMembers(definition, fail);
  const {
    request,
    keyPlace,
    answers,
    lookup,
    compensate,
    allowPrivate,
    responseBytesMax,
    socketsMax,
    ...common
  } = definition;
  const place = keyPlace ?? defaultKeyPlace(definition);
  const client: ClientSettings = {
    allowPrivate: allowPrivate ?? false,
    responseBytesMax: limit('responseBytesMax', responseBytesMax, defaultResponseBytes, fail),
    socketsMax: limit('socketsMax', socketsMax, defaultSockets, fail),
  };
  const action = compile('tool.http', fail, () => ({
    ...prepare(request, place, client),
    answers: compileAnswers(answers),
  }));
  const asking = compile('tool.lookup', fail, () =>
    lookup === undefined ? undefined : prepareLookup(lookup, client),
  );
  const tool = defineTool<JsonObject>({
    ...common,
    execute: (context: ExecuteContext<JsonObject>) => execute(context, action),
    ...(asking !== undefined && {
      lookup: (context: AttemptContext<JsonObject>) => ask(context, asking),
    }),
    ...(compensate !== undefined && {
      compensate: compile('tool.compensate', fail, () => compileCompensation(compensate)),
    }),
  });
  checkRequest(tool, request, action, fail);
  if (asking !== undefined) checkLookup(tool, asking, fail);
  if (compensate !== undefined) checkCompensation(tool, compensate.arguments, fail);
  return tool;
}

const defaultResponseBytes = 1_048_576;
const defaultSockets = 256;

type ClientSettings = Omit<Parameters<typeof createHttpClient>[0], 'origin'>;

interface Prepared {
  readonly request: RequestBuilder;
  readonly secretHeaders: SecretHeaders;
  readonly client: HttpClient;
}

interface Action extends Prepared {
  readonly answers: AnswerReader;
}

interface Asking extends Prepared {
  readonly reader: LookupReader;
}

function prepare(
  template: HttpRequestTemplate,
  keyPlace: KeyPlace,
  settings: ClientSettings,
): Prepared {
  const request = compileRequest(template, keyPlace);
  return {
    request,
    secretHeaders: compileSecretHeaders(template.headers ?? {}),
    client: createHttpClient({ ...settings, origin: request.origin }),
  };
}

function prepareLookup(lookup: HttpLookup, settings: ClientSettings): Asking {
  return { ...prepare(lookup, 'none', settings), reader: compileLookup(lookup) };
}

async function execute(
  context: ExecuteContext<JsonObject>,
  action: Action,
): Promise<AttemptResult> {
  const values = valuesOf(context);
  let had: HadHeaders;
  try {
    had = await action.secretHeaders.resolve();
  } catch (error) {
    return notSent(`a secret header could not be had: ${describeThrown(error)}`);
  }
  try {
    const answer = await send(context, action, values, had.headers, context.beforeSend);
    return redactMembers(action.answers.read(answer, values), had.echoes);
  } catch (error) {
    if (error instanceof UnsendableRequest)
      return refused(error.message, { code: 'http.unsendable' satisfies HttpRefusalCode });
    throw error;
  }
}

async function ask(context: AttemptContext<JsonObject>, asking: Asking): Promise<LookupVerdict> {
  const values = valuesOf(context);
  const { headers, echoes } = await asking.secretHeaders.resolve();
  const answer = await send(context, asking, values, headers, () => undefined);
  return redactMembers(asking.reader.read(answer, values), echoes);
}

function send(
  context: AttemptContext<JsonObject>,
  { request, client }: Prepared,
  values: Values,
  secretHeaders: Readonly<Record<string, string>>,
  beforeSend: () => void,
): Promise<HttpAnswer> {
  const { signal } = context;
  const trace = { ...traceContextOf(context.traceparent, context.tracestate) };
  const built = request.build(context.arguments, values, { ...trace, ...secretHeaders });
  return client.send(built, { signal, beforeSend });
}

const contextNames = ['$key', '$action', '$tenant'];
const lookupNames = [...contextNames, '$firstDispatchedAt', '$externalId'];

function valuesOf(context: AttemptContext<JsonObject>): Values {
  return (name) => {
    switch (name) {
      case '$key':
        return context.downstreamKey;
      case '$action':
        return context.actionId;
      case '$tenant':
        return context.tenant;
      case '$firstDispatchedAt': {
        const first = context.attempts[0];
        return first === undefined ? undefined : new Date(first.dispatchedAt).toISOString();
      }
      case '$externalId':
        return context.evidence.findLast(({ externalId }) => externalId !== undefined)?.externalId;
      // Anything else names an argument.
      default:
        return readField(context.arguments, name);
    }
  };
}

function defaultKeyPlace({ kind }: HttpToolDefinition<JsonObject>): KeyPlace {
  return kind === 'read' ? 'none' : { in: 'header', name: 'Idempotency-Key' };
}

/** A write that promises dedupe must send the key on every path (F125). */
function checkRequest(
  tool: Tool,
  { method }: HttpRequestTemplate,
  { request, answers }: Action,
  fail: Fail,
): void {
  checkNames(tool, 'request', [...request.names, ...answers.names], contextNames, fail);
  if (tool.kind === 'write' && method === 'GET')
    fail(
      'tool.http',
      'a GET may be repeated or cached by anything on its way; a write needs POST, PUT, PATCH or DELETE.',
    );
  if (tool.rules.guarantee === 'idempotent' && !request.names.includes('$key'))
    fail(
      'tool.http',
      'guarantee "idempotent", but the request does not carry the key; set keyPlace, or use {$key} in it.',
    );
}

function checkLookup(tool: Tool, { request, reader }: Asking, fail: Fail): void {
  checkNames(tool, 'lookup', [...request.names, ...reader.names], lookupNames, fail);
  if (!reader.isTied && !request.names.includes('$key') && !request.names.includes('$externalId'))
    fail(
      'tool.lookup',
      'nothing ties what the lookup finds to this action; ask by {$key}, or set found.match to our reference ({ "/reference": "{$key}" }).',
    );
}

function checkNames(
  tool: Tool,
  where: string,
  names: readonly string[],
  known: readonly string[],
  fail: Fail,
): void {
  const unknown = names.find((name) => !known.includes(name) && !Object.hasOwn(tool.fields, name));
  if (unknown !== undefined)
    fail(
      'tool.unknown-field',
      `${where} uses {${unknown}}, which is no argument; arguments are {${Object.keys(tool.fields).join('}, {')}}, others ${known.join(', ')}.`,
    );
}

function compileCompensation({
  tool,
  arguments: template,
}: NonNullable<HttpToolDefinition['compensate']>): ToolCompensation {
  const compiled = compileTemplate(template);
  return {
    tool,
    arguments: (original) => {
      const root = original as unknown as JsonObject;
      return compiled.fill((name) => readField(root, name)) as Record<string, unknown>;
    },
  };
}

function checkCompensation(
  tool: Tool,
  template: Readonly<Record<string, JsonValue>>,
  fail: Fail,
): void {
  for (const name of compileTemplate(template).names) {
    if (name === 'externalId' || name === 'result' || name.startsWith('result.')) continue;
    if (
      name.startsWith('arguments.') &&
      Object.hasOwn(tool.fields, name.slice('arguments.'.length))
    )
      continue;
    fail(
      'tool.compensate',
      `compensate uses {${name}}; use {arguments.<field>}, {result.<member>} or {externalId}.`,
    );
  }
}

function compile<Made>(
  code: 'tool.http' | 'tool.lookup' | 'tool.compensate',
  fail: Fail,
  make: () => Made,
): Made {
  try {
    return make();
  } catch (error) {
    return fail(code, `${(error as Error).message}.`);
  }
}

function limit(name: string, declared: number | undefined, byDefault: number, fail: Fail): number {
  const value = declared ?? byDefault;
  if (!Number.isSafeInteger(value) || value < 1)
    fail('tool.http', `${name} must be a whole number from 1.`);
  return value;
}
