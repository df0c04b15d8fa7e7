// One try of one request: what was heard, or what is known of a request that nothing was heard of. Redirects
// are not followed, so that a key goes nowhere else; what is no answer of a ledger is not taken for one.
import { type Timers } from '@action-ledger/runtime';
import { type Secret, secretText } from './remote-options.ts';
import { isAborted, whenAborted } from './when-aborted.ts';

export interface Asked {
  readonly method: 'GET' | 'POST';
  /** Behind the URL of the ledger: `v1/actions`. */
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Line {
  readonly url: URL;
  readonly apiKey: Secret | undefined;
  readonly token: Secret | undefined;
  readonly fetch: typeof fetch;
  readonly timers: Timers;
}

/** A problem document of RFC 9457, as the gateway writes it. */
export interface Problem {
  readonly type: string;
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly [member: string]: unknown;
}

export type Heard =
  | {
      readonly kind: 'answer';
      readonly body: Readonly<Record<string, unknown>>;
      readonly headers: Headers;
    }
  | {
      readonly kind: 'problem';
      readonly status: number;
      readonly problem: Problem;
      readonly headers: Headers;
    }
  /** Nothing arrived there. */
  | { readonly kind: 'not sent'; readonly cause: unknown }
  /** It may have arrived, and have been carried out. */
  | { readonly kind: 'no answer'; readonly why: string; readonly cause?: unknown }
  | { readonly kind: 'tls'; readonly sent: boolean; readonly cause: unknown }
  | { readonly kind: 'redirected'; readonly status: number; readonly to: string | undefined }
  /** Not from a ledger: a proxy, a portal, another service. */
  | { readonly kind: 'stranger'; readonly status: number; readonly headers: Headers };

/** @param ends each of them ends it: what was sent by then may be carried out */
export async function tryOnce(
  line: Line,
  asked: Asked,
  withinMs: number,
  ends: readonly AbortSignal[],
): Promise<Heard> {
  // Outside: what a function of the program throws is its own.
  const headers = await headersOf(line, asked);
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  if (isAborted(ends)) end();
  const letGo = whenAborted(ends, end);
  const timer = line.timers.after(withinMs, end, { keepsAlive: true });
  try {
    return await heardFrom(
      await line.fetch(new URL(asked.path, line.url), {
        method: asked.method,
        redirect: 'manual',
        headers,
        signal: ended.signal,
        ...(asked.body === undefined ? {} : { body: JSON.stringify(asked.body) }),
      }),
    );
  } catch (fault) {
    if (ended.signal.aborted)
      return { kind: 'no answer', why: `nothing was answered within ${withinMs} ms`, cause: fault };
    return ofFault(fault);
  } finally {
    timer.cancel();
    letGo();
  }
}

async function headersOf(line: Line, { body, headers }: Asked): Promise<Record<string, string>> {
  const read = async (secret: Secret): Promise<string> =>
    secretText(typeof secret === 'function' ? await secret() : secret);
  return {
    accept: 'application/json, application/problem+json',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(line.apiKey === undefined ? {} : { 'x-api-key': await read(line.apiKey) }),
    ...(line.token === undefined ? {} : { authorization: `Bearer ${await read(line.token)}` }),
    ...headers,
  };
}

const problemType = 'urn:action-ledger:problem:';

async function heardFrom(response: Response): Promise<Heard> {
  const { status, headers } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    return { kind: 'redirected', status, to: headers.get('location') ?? undefined };
  }
  const text = await textOf(response);
  if (text === undefined) return { kind: 'no answer', why: 'the answer was too large to be read' };
  const body = objectOf(text, headers.get('content-type') ?? '');
  if (body === undefined) return { kind: 'stranger', status, headers };
  const problem = problemIn(body);
  if (problem !== undefined) return { kind: 'problem', status, headers, problem };
  return status >= 200 && status < 300
    ? { kind: 'answer', body, headers }
    : { kind: 'stranger', status, headers };
}

function problemIn(body: Readonly<Record<string, unknown>>): Problem | undefined {
  const { type, code, title } = body;
  return typeof type === 'string' && type.startsWith(problemType) && typeof code === 'string'
    ? { ...body, type, code, title: String(title) }
    : undefined;
}

/** A list of a thousand rows with large arguments is far below. */
const answerBytesMax = 64 * 1024 * 1024;

async function textOf({ body }: Response): Promise<string | undefined> {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    if (bytes > answerBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function objectOf(text: string, mediaType: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^application\/(problem\+)?json\b/i.test(mediaType)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    return undefined;
  }
}

function ofFault(fault: unknown): Heard {
  const causes = causesOf(fault);
  if (causes.some(isOfCertificate)) return { kind: 'tls', sent: false, cause: fault };
  if (causes.some(({ code }) => code === 'EPROTO' || code?.startsWith('ERR_SSL_') === true))
    return { kind: 'tls', sent: true, cause: fault };
  if (causes.some(isOfConnecting)) return { kind: 'not sent', cause: fault };
  const said = causes
    .map(({ message }) => message)
    .filter((each) => each !== undefined && each !== '');
  return { kind: 'no answer', why: said.at(-1) ?? 'the connection broke', cause: fault };
}

interface Cause {
  readonly code?: string;
  readonly syscall?: string;
  readonly message?: string;
  readonly cause?: unknown;
  /** Of the addresses that were tried at once. */
  readonly errors?: readonly unknown[];
}

const causesMax = 8;

/** `fetch` says "fetch failed"; what did is its cause. */
function causesOf(fault: unknown): readonly Cause[] {
  const found: Cause[] = [];
  let next: unknown = fault;
  while (typeof next === 'object' && next !== null && found.length < causesMax) {
    const cause = next as Cause;
    found.push(cause);
    next = cause.cause ?? cause.errors?.[0];
  }
  return found;
}

/** Checked before the request is written. */
function isOfCertificate({ code = '' }: Cause): boolean {
  return /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_CERT_|HOSTNAME_MISMATCH)/.test(code);
}

function isOfConnecting({ code, syscall }: Cause): boolean {
  return syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT';
}
