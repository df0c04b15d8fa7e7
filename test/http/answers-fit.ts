// Holds an answer against the OpenAPI document: its status, its media type and its body must stand there.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { docsPage, type OpenApiDocument, openApiDocument, routes } from '@action-ledger/gateway';
import { type Said } from './world.ts';

export const document: OpenApiDocument = openApiDocument([...routes, docsPage]);

export const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(document, 'api');

type Operations = Readonly<
  Record<string, { readonly responses?: Readonly<Record<string, object>> } | undefined>
>;

/** @returns what is wrong, or undefined */
export function misfitOf(method: string, path: string, said: Said): string | undefined {
  const operations = (document.paths?.[path] ?? {}) as Operations;
  const responses = operations[method.toLowerCase()]?.responses ?? {};
  const response = responses[String(said.status)] as { readonly content?: object } | undefined;
  if (response === undefined) return `${said.status} is not among its statuses: ${said.text}`;
  const mediaType = String(said.headers['content-type']).split(';')[0] ?? '';
  if (!(mediaType in (response.content ?? {}))) return `${said.status} as ${mediaType}`;
  const validate = ajv.getSchema(schemaRef(method, path, said.status, mediaType));
  if (validate === undefined) return 'the document has no schema for it';
  return validate(said.json) ? undefined : `${ajv.errorsText(validate.errors)}: ${said.text}`;
}

function schemaRef(method: string, path: string, status: number, type: string): string {
  const own = ['paths', path, method.toLowerCase()];
  return pointerRef([...own, 'responses', String(status), 'content', type, 'schema']);
}

/** A place in the document, as a reference that the validator resolves. */
export function pointerRef(steps: readonly string[]): string {
  const pointer = steps.map((step) => step.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
  return `api#/${encodeURI(pointer)}`;
}
