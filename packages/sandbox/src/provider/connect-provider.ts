// The other end of `serveProvider`: a provider in another process. It never sends a request twice.
import { Agent, request as open, type IncomingMessage } from 'node:http';
import { bodyOf, header, headersOf, pathOf, wireHeaders } from './http.ts';
import { ConnectionLost, type LookupReply, type ProviderPort, type ProviderReply } from './wire.ts';

export interface ConnectedProvider extends ProviderPort {
  /** Breaks every connection. */
  close(): void;
}

const socketsMax = 64;

/** @param url as `serveProvider` gave it. */
export function connectProvider(url: string): ConnectedProvider {
  const agent = new Agent({ keepAlive: true, maxSockets: socketsMax });
  const exchange = (
    method: 'GET' | 'POST',
    path: string,
    headers: Record<string, string>,
    body: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Received> =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        reject(signal?.aborted === true ? abortReason(signal) : lost(error));
      };
      const outgoing = open(new URL(path, url), {
        agent,
        method,
        headers,
        ...(signal ? { signal } : {}),
      });
      outgoing.on('error', fail);
      outgoing.on('response', (message) => {
        bodyOf(message).then((text) => {
          resolve({ message, text });
        }, fail);
      });
      outgoing.end(body);
    });
  return {
    async send(request, signal) {
      const body = JSON.stringify(request.arguments);
      return replyFrom(await exchange('POST', pathOf(request), headersOf(request), body, signal));
    },
    async lookUp(query, signal) {
      const headers = { [wireHeaders.key]: encodeURIComponent(query.key) };
      const { message, text } = await exchange('GET', pathOf(query), headers, undefined, signal);
      if (message.statusCode === 200 || message.statusCode === 404) {
        return JSON.parse(text) as LookupReply;
      }
      throw lost(new Error(text));
    },
    close() {
      agent.destroy();
    },
  };
}

interface Received {
  readonly message: IncomingMessage;
  readonly text: string;
}

function replyFrom({ message, text }: Received): ProviderReply {
  const retryAfter = header(message, wireHeaders.retryAfter);
  return {
    status: message.statusCode ?? 0,
    body: JSON.parse(text) as ProviderReply['body'],
    ...(header(message, wireHeaders.replayed) === 'true' ? { replayed: true } : {}),
    ...(retryAfter === undefined ? {} : { retryAfterMs: Number(retryAfter) * 1000 }),
  };
}

function lost(cause: unknown): ConnectionLost {
  return new ConnectionLost('the connection to the provider ended without a reply', cause);
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason));
}
