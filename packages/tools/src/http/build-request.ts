// Fills a request template for one attempt. The parts that do not vary are prepared when the tool is
// declared; a value that would change the meaning of the URL is refused before anything is sent.
import { isJsonObject, type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type HttpRequest } from './http-client.ts';
import { type HttpRequestTemplate, type KeyPlace } from './http-definition.ts';
import {
  asText,
  compileTemplate,
  namesIn,
  type Part,
  parseTemplate,
  type Template,
  type Values,
} from './template.ts';

/** The request cannot be made of these arguments: nothing was sent, and trying again cannot help. */
export class UnsendableRequest extends Error {}

export interface RequestBuilder {
  readonly origin: URL;
  /** Names that url, query, headers and body use. */
  readonly names: readonly string[];
  /** @throws UnsendableRequest */
  readonly build: (
    args: JsonObject,
    values: Values,
    headers: Readonly<Record<string, string>>,
  ) => HttpRequest;
}

/** @throws Error that says what is wrong with the template */
export function compileRequest(template: HttpRequestTemplate, keyPlace: KeyPlace): RequestBuilder {
  const { method, encoding = 'json' } = template;
  const { origin, segments } = compileUrl(template.url);
  const query = Object.entries(withKey('query', template.query ?? {}, keyPlace)).map(
    ([name, text]) => [name, compileTemplate(text)] as const,
  );
  const headers = Object.entries(withKey('header', textHeaders(template), keyPlace)).map(
    ([name, text]) => [name.toLowerCase(), compileTemplate(text)] as const,
  );
  const inUrl = [...segments.flatMap(namesIn), ...query.flatMap(([, { names }]) => names)];
  const body = compileBody(template, keyPlace, new Set(inUrl));
  const fixed = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    ...(body !== undefined && { 'content-type': contentTypes[encoding] }),
  };
  return {
    origin,
    names: [
      ...new Set([...inUrl, ...headers.flatMap(([, { names }]) => names), ...(body?.names ?? [])]),
    ],
    build: (args, values, secretHeaders) => ({
      method,
      path: fillPath(segments, values) + fillQuery(query, values),
      headers: { ...fixed, ...fillHeaders(headers, values), ...secretHeaders },
      body: body === undefined ? undefined : encode(body.fill(args, values), encoding),
    }),
  };
}

const contentTypes = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
} as const;

/** Adds the downstream key's template where the provider takes it. */
function withKey(
  place: 'header' | 'query' | 'body',
  members: Readonly<Record<string, string>>,
  keyPlace: KeyPlace,
): Readonly<Record<string, string>> {
  if (keyPlace === 'none' || keyPlace.in !== place) return members;
  if (Object.keys(members).some((name) => name.toLowerCase() === keyPlace.name.toLowerCase()))
    throw new Error(`"${keyPlace.name}" is given twice: by the template and for the key`);
  return { ...members, [keyPlace.name]: '{$key}' };
}

function textHeaders({ headers = {} }: HttpRequestTemplate): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
}

function compileUrl(text: string): {
  readonly origin: URL;
  readonly segments: readonly (readonly Part[])[];
} {
  const match = /^(https?:\/\/[^/?#{}\\@\s]+)(\/[^?#\s\\]*)?$/.exec(text);
  const origin = match?.[1] === undefined ? null : URL.parse(match[1]);
  if (origin === null)
    throw new Error(
      `"${text}" must be http:// or https://, a fixed host without credentials, and a path; parameters go into "query"`,
    );
  const segments = (match?.[2] ?? '/').split('/').slice(1).map(parseTemplate);
  for (const parts of segments)
    for (const part of parts)
      if ('text' in part && /^(?:\.|%2e){1,2}$/i.test(part.text))
        throw new Error('the path has a "." or ".." member');
  return { origin, segments };
}

function fillPath(segments: readonly (readonly Part[])[], values: Values): string {
  let path = '';
  for (const parts of segments) {
    const segment = parts
      .map((part) =>
        'name' in part ? pathMember(part.name, values(part.name)) : encodeLiteral(part.text),
      )
      .join('');
    // A URL's reader would walk up the path here: another address than the one declared.
    if (/^\.{1,2}$/.test(segment))
      throw new UnsendableRequest(`a path member would be "${segment}"`);
    path += `/${segment}`;
  }
  return path;
}

function pathMember(name: string, value: JsonValue | undefined): string {
  const text = typeof value === 'object' ? '' : asText(value);
  if (text === '') throw new UnsendableRequest(`"${name}" has no value that can stand in a path`);
  return encodeURIComponent(text);
}

/** Literal text keeps the escapes it has. */
function encodeLiteral(text: string): string {
  return encodeURI(text).replace(/%25([0-9A-Fa-f]{2})/g, '%$1');
}

function fillQuery(query: readonly (readonly [string, Template])[], values: Values): string {
  const parameters = new URLSearchParams();
  for (const [name, { fill }] of query) {
    const value = fill(values);
    if (value === undefined || value === null) continue;
    const items: readonly JsonValue[] = Array.isArray(value)
      ? (value as readonly JsonValue[])
      : [value];
    for (const item of items) parameters.append(name, asText(item));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

function fillHeaders(
  headers: readonly (readonly [string, Template])[],
  values: Values,
): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, { fill }] of headers) {
    const text = asText(fill(values));
    if (/[^\t\x20-\x7e\x80-\xff]/.test(text))
      throw new UnsendableRequest(`header "${name}" would hold a character that headers cannot`);
    if (text !== '') filled[name] = text;
  }
  return filled;
}

interface Body {
  readonly names: readonly string[];
  readonly fill: (args: JsonObject, values: Values) => JsonObject;
}

function compileBody(
  template: HttpRequestTemplate,
  keyPlace: KeyPlace,
  usedInUrl: ReadonlySet<string>,
): Body | undefined {
  const { method, body = method === 'GET' || method === 'DELETE' ? 'none' : 'arguments' } =
    template;
  const keyMember = withKey('body', {}, keyPlace);
  const hasKey = Object.keys(keyMember).length > 0;
  if (body === 'none') {
    if (hasKey) throw new Error('the key goes into the body, but the request has none');
    return undefined;
  }
  if (method === 'GET') throw new Error('a GET has no body; use "query"');
  const key = compileTemplate(keyMember);
  if (body === 'arguments')
    return {
      names: key.names,
      fill: (args, values) => ({
        ...without(args, usedInUrl),
        ...(key.fill(values) as JsonObject),
      }),
    };
  if (!isJsonObject(body)) throw new Error('body must be "arguments", "none" or an object');
  const filled = compileTemplate({ ...body, ...(keyMember as JsonObject) });
  return { names: filled.names, fill: (_args, values) => filled.fill(values) as JsonObject };
}

function without(args: JsonObject, names: ReadonlySet<string>): JsonObject {
  if (names.size === 0) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => !names.has(name)));
}

function encode(body: JsonObject, encoding: 'json' | 'form'): string {
  if (encoding === 'json') return JSON.stringify(body);
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) addToForm(parameters, name, value);
  return parameters.toString();
}

function addToForm(parameters: URLSearchParams, name: string, value: JsonValue): void {
  if (typeof value !== 'object' || value === null) parameters.append(name, asText(value));
  else
    for (const [member, inner] of Object.entries(value))
      addToForm(parameters, `${name}[${member}]`, inner);
}
