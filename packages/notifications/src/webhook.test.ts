import {
  createServer,
  type IncomingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { createVirtualRuntime } from '@action-ledger/testkit';
import { type Notification } from './notification.ts';
import { parseSecrets, signatureOf } from './signature.ts';
import { createWebhook, type WebhookOptions } from './webhook.ts';

const secrets = parseSecrets('a secret of more than 24 bytes');
const notification: Notification = {
  id: 'ntc_1',
  kind: 'approval waiting',
  at: Date.UTC(2026, 0, 2),
  tenant: 'acme',
  tool: 'pay',
  action: 'a.0',
  text: 'pay waits for a vote.',
  detail: { votes: 1 },
  cause: { stream: 'action-a.0', revision: 1 },
};

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

async function listen(
  answer: (response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly received: readonly Received[] }> {
  const received: Received[] = [];
  const listening = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      received.push({ method, url, headers, body });
      answer(response);
    });
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const { port } = listening.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hooks?to=ops`, received };
}

function webhook(
  url: string,
  more: Partial<WebhookOptions> = {},
): ReturnType<typeof createWebhook> {
  return createWebhook({
    url,
    secrets,
    runtime: createSystemRuntime(),
    allowPrivate: true,
    ...more,
  });
}

describe('a webhook', () => {
  it('is a POST of what is to be told, signed with the time of the try', async () => {
    const { url, received } = await listen((response) => response.writeHead(204).end());
    const wall = {
      ...createSystemRuntime(),
      clock: { wallMs: () => 1_700_000_000_900, monoMs: () => 0 },
    };
    const sent = await webhook(url, { runtime: wall }).send(notification);
    expect(sent).toEqual({ kind: 'delivered' });
    const [got] = received;
    expect(got).toMatchObject({ method: 'POST', url: '/hooks?to=ops' });
    expect(got?.headers).toMatchObject({
      'content-type': 'application/json',
      'webhook-id': 'ntc_1',
      'webhook-timestamp': '1700000000',
    });
    const body = got?.body ?? '';
    const timestamp = 1_700_000_000;
    expect(got?.headers['webhook-signature']).toBe(
      signatureOf(secrets, { id: 'ntc_1', timestamp, body }),
    );
    expect(JSON.parse(body)).toEqual({
      type: 'approval.waiting',
      timestamp: '2026-01-02T00:00:00.000Z',
      data: {
        id: 'ntc_1',
        tenant: 'acme',
        tool: 'pay',
        action: 'a.0',
        text: 'pay waits for a vote.',
        detail: { votes: 1 },
        cause: { stream: 'action-a.0', revision: 1 },
      },
    });
  });

  it.each([
    [200, {}, { kind: 'delivered' }],
    [302, { location: 'http://127.0.0.1:1/' }, { kind: 'failed', reason: 'answered with 302' }],
    [400, {}, { kind: 'failed', reason: 'answered with 400' }],
    [410, {}, { kind: 'refused', reason: 'answered with 410' }],
    [429, { 'retry-after': '7' }, { kind: 'failed', reason: 'answered with 429', afterMs: 7_000 }],
    [503, {}, { kind: 'failed', reason: 'answered with 503' }],
  ])('answered with %i %j is %j', async (status, headers, expected) => {
    const { url, received } = await listen((response) => response.writeHead(status, headers).end());
    expect(await webhook(url).send(notification)).toEqual(expected);
    expect(received).toHaveLength(1);
  });

  it('is not waited for longer than its deadline', async () => {
    const { url } = await listen(() => undefined);
    const runtime = createVirtualRuntime();
    const sending = webhook(url, { runtime, deadlineMs: 2_000 }).send(notification);
    await runtime.advance(2_000);
    expect(await sending).toMatchObject({ kind: 'failed' });
    expect(runtime.pendingTimers()).toBe(0);
  });

  it('goes to no address that is not public, unless that is allowed', async () => {
    const { url, received } = await listen((response) => response.writeHead(200).end());
    const at = url.replace('http:', 'https:');
    for (const address of [at, at.replace('127.0.0.1', 'localhost'), 'https://169.254.169.254/'])
      expect(await webhook(address, { allowPrivate: false }).send(notification)).toMatchObject({
        kind: 'refused',
        reason: expect.stringContaining('not a public address') as unknown,
      });
    expect(received).toEqual([]);
  });

  it.each([
    ['no address', 'not a URL'],
    ['ftp://example.com', 'must begin with https:'],
    ['http://example.com', 'must begin with https:'],
    ['https://user:pass@example.com', 'no user or password'],
  ])('%j is refused when it is made', (url, why) => {
    expect(() => webhook(url, { allowPrivate: false })).toThrow(why);
  });

  it('has a name that does not give its address away', () => {
    const one = webhook('https://hooks.example.com/T0/secret-token').name;
    expect(one).toMatch(/^hooks\.example\.com#[0-9a-f]{8}$/);
    expect(webhook('https://hooks.example.com/T0/other-token').name).not.toBe(one);
  });

  it('wants what its filter lets through', () => {
    const one = webhook('https://example.com', { tenants: ['acme'], kinds: ['approval waiting'] });
    const { tenant: _tenant, ...ofAll } = notification;
    expect(one.wants(notification)).toBe(true);
    expect(one.wants({ ...notification, tenant: 'globex' })).toBe(false);
    expect(one.wants(ofAll)).toBe(false);
    expect(one.wants({ ...notification, kind: 'paused' })).toBe(false);
    expect(webhook('https://example.com').wants(ofAll)).toBe(true);
  });
});
