// A notification as a signed POST (Standard Webhooks). Sent to public addresses only, unless others are
// allowed; redirects are not followed; any 2xx takes it, 410 ends it, everything else is tried again.
import { createHash } from 'node:crypto';
import { type Runtime } from '@action-ledger/runtime';
import { createHttpClient, type HttpAnswer, retryAfterMs } from '@action-ledger/tools';
import { type Endpoint, type EndpointFilter, filterOf, type Sent } from './endpoint.ts';
import { type Notification, notificationTypes } from './notification.ts';
import { signatureOf } from './signature.ts';

export interface WebhookOptions extends EndpointFilter {
  readonly url: string;
  /** As `parseSecrets` gives them: one at least. */
  readonly secrets: readonly Buffer[];
  /** Default: its host and a digest of the address, which may hold a secret. */
  readonly name?: string;
  /** Loopback, private and link-local addresses, and `http:`. Default false. */
  readonly allowPrivate?: boolean;
  /** Of one try. Default 15,000. */
  readonly deadlineMs?: number;
  readonly runtime: Pick<Runtime, 'clock' | 'timers'>;
}

const responseBytesMax = 64 * 1024;
const socketsMax = 8;

/** @throws Error where the address or the secrets cannot be used; the message does not repeat them */
export function createWebhook(options: WebhookOptions): Endpoint {
  const { secrets, runtime, allowPrivate = false, deadlineMs = 15_000 } = options;
  const url = addressOf(options.url, allowPrivate);
  if (secrets.length === 0) throw new Error('a webhook needs a secret to sign with');
  const client = createHttpClient({ origin: url, allowPrivate, responseBytesMax, socketsMax });
  const post = async (notification: Notification): Promise<Sent> => {
    const { id } = notification;
    const body = bodyOf(notification);
    const timestamp = Math.floor(runtime.clock.wallMs() / 1_000);
    const deadline = new AbortController();
    const timer = runtime.timers.after(deadlineMs, () => {
      deadline.abort(new Error(`no answer within ${deadlineMs} ms`));
    });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'action-ledger',
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(secrets, { id, timestamp, body }),
    };
    const path = `${url.pathname}${url.search}`;
    const sending = { signal: deadline.signal, beforeSend: () => undefined };
    const answer = await client.send({ method: 'POST', path, headers, body }, sending);
    timer.cancel();
    return sentBy(answer);
  };
  return { name: options.name ?? nameOf(url), wants: filterOf(options), send: post };
}

function addressOf(text: string, allowPrivate: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) throw new Error('the address of a webhook is not a URL');
  if (url.username !== '' || url.password !== '')
    throw new Error('the address of a webhook may hold no user or password');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && allowPrivate))
    throw new Error('the address of a webhook must begin with https:');
  return url;
}

function nameOf(url: URL): string {
  return `${url.host}#${createHash('sha256').update(url.href).digest('hex').slice(0, 8)}`;
}

export function bodyOf(notification: Notification): string {
  const { kind, at, ...data } = notification;
  const timestamp = new Date(at).toISOString();
  return JSON.stringify({ type: notificationTypes[kind], timestamp, data });
}

function sentBy(answer: HttpAnswer): Sent {
  if (answer.kind === 'no answer') return { kind: 'failed', reason: answer.reason };
  if (answer.kind === 'not sent')
    return { kind: answer.isAddressRefused ? 'refused' : 'failed', reason: answer.reason };
  const { status, headers } = answer;
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = `answered with ${status}`;
  if (status === 410) return { kind: 'refused', reason };
  const afterMs = retryAfterMs(headers);
  return { kind: 'failed', reason, ...(afterMs === undefined ? {} : { afterMs }) };
}
