// The OpenAPI 3.1 document, made of the routes themselves: what they take, every status that they can
// answer with, and who may ask. Nothing in it is written twice.
import {
  createDocument,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type ZodObject, type ZodType } from 'zod';
import { problemMediaType } from '../answers/http-answer.ts';
import { problemForm } from '../forms/problem-form.ts';
import { type Allowed, permissions } from '../permissions.ts';
import { type Described, type SuccessDoc } from '../route.ts';
import { headersNamed, headersOfStatus } from './headers.ts';
import { problemsOf, statusTexts } from './statuses.ts';

export type OpenApiDocument = ReturnType<typeof createDocument>;

export function openApiDocument(routes: readonly Described[]): OpenApiDocument {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Action ledger',
      version: '1',
      summary: 'One logical action has one identity, and zero or one effect.',
      description:
        'Propose what a model wants done; said again, it is answered from the record. Every answer has `messageForModel`, a sentence that a model can act on. Problems are RFC 9457 documents.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [
      { name: 'actions', description: 'Propose, and ask what became of it' },
      { name: 'people', description: 'Decide, settle, report' },
      { name: 'callers', description: 'Tools that programs carry out in processes of their own' },
      { name: 'workflows', description: 'Steps that are undone together' },
      { name: 'reading', description: 'Lists, history, events' },
      { name: 'schemas', description: 'Of records in Avro, as a schema registry answers' },
      { name: 'gateway', description: 'The gateway itself' },
    ],
    security: [{ apiKey: [] }, { bearer: [] }],
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      // What is answered where there is no operation.
      responses: { NoSuchAddress: problemResponse(404), NoSuchMethod: problemResponse(405) },
    },
    paths: pathsOf(routes),
  });
}

function pathsOf(routes: readonly Described[]): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const spec of routes)
    paths[spec.path] = { ...paths[spec.path], [spec.method.toLowerCase()]: operationOf(spec) };
  return paths;
}

function operationOf(spec: Described): ZodOpenApiOperationObject {
  const { name, tag, summary, description, params, query, headers, body } = spec;
  const isOpen = permissions[name] === 'open';
  const who = isOpen ? undefined : whoMay(permissions[name]);
  const told = [description, who].filter((text) => text !== undefined).join('\n\n');
  return {
    operationId: name,
    tags: [tag],
    summary,
    ...(told === '' ? {} : { description: told }),
    ...(isOpen ? { security: [] } : {}),
    requestParams: {
      ...(params === undefined ? {} : { path: params as ZodObject }),
      ...(query === undefined ? {} : { query: query as ZodObject }),
      ...(headers === undefined ? {} : { header: headers as ZodObject }),
    },
    ...(body === undefined ? {} : { requestBody: bodyOf(body, spec.requestExample) }),
    responses: {
      ...Object.fromEntries(Object.entries(spec.answers).map(([at, doc]) => [at, successOf(doc)])),
      ...Object.fromEntries(
        problemsOf(spec).map((status) => [String(status), problemOf(spec, status)]),
      ),
    },
  };
}

function whoMay(allowed: Allowed): string {
  return typeof allowed === 'string'
    ? 'For the owner of the machine.'
    : `Roles: ${allowed.join(', ')}.`;
}

function bodyOf(
  body: ZodType,
  example: unknown,
): NonNullable<ZodOpenApiOperationObject['requestBody']> {
  return {
    // What may be left out whole may be left out.
    required: !body.safeParse({}).success,
    content: { 'application/json': { schema: body, example } },
  };
}

function successOf(doc: SuccessDoc): ZodOpenApiResponseObject {
  const { description, schema, headers = [], example, mediaTypes = ['application/json'] } = doc;
  const content = { schema, ...(example === undefined ? {} : { example }) };
  return {
    description,
    content: Object.fromEntries(mediaTypes.map((type) => [type, content])),
    headers: headersNamed(headers),
  };
}

function problemOf(spec: Described, status: number): ZodOpenApiResponseObject {
  const own = spec.problemHeaders?.[status] ?? [];
  return {
    ...problemResponse(status),
    headers: headersNamed([...headersOfStatus(status), ...own]),
  };
}

function problemResponse(status: number): ZodOpenApiResponseObject {
  return {
    description: statusTexts[status] ?? 'A problem.',
    headers: headersNamed(headersOfStatus(status)),
    content: { [problemMediaType]: { schema: problemForm } },
  };
}
