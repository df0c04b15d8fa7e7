// GET /metrics on a listener of its own, and beside it whether the process lives (/live) and works (/ready). Metrics are of the whole process and so of all its tenants, and
// every key of the API is of one tenant: no role of the API is the right one. Who may reach this address
// is the matter of the network, by default this machine alone.
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo } from 'node:net';
import { type ServiceHealth } from '@action-ledger/application';
import { expositionType } from './exposition.ts';

export interface ServeMetricsOptions {
  readonly scrape: () => string;
  /** Of what the process runs. Without it, only metrics are served. */
  readonly health?: () => ServiceHealth['condition'];
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any that is free. */
  readonly port?: number;
  readonly onFault: (where: string, fault: unknown) => void;
}

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

const connectionsMax = 16;
const timeoutMs = 10_000;

/** @throws where the address is taken */
export async function serveMetrics(options: ServeMetricsOptions): Promise<MetricsServer> {
  const { host = '127.0.0.1', port = 0 } = options;
  const server = createServer(
    { headersTimeout: timeoutMs, requestTimeout: timeoutMs, maxHeaderSize: 8_192 },
    ({ method, url }, response) => {
      const answer = answers(options)[url?.split('?')[0] ?? ''];
      if (answer === undefined) end(response, 404, 'GET /metrics\n');
      else if (method !== 'GET') end(response.setHeader('allow', 'GET'), 405, 'GET /metrics\n');
      else answer(response);
    },
  );
  server.maxConnections = connectionsMax;
  await listening(server, host, port);
  const { address, port: found, family } = server.address() as AddressInfo;
  const shown = family === 'IPv6' ? `[${address}]` : address;
  return {
    url: `http://${shown}:${found}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

type Answer = (response: ServerResponse) => void;

function answers(options: ServeMetricsOptions): Readonly<Record<string, Answer | undefined>> {
  const { health } = options;
  const metrics: Answer = (response) => {
    sendMetrics(options, response);
  };
  if (health === undefined) return { '/metrics': metrics };
  const sayWhether =
    (isGood: (condition: ServiceHealth['condition']) => boolean): Answer =>
    (response) => {
      const condition = health();
      end(response, isGood(condition) ? 200 : 503, `${condition}\n`);
    };
  return {
    '/metrics': metrics,
    // Who is stuck is restarted; who waits for a server is not, it would only wait again.
    '/live': sayWhether((condition) => condition !== 'stuck'),
    '/ready': sayWhether((condition) => condition === 'live' || condition === 'paused'),
  };
}

function sendMetrics({ scrape, onFault }: ServeMetricsOptions, response: ServerResponse): void {
  try {
    response.setHeader('content-type', expositionType);
    response.end(scrape());
  } catch (fault) {
    onFault('metrics', fault);
    end(response, 500, 'the metrics could not be read\n');
  }
}

function end(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
