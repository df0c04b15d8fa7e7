// The provider's wire over loopback HTTP: headers and statuses as real providers use them. Shared by
// the server and the client.
import { type IncomingMessage } from 'node:http';
import { type CallOrigin } from '@action-ledger/domain';
import { type LookupQuery, type ProviderRequest } from './wire.ts';

export const wireHeaders = {
  key: 'idempotency-key',
  attempt: 'x-attempt',
  origin: 'x-origin',
  expires: 'x-expires-at',
  replayed: 'idempotent-replayed',
  retryAfter: 'retry-after',
} as const;

/** Bytes of one message. */
const bodyMax = 4 * 1024 * 1024;

export function pathOf({ tenant, tool }: Pick<LookupQuery, 'tenant' | 'tool'>): string {
  return `/${encodeURIComponent(tenant)}/${encodeURIComponent(tool)}`;
}

export function headersOf(request: ProviderRequest): Record<string, string> {
  return {
    'content-type': 'application/json',
    [wireHeaders.key]: encodeURIComponent(request.key),
    [wireHeaders.attempt]: String(request.attempt),
    ...(request.origin === undefined
      ? {}
      : { [wireHeaders.origin]: encodeURIComponent(JSON.stringify(request.origin)) }),
    ...(request.expiresAt === undefined
      ? {}
      : { [wireHeaders.expires]: String(request.expiresAt) }),
  };
}

/** @throws Error when a part is missing or is no JSON. */
export function requestFrom(message: IncomingMessage, body: string): ProviderRequest {
  const origin = header(message, wireHeaders.origin);
  const expiresAt = header(message, wireHeaders.expires);
  return {
    ...queryFrom(message),
    arguments: JSON.parse(body) as ProviderRequest['arguments'],
    attempt: Number(header(message, wireHeaders.attempt) ?? 1),
    ...(origin === undefined
      ? {}
      : { origin: JSON.parse(decodeURIComponent(origin)) as CallOrigin }),
    ...(expiresAt === undefined ? {} : { expiresAt: Number(expiresAt) }),
  };
}

export function queryFrom(message: IncomingMessage): LookupQuery {
  const [tenant, tool] = (message.url ?? '').split('/').slice(1).map(decodeURIComponent);
  const key = header(message, wireHeaders.key);
  if (tenant === undefined || tool === undefined || key === undefined) {
    throw new Error(`expected /<tenant>/<tool> and the header ${wireHeaders.key}`);
  }
  return { tenant, tool, key: decodeURIComponent(key) };
}

export function header(message: IncomingMessage, name: string): string | undefined {
  const value = message.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

export async function bodyOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > bodyMax) throw new Error('the message is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
