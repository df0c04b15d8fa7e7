// Sends one HTTP request exactly once and says what is known of it. Nothing is retried, redirected or
// resent, not even on a keep-alive socket that turns out to be closed (F067). The request is written
// only when a connection stands: what fails before that is proven not to have been sent.
import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import https from 'node:https';
import { type Socket } from 'node:net';
import { describeThrown } from '../safe-text.ts';
import { PrivateAddressError, publicLookup, refuseAddressLiteral } from './address-guard.ts';

export interface HttpRequest {
  readonly method: string;
  /** Path and query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

interface SendOptions {
  readonly signal: AbortSignal;
  /** In the tick of the write; where it throws, nothing is written. */
  readonly beforeSend: () => void;
}

export type HttpAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: Buffer;
    }
  /** A status came, but not the whole body. */
  | {
      readonly kind: 'cut';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly reason: string;
    }
  | { readonly kind: 'no answer'; readonly reason: string }
  /** No byte of the request has left. */
  | { readonly kind: 'not sent'; readonly reason: string; readonly isAddressRefused: boolean };

export interface HttpClientOptions {
  /** Scheme, host and port. */
  readonly origin: URL;
  readonly allowPrivate: boolean;
  readonly responseBytesMax: number;
  readonly socketsMax: number;
}

export interface HttpClient {
  /** Never rejects. */
  readonly send: (request: HttpRequest, options: SendOptions) => Promise<HttpAnswer>;
}

/** Shorter than common servers keep an idle socket: the rarer is a send into a closing one. */
const idleSocketMs = 4_000;

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { origin, allowPrivate, socketsMax } = options;
  const isSecure = origin.protocol === 'https:';
  const transport = isSecure ? https : http;
  const agent = new transport.Agent({
    keepAlive: true,
    maxSockets: socketsMax,
    maxFreeSockets: socketsMax,
    timeout: idleSocketMs,
  });
  const host = origin.hostname.replace(/^\[|\]$/g, '');
  const refusedHost = allowPrivate ? undefined : refuseAddressLiteral(host);
  const target = {
    protocol: origin.protocol,
    host,
    agent,
    ...(origin.port !== '' && { port: Number(origin.port) }),
    ...(!allowPrivate && { lookup: publicLookup }),
  };
  return {
    send: (request, sending) =>
      new Promise((resolve) => {
        if (refusedHost !== undefined) resolve(unsent(refusedHost));
        else if (sending.signal.aborted) resolve(unsent(sending.signal.reason));
        else
          exchange(() => transport.request({ ...target, ...headOf(request) }), request, sending, {
            options,
            isSecure,
            resolve,
          });
      }),
  };
}

interface Exchange {
  readonly options: HttpClientOptions;
  readonly isSecure: boolean;
  readonly resolve: (answer: HttpAnswer) => void;
}

function exchange(
  open: () => ClientRequest,
  { body }: HttpRequest,
  { signal, beforeSend }: SendOptions,
  { options, isSecure, resolve }: Exchange,
): void {
  let isSent = false;
  let response: IncomingMessage | undefined;
  let message: ClientRequest;
  try {
    message = open();
  } catch (error) {
    resolve(unsent(error));
    return;
  }
  const settle = (answer: HttpAnswer): void => {
    signal.removeEventListener('abort', onAbort);
    resolve(answer);
  };
  const fail = (error: unknown): void => {
    if (response !== undefined) settle(cut(response, describeThrown(error)));
    else if (isSent) settle({ kind: 'no answer', reason: describeThrown(error) });
    else settle(unsent(error));
    message.destroy();
  };
  const onAbort = (): void => {
    fail(signal.reason);
  };
  const write = (socket: Socket): void => {
    if (signal.aborted) return;
    try {
      if (!socket.writable || socket.readableEnded)
        throw new Error('the idle connection had been closed');
      beforeSend();
    } catch (error) {
      fail(error);
      return;
    }
    isSent = true;
    message.end(body);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  message.on('error', fail);
  message.once('socket', (socket) => {
    if (socket.connecting)
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        write(socket);
      });
    else write(socket);
  });
  message.once('response', (incoming) => {
    response = incoming;
    collect(incoming, options.responseBytesMax, settle, fail);
  });
}

function collect(
  response: IncomingMessage,
  bytesMax: number,
  settle: (answer: HttpAnswer) => void,
  fail: (error: unknown) => void,
): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) fail(new Error(`the answer is larger than ${bytesMax} bytes`));
    else chunks.push(chunk);
  });
  response.once('error', fail);
  response.once('end', () => {
    const { statusCode: status = 0, headers } = response;
    if (response.complete)
      settle({ kind: 'answered', status, headers, body: Buffer.concat(chunks, bytes) });
    else fail(new Error('the answer ended early'));
  });
}

function headOf({ method, path, headers, body }: HttpRequest): http.RequestOptions {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return { method, path, headers: { ...headers, ...length } };
}

function cut({ statusCode: status = 0, headers }: IncomingMessage, reason: string): HttpAnswer {
  return { kind: 'cut', status, headers, reason };
}

function unsent(error: unknown): HttpAnswer {
  return {
    kind: 'not sent',
    reason: describeThrown(error),
    isAddressRefused: error instanceof PrivateAddressError,
  };
}
