// One question to a registry, by the REST API that Confluent's has and others share: an answer, a no of the
// registry by its error code, or a fault. What is no answer of a registry is not taken for one.
// https://docs.confluent.io/platform/current/schema-registry/develop/api.html
import { type Timers } from '@action-ledger/runtime';
import { RegistryFault } from './registry-fault.ts';

export const registryMediaType = 'application/vnd.schemaregistry.v1+json';

export interface Line {
  /** Without user and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly timers: Timers;
  readonly withinMs: number;
  readonly fetch: typeof fetch;
}

export interface Question {
  /** Segments, as they are. */
  readonly path: readonly (string | number)[];
  readonly body?: object;
  /** With these a registry says that there is none, whatever its error code. */
  readonly noneBy?: ReadonlySet<number>;
}

export type Heard =
  | { readonly kind: 'answer'; readonly body: unknown }
  /** Such as 40401: there is no such subject. */
  | { readonly kind: 'none'; readonly errorCode: number };

/** @throws RegistryFault */
export async function askRegistry(line: Line, question: Question): Promise<Heard> {
  const { path, body, noneBy } = question;
  const ended = new AbortController();
  const timer = line.timers.after(
    line.withinMs,
    () => {
      ended.abort();
    },
    { keepsAlive: true },
  );
  const url = new URL(path.map(encodeURIComponent).join('/'), line.url);
  try {
    const response = await line.fetch(url, {
      method: body === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: {
        accept: registryMediaType,
        ...(body === undefined ? {} : { 'content-type': registryMediaType }),
        ...line.headers,
      },
      signal: ended.signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return heardFrom(url, response.status, objectIn(await textOf(response)), noneBy);
  } catch (cause) {
    if (cause instanceof RegistryFault) throw cause;
    const why = ended.signal.aborted
      ? `nothing was answered within ${line.withinMs} ms`
      : 'the connection broke';
    throw new RegistryFault('registry.unavailable', `The registry at ${url.host}: ${why}.`, {
      cause,
    });
  } finally {
    timer.cancel();
  }
}

/** Lists of versions are short, schemas of a few kilobytes. */
const answerBytesMax = 4 * 1024 * 1024;

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A list or an object; undefined where it is none. */
function objectIn(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function heardFrom(
  { host, pathname }: URL,
  status: number,
  body: object | undefined,
  noneBy: ReadonlySet<number> = new Set(),
): Heard {
  const at = `The registry at ${host} answers ${pathname} with ${status}`;
  if (status === 200 && body !== undefined) return { kind: 'answer', body };
  const { error_code: errorCode, message } = (body ?? {}) as {
    readonly error_code?: unknown;
    readonly message?: unknown;
  };
  // Without an error code it may be a proxy who says it.
  if (typeof errorCode === 'number' && (noneBy.has(status) || isNone(status, errorCode)))
    return { kind: 'none', errorCode };
  const said = typeof message === 'string' ? `: ${message.slice(0, 500)}` : '';
  if (status === 409) throw new RegistryFault('registry.incompatible', `${at}${said}`);
  if (refusals.has(status)) throw new RegistryFault('registry.refused', `${at}${said}`);
  // A proxy that is up before its registry says many things.
  throw new RegistryFault('registry.unavailable', `${at}, which is no answer of a registry`);
}

/** 404 alone is of the framework: there is no such address. */
function isNone(status: number, errorCode: number): boolean {
  return status === 404 && errorCode > 40_400;
}

/** Asking again brings the same. */
const refusals: ReadonlySet<number> = new Set([400, 401, 403, 405, 422]);
