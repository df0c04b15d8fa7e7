// Holds an answer against the OpenAPI document: its status, its headers, its media type and every member of
// its body must stand there. The document alone decides: of the routes nothing is read but what it says.
import { type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { described, type OpenApiDocument, openApiDocument } from '@action-ledger/gateway';
import { type Said } from './world.ts';

export const document: OpenApiDocument = openApiDocument(described);

export const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  // The document as a whole is no schema: its schemas are looked at, one by one.
  keywords: Object.keys(document),
});
ajv.addSchema(document, 'api', false, false);

/** Of the connection, not of the answer (RFC 9110), or said by the members of the response themselves. */
const framing = new Set([
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
]);

interface Response {
  readonly content?: Readonly<Record<string, object>>;
  readonly headers?: Readonly<Record<string, object>>;
}

type Operations = Readonly<
  Record<string, { readonly responses?: Readonly<Record<string, Response>> } | undefined>
>;

/** @returns what is wrong, or undefined */
export function misfitOf(method: string, path: string, said: Said): string | undefined {
  const operations = (document.paths?.[path] ?? {}) as Operations;
  const responses = operations[method.toLowerCase()]?.responses ?? {};
  const response = responses[String(said.status)];
  if (response === undefined) return `${said.status} is not among its statuses: ${said.text}`;
  const at = ['paths', path, method.toLowerCase(), 'responses', String(said.status)];
  return misfitOfResponse(response, at, said);
}

/** Of what is answered where there is no operation. */
export function misfitOfNone(said: Said): string | undefined {
  const name = said.status === 405 ? 'NoSuchMethod' : 'NoSuchAddress';
  const responses = document.components?.responses as Readonly<Record<string, Response>>;
  if (said.json['status'] !== said.status) return `${said.status} with ${said.text}`;
  return misfitOfResponse(responses[name] ?? {}, ['components', 'responses', name], said);
}

function misfitOfResponse(
  response: Response,
  at: readonly string[],
  said: Said,
): string | undefined {
  const mediaType = String(said.headers['content-type']).split(';')[0] ?? '';
  if (!(mediaType in (response.content ?? {}))) return `${said.status} as ${mediaType}`;
  const isJson = mediaType.endsWith('json');
  return (
    headerMisfit(response, said) ??
    (isJson ? bodyMisfit([...at, 'content', mediaType, 'schema'], said) : undefined)
  );
}

function bodyMisfit(at: readonly string[], said: Said): string | undefined {
  const validate = validatorAt(at);
  if (validate === undefined) return 'the document has no schema for it';
  return validate(said.json) ? undefined : `${ajv.errorsText(validate.errors)}: ${said.text}`;
}

function headerMisfit({ headers = {} }: Response, said: Said): string | undefined {
  const declared = new Map(Object.keys(headers).map((name) => [name.toLowerCase(), name]));
  for (const [name, value] of Object.entries(said.headers)) {
    if (framing.has(name)) continue;
    const form = declared.get(name);
    if (form === undefined) return `${said.status} with a header that is not declared: ${name}`;
    const validate = validatorAt(['components', 'headers', form, 'schema']);
    if (validate?.(value) !== true) return `${name} is ${String(value)}`;
  }
  return undefined;
}

type Steps = readonly string[];

/** What stands at a place of the document; a reference is followed. */
export function placeOf(steps: Steps): { readonly steps: Steps; readonly value: unknown } {
  let value: unknown = document;
  for (const step of steps) value = (value as Readonly<Record<string, unknown>>)[step];
  const { $ref: ref } = { ...(value as { readonly $ref?: unknown }) };
  return typeof ref === 'string' ? placeOf(ref.split('/').slice(1)) : { steps, value };
}

/** Each is compiled once, however many places refer to it. */
export function validatorAt(steps: Steps): ValidateFunction | undefined {
  const pointer = placeOf(steps)
    .steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1'))
    .join('/');
  return ajv.getSchema(`api#/${encodeURI(pointer)}`);
}
