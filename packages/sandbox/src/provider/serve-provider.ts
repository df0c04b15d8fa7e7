// Puts a sandbox provider behind a loopback port, so that it outlives the processes that call it: a
// worker killed in the middle of a request leaves the request with the provider. A lost reply is a
// broken socket.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { bodyOf, queryFrom, requestFrom, wireHeaders } from './http.ts';
import { ConnectionLost, type ProviderPort, type ProviderReply } from './wire.ts';

export interface ServedProvider {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Breaks every connection; work in progress at the provider goes on. */
  readonly close: () => Promise<void>;
}

/** `POST /<tenant>/<tool>` sends, `GET` looks up. @param port 0: any free one. */
export async function serveProvider(provider: ProviderPort, port = 0): Promise<ServedProvider> {
  const server = createServer((message, response) => {
    answer(provider, message, response).catch((error: unknown) => {
      if (error instanceof ConnectionLost) response.destroy();
      else reply(response, 400, { ok: false, error: String(error) });
    });
  });
  // An idle connection that the server closes would break the next request on it for no reason.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function answer(
  provider: ProviderPort,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sender = new AbortController();
  response.once('close', () => {
    sender.abort(new ConnectionLost('the sender is gone'));
  });
  if (message.method === 'GET') {
    const found = await provider.lookUp(queryFrom(message), sender.signal);
    reply(response, found.found ? 200 : 404, found);
    return;
  }
  const sent = await provider.send(requestFrom(message, await bodyOf(message)), sender.signal);
  reply(response, sent.status, sent.body, headersOf(sent));
}

function headersOf({ replayed, retryAfterMs }: ProviderReply): Record<string, string> {
  return {
    ...(replayed === true ? { [wireHeaders.replayed]: 'true' } : {}),
    ...(retryAfterMs === undefined
      ? {}
      : { [wireHeaders.retryAfter]: String(retryAfterMs / 1000) }),
  };
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
