import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { z } from 'zod';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { type AttemptOutcome } from '../attempt-outcome.ts';
import { NotSent } from '../attempt-result.ts';
import { type ExecuteContext } from '../definition.ts';
import { runExecute } from '../run-execute.ts';
import { runLookup } from '../run-lookup.ts';
import { type Tool } from '../tool.ts';
import { type HttpToolDefinition } from './http-definition.ts';
import { httpTool } from './http-tool.ts';
import { httpToolFile } from './http-tool-file.ts';

interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Reply = (response: ServerResponse, request: Received) => void;

/** A real server that keeps what it received and answers as the test says. */
let received: Received[] = [];
let reply: Reply = json(200, {});
let onReceived: () => void = () => undefined;
let connections = 0;

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    const entry = { method, url, headers, body: Buffer.concat(chunks).toString() };
    received.push(entry);
    reply(response, entry);
    onReceived();
  });
}).on('connection', () => (connections += 1));

beforeEach(async () => {
  received = [];
  connections = 0;
  reply = json(200, { id: 're_1', ok: true });
  onReceived = () => undefined;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function json(status: number, body: JsonValue, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
}

function raw(status: number, body: string | Buffer, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response.writeHead(status, headers);
    response.end(body);
  };
}

function origin(of: Server | typeof server = server): string {
  return `http://127.0.0.1:${(of.address() as AddressInfo).port}`;
}

const input = z.object({
  order_id: z.string(),
  amount: z.int(),
  note: z.string().optional(),
  tags: z.array(z.string()).optional(),
});
const args: JsonObject = { order_id: 'o/1 ä', amount: 5, tags: ['a', 'b&c'] };
const key = 'k'.repeat(43);

type More = Partial<HttpToolDefinition<JsonObject>>;

function refundTool(more: More = {}, at = origin()): Tool {
  return httpTool<JsonObject>({
    name: 'refund',
    input: input as never,
    guarantee: 'manual',
    allowPrivate: true,
    request: { method: 'POST', url: `${at}/v1/orders/{order_id}/refunds` },
    ...more,
  });
}

function contextOf(more: Partial<ExecuteContext<JsonObject>> = {}): ExecuteContext<JsonObject> {
  return {
    actionId: 'a1',
    tenant: 't1',
    tool: 'refund',
    arguments: args,
    downstreamKey: key,
    attempts: [{ attempt: 1, dispatchedAt: Date.UTC(2026, 0, 2), deadlineAt: 0 }],
    evidence: [],
    signal: new AbortController().signal,
    attempt: 1,
    beforeSend: () => undefined,
    ...more,
  };
}

function run(tool: Tool, more?: Partial<ExecuteContext<JsonObject>>): Promise<AttemptOutcome> {
  return runExecute(tool, contextOf(more));
}

/** Aborts once the server has the request. */
function abortWhenReceived(): AbortSignal {
  const controller = new AbortController();
  onReceived = () => {
    controller.abort(new Error('deadline'));
  };
  return controller.signal;
}

describe('the request', () => {
  it('carries path, body, key and trace', async () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const outcome = await run(refundTool(), { traceparent, tracestate: 'a=1' });
    expect(outcome).toEqual({ kind: 'succeeded', result: { id: 're_1', ok: true } });
    expect(received).toMatchObject([
      {
        method: 'POST',
        url: '/v1/orders/o%2F1%20%C3%A4/refunds',
        headers: {
          'idempotency-key': key,
          traceparent,
          tracestate: 'a=1',
          'content-type': 'application/json',
          accept: 'application/json',
        },
      },
    ]);
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ amount: 5, tags: ['a', 'b&c'] });
  });

  it('fills query, headers and a body template; what is missing is left out', async () => {
    const request = {
      method: 'PUT',
      url: `${origin()}/fix%20ed/{amount}`,
      query: { order: '{order_id}', tag: '{tags}', note: '{note}' },
      headers: { 'X-Order': 'order-{amount}', 'X-Note': '{note}' },
      body: {
        amount: '{amount}',
        text: 'Order {order_id} of {$tenant} {{x}}',
        ref: '{$key}',
        note: '{note}',
        list: ['{tags}', 1],
      },
    } as const;
    await run(refundTool({ request, keyPlace: 'none' }));
    expect(received[0]).toMatchObject({
      method: 'PUT',
      url: '/fix%20ed/5?order=o%2F1+%C3%A4&tag=a&tag=b%26c',
      headers: { 'x-order': 'order-5' },
    });
    expect(received[0]?.headers).not.toHaveProperty('x-note');
    expect(received[0]?.headers).not.toHaveProperty('idempotency-key');
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({
      amount: 5,
      text: 'Order o/1 ä of t1 {x}',
      ref: key,
      list: [['a', 'b&c'], 1],
    });
  });

  it('can be a form', async () => {
    const request = {
      method: 'POST',
      url: `${origin()}/`,
      encoding: 'form',
      body: { a: { b: '{amount}' }, tags: '{tags}' },
    } as const;
    await run(refundTool({ request, keyPlace: { in: 'body', name: 'ref' } }));
    expect(received[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(decodeURIComponent(received[0]?.body ?? '')).toBe(
      `a[b]=5&tags[0]=a&tags[1]=b&c&ref=${key}`,
    );
  });

  it.each([
    [{ in: 'header', name: 'X-Request-Id' }, () => received[0]?.headers['x-request-id']],
    [
      { in: 'query', name: 'ref' },
      () => new URL(`http://x${received[0]?.url ?? ''}`).searchParams.get('ref'),
    ],
    [{ in: 'body', name: 'ref' }, () => (JSON.parse(received[0]?.body ?? '') as JsonObject)['ref']],
  ] as const)('sends the key where the provider takes it: %p', async (keyPlace, sent) => {
    await run(refundTool({ keyPlace, guarantee: 'idempotent', keyWindow: '24h' }));
    expect(sent()).toBe(key);
  });

  it.each<[string, JsonObject]>([
    ['..', { ...args, order_id: '..' }],
    ['.', { ...args, order_id: '.' }],
    ['an empty text', { ...args, order_id: '' }],
  ])('is not made where a path member would be %s', async (_title, changed) => {
    expect(await run(refundTool(), { arguments: changed })).toMatchObject({
      kind: 'no effect',
      code: 'http.unsendable',
      retryable: false,
    });
    expect(received).toEqual([]);
  });

  it('is not made where a header would hold a line break', async () => {
    const request = {
      method: 'POST',
      url: `${origin()}/`,
      headers: { 'X-Order': '{order_id}' },
    } as const;
    const outcome = await run(refundTool({ request }), {
      arguments: { ...args, order_id: 'a\r\nX: y' },
    });
    expect(outcome).toMatchObject({ kind: 'no effect', code: 'http.unsendable' });
  });

  it('passes a malformed trace context on to nobody', async () => {
    await run(refundTool(), { traceparent: 'x\r\ny' });
    expect(received[0]?.headers).not.toHaveProperty('traceparent');
  });

  it('asks beforeSend on an open connection, and writes nothing where it forbids', async () => {
    const beforeSend = (): void => {
      throw new NotSent('deadline passed');
    };
    expect(await run(refundTool(), { beforeSend })).toEqual({
      kind: 'not sent',
      reason: 'NotSent: deadline passed',
    });
    expect([connections, received.length]).toEqual([1, 0]);
  });

  it('is sent again over the same connection, or over a new one where the server closed the idle one', async () => {
    const tool = refundTool();
    await run(tool);
    await run(tool);
    expect(connections).toBe(1);
    server.closeIdleConnections();
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    expect(await run(tool)).toMatchObject({ kind: 'succeeded' });
    expect([connections, received.length]).toEqual([2, 3]);
  });
});

describe('secret headers', () => {
  const withSecret = (secret: () => string | Promise<string>, more: More = {}): Tool =>
    refundTool({
      request: { method: 'POST', url: `${origin()}/`, headers: { Authorization: secret } },
      ...more,
    });

  it('are asked for at each send', async () => {
    let count = 0;
    const tool = withSecret(async () => `Bearer token-${(count += 1)}`);
    await run(tool);
    await run(tool);
    expect(received.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer token-1',
      'Bearer token-2',
    ]);
  });

  it('are blotted out where the provider echoes them', async () => {
    reply = json(400, { error: 'bad token token-abcdef' });
    const outcome = await run(withSecret(() => 'Bearer token-abcdef'));
    expect(outcome).toMatchObject({ kind: 'no effect', detail: { error: 'bad token [secret]' } });
  });

  it.each(['key=', 'Token token=', ''])(
    'are blotted out without their prefix %j',
    async (prefix) => {
      reply = json(401, { error: 'unknown key sk_live_12345' });
      const [tool] = httpToolFile(
        {
          name: 'pay',
          input: { type: 'object', properties: {} },
          scope: 'call',
          guarantee: 'manual',
          allowPrivate: true,
          request: {
            method: 'POST',
            url: `${origin()}/`,
            headers: { 'X-Auth': { secret: 'BANK', prefix } },
          },
        },
        { secret: () => 'sk_live_12345' },
      );
      const outcome = await run(tool as Tool);
      expect(received[0]?.headers['x-auth']).toBe(`${prefix}sk_live_12345`);
      expect(outcome).toMatchObject({ detail: { error: 'unknown key [secret]' } });
    },
  );

  it('that cannot be had mean that nothing was sent', async () => {
    const outcome = await run(withSecret(() => Promise.reject(new Error('vault is down'))));
    expect(outcome).toEqual({
      kind: 'not sent',
      reason: 'a secret header could not be had: Error: vault is down',
    });
    expect(connections).toBe(0);
  });
});

describe('what an answer proves', () => {
  const inDoubt = (answered: boolean): object => ({ kind: 'in doubt', answered });
  const refused = (retryable = false): object => ({ kind: 'no effect', retryable });
  const success = {
    status: [200, 201],
    body: { '/ok': true },
    externalId: '/data/id',
    result: '/data',
  } as const;
  const slack = {
    rules: [{ body: { '/ok': false }, outcome: 'refused', reason: '/error', code: '/error' }],
  } as const;
  const exists = {
    rules: [
      {
        status: 422,
        body: { '/existing/reference': '{$key}' },
        outcome: 'succeeded',
        externalId: '/existing/id',
      },
    ],
  } as const;
  const limited = {
    rules: [{ status: [429, 503], outcome: 'refused before handling', reason: '/error' }],
  } as const;

  it.each<[string, Reply, HttpToolDefinition['answers'], object]>([
    ['200', json(200, 1), {}, { kind: 'succeeded', result: 1 }],
    ['204 without a body', raw(204, ''), {}, { kind: 'succeeded', result: null }],
    [
      '201 with an id',
      json(201, { ok: true, data: { id: 77 } }),
      { success },
      { kind: 'succeeded', result: { id: 77 }, externalId: '77' },
    ],
    [
      'an id beyond 2^53',
      raw(200, '{"id":12345678901234567890,"n":1.5}'),
      { success: { externalId: '/id' } },
      { result: { id: '12345678901234567890', n: 1.5 }, externalId: '12345678901234567890' },
    ],
    ['a 2xx that is not in the success set', json(202, {}), { success }, inDoubt(true)],
    ['a success that does not say so', json(200, { ok: false }), { success }, inDoubt(true)],
    [
      'F082 200 ok:false',
      json(200, { ok: false, error: 'channel_not_found' }),
      slack,
      { ...refused(), reason: 'channel_not_found', code: 'channel_not_found' },
    ],
    ['F082 200 ok:true', json(200, { ok: true }), slack, { kind: 'succeeded' }],
    [
      'F082 text that starts with "Error:"',
      raw(200, 'Error: none'),
      { format: 'text' },
      { kind: 'succeeded', result: 'Error: none' },
    ],
    ['a 5xx with the refusing body', json(500, { ok: false, error: 'x' }), slack, inDoubt(true)],
    [
      'a list of errors',
      json(200, { errors: [1] }),
      { rules: [{ body: { '/errors': { $present: true } }, outcome: 'in doubt' }] },
      inDoubt(true),
    ],
    [
      'F079 "already exists" with our reference',
      json(422, { existing: { id: 77, reference: key } }),
      exists,
      { kind: 'succeeded', externalId: '77' },
    ],
    [
      'F079 "already exists" with another reference',
      json(422, { existing: { id: 77, reference: 'other' } }),
      exists,
      refused(),
    ],
    [
      'F079 "already exists" without a reference',
      json(422, { existing: { id: 77 } }),
      exists,
      refused(),
    ],
    ['F079 "already exists" that cannot be read', raw(422, '<html>'), exists, inDoubt(true)],
    [
      '400',
      json(400, { why: 'x' }),
      {},
      { ...refused(), code: 'http.400', reason: 'HTTP 400', detail: { why: 'x' } },
    ],
    ['402', json(402, {}), {}, refused()],
    ['403 with a body that is no JSON', raw(403, '<html>'), {}, refused()],
    ['404', json(404, {}), {}, refused()],
    ['408', json(408, {}), {}, inDoubt(false)],
    ['409 key in use', json(409, {}), {}, inDoubt(true)],
    [
      '409 declared a refusal',
      json(409, {}),
      { rules: [{ status: 409, outcome: 'refused' }] },
      refused(),
    ],
    [
      '429 of a provider that says nothing',
      json(429, {}, { 'retry-after': '7' }),
      {},
      { ...inDoubt(true), retryAfterMs: 7_000 },
    ],
    [
      '429 refused before handling',
      json(429, { error: 'slow down' }, { 'retry-after': '7' }),
      limited,
      { ...refused(true), reason: 'slow down', retryAfterMs: 7_000 },
    ],
    [
      '503 refused before handling, with a date',
      json(
        503,
        {},
        { 'retry-after': 'Fri, 02 Jan 2026 00:01:00 GMT', date: 'Fri, 02 Jan 2026 00:00:30 GMT' },
      ),
      limited,
      { ...refused(true), retryAfterMs: 30_000 },
    ],
    [
      'F087 500, also as often as it is replayed',
      json(500, {}, { 'idempotent-replayed': 'true' }),
      {},
      inDoubt(true),
    ],
    ['502', json(502, {}), {}, inDoubt(false)],
    ['503', json(503, {}), {}, inDoubt(false)],
    ['F069 504 while the backend works', json(504, {}), {}, inDoubt(false)],
    ['524', json(524, {}), {}, inDoubt(false)],
    ['a redirect', raw(307, '', { location: '/elsewhere' }), {}, inDoubt(false)],
    ['a body that is no JSON', raw(200, '<html>logged out</html>'), {}, inDoubt(true)],
    ['a body that is no UTF-8', raw(200, Buffer.from([0x22, 0xff, 0x22])), {}, inDoubt(true)],
    ['a body that is too large', raw(200, ' '.repeat(2_000)), {}, inDoubt(false)],
  ])('%s', async (_title, answer, answers, expected) => {
    reply = answer;
    const outcome = await run(
      refundTool({ responseBytesMax: 1_000, ...(answers !== undefined && { answers }) }),
    );
    expect(outcome).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });

  const truncated =
    (status: number): Reply =>
    (response) => {
      response.writeHead(status, { 'content-length': '1000' });
      response.write('{"ok":');
      setImmediate(() => response.destroy());
    };

  it.each<[string, number, HttpToolDefinition['answers'], object]>([
    ['a success', 200, {}, inDoubt(false)],
    ['a refusal by its status', 400, {}, refused()],
    ['a refusal that needs the body', 422, exists, inDoubt(false)],
  ])('a truncated body of %s', async (_title, status, answers, expected) => {
    reply = truncated(status);
    expect(await run(refundTool({ ...(answers !== undefined && { answers }) }))).toMatchObject(
      expected,
    );
    expect(received).toHaveLength(1);
  });
});

describe('connections that fail', () => {
  it('F067 closed by the server after the effect: doubt, and the request is not sent again', async () => {
    const tool = refundTool({ guarantee: 'idempotent', keyWindow: '24h' });
    await run(tool);
    reply = (response) => response.socket?.destroy();
    expect(await run(tool)).toMatchObject({
      kind: 'in doubt',
      answered: false,
      reason: expect.stringContaining('hang up') as unknown,
    });
    await new Promise(setImmediate);
    expect([received.length, connections]).toEqual([2, 1]);
  });

  it('F067 reset before the request was read: doubt, and the request is not sent again', async () => {
    let accepted = 0;
    const resetting = createTcpServer((socket) => {
      accepted += 1;
      socket.resetAndDestroy();
    });
    await new Promise<void>((resolve) => resetting.listen(0, '127.0.0.1', resolve));
    let passed = 0;
    const outcome = await run(refundTool({}, origin(resetting)), {
      beforeSend: () => (passed += 1),
    });
    expect(outcome).toMatchObject({ kind: passed === 0 ? 'not sent' : 'in doubt' });
    expect(accepted).toBe(1);
    await new Promise((resolve) => resetting.close(resolve));
  });

  it('refused: proven not to be sent', async () => {
    const gone = createTcpServer();
    await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
    const at = origin(gone);
    await new Promise((resolve) => gone.close(resolve));
    let passed = 0;
    const outcome = await run(refundTool({}, at), { beforeSend: () => (passed += 1) });
    expect(outcome).toMatchObject({
      kind: 'not sent',
      reason: expect.stringContaining('ECONNREFUSED') as unknown,
    });
    expect(passed).toBe(0);
  });

  it('an answer that is not HTTP: doubt', async () => {
    const talking = createTcpServer((socket) => socket.resume().end('SSH-2.0-x\r\n'));
    await new Promise<void>((resolve) => talking.listen(0, '127.0.0.1', resolve));
    expect(await run(refundTool({}, origin(talking)))).toMatchObject({
      kind: 'in doubt',
      answered: false,
    });
    await new Promise((resolve) => talking.close(resolve));
  });

  it('F201 slower than the deadline: doubt, while the request is still under way', async () => {
    reply = () => undefined;
    expect(await run(refundTool(), { signal: abortWhenReceived() })).toMatchObject({
      kind: 'in doubt',
      answered: false,
      reason: expect.stringContaining('deadline') as unknown,
    });
    expect(received).toHaveLength(1);
  });

  it('aborted while it waits for a connection: proven not to be sent', async () => {
    reply = () => undefined;
    const tool = refundTool({ socketsMax: 1 });
    const first = new AbortController();
    const running = run(tool, { signal: first.signal });
    const second = new AbortController();
    let passed = 0;
    const waiting = run(tool, { signal: second.signal, beforeSend: () => (passed += 1) });
    second.abort(new Error('claim lost'));
    expect(await waiting).toEqual({ kind: 'not sent', reason: 'Error: claim lost' });
    first.abort();
    await running;
    expect(passed).toBe(0);
  });
});

describe('addresses that are not public', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]'])(
    '%s is refused unless allowed: no connection, no effect',
    async (host) => {
      const { port } = server.address() as AddressInfo;
      const outcome = await run(refundTool({ allowPrivate: false }, `http://${host}:${port}`));
      expect(outcome).toMatchObject({
        kind: 'no effect',
        retryable: false,
        code: 'http.private-address',
      });
      expect(connections).toBe(0);
    },
  );
});

describe('a lookup', () => {
  const list = {
    method: 'GET',
    url: 'ORIGIN/v1/refunds',
    query: { ref: '{$key}', since: '{$firstDispatchedAt}' },
    found: { items: '/data', match: { '/reference': '{$key}' }, externalId: '/id' },
    absent: { complete: { '/has_more': false } },
  } as const;
  const one = {
    method: 'GET',
    url: 'ORIGIN/v1/refunds/by-reference/{$key}',
    found: { match: { '/reference': '{$key}' }, externalId: '/id', result: '/id' },
    absent: { status: 404, body: { '/code': 'no_such_refund' } },
  } as const;

  function lookUp(
    lookup: typeof list | typeof one,
    more?: Partial<ExecuteContext<JsonObject>>,
  ): Promise<unknown> {
    const asked = { ...lookup, url: lookup.url.replace('ORIGIN', origin()) };
    return runLookup(refundTool({ lookup: asked, guarantee: 'lookup' }), contextOf(more));
  }

  const ours = { id: 're_1', reference: key };
  const other = { id: 're_2', reference: 'other' };
  const found = { verdict: 'found', externalId: 're_1' };
  const error = { verdict: 'error' };

  it.each<[string, typeof list | typeof one, Reply, object]>([
    ['finds ours in a list', list, json(200, { data: [other, ours] }), { ...found, result: ours }],
    [
      'finds none in a list that is whole',
      list,
      json(200, { data: [other], has_more: false }),
      { verdict: 'absent' },
    ],
    [
      'finds none on a page of a longer list',
      list,
      json(200, { data: [], has_more: true }),
      { verdict: 'ambiguous' },
    ],
    [
      'finds two',
      list,
      json(200, { data: [ours, ours] }),
      { verdict: 'ambiguous', reason: '2 candidates bear our reference' },
    ],
    ['gets no list', list, json(200, { data: null, has_more: false }), error],
    ['finds the one', one, json(200, ours), { ...found, result: 're_1' }],
    ["FW20 finds another action's effect", one, json(200, other), { verdict: 'ambiguous' }],
    [
      'is told that there is none',
      one,
      json(404, { code: 'no_such_refund' }),
      { verdict: 'absent' },
    ],
    ['meets another 404', one, json(404, {}), error],
    ['meets a 404 of a gateway', one, raw(404, '<html>'), error],
    ['FW20 meets an outage', one, json(503, {}), error],
    ['gets what cannot be read', one, raw(200, '<html>'), error],
    ['loses the answer', one, (response) => response.destroy(), error],
  ])('%s', async (_title, lookup, answer, expected) => {
    reply = answer;
    expect(await lookUp(lookup)).toMatchObject(expected);
    expect(received).toHaveLength(1);
  });

  it('F203 asks by key and time', async () => {
    await lookUp(list);
    expect(received[0]?.url).toBe(`/v1/refunds?ref=${key}&since=2026-01-02T00%3A00%3A00.000Z`);
  });

  it('ends in an error at its deadline', async () => {
    reply = () => undefined;
    expect(await lookUp(one, { signal: abortWhenReceived() })).toMatchObject(error);
  });
});

it('can be a read by GET, without a key', async () => {
  const request = { method: 'GET', url: `${origin()}/orders/{order_id}` } as const;
  const tool = httpTool<JsonObject>({
    name: 'get_order',
    kind: 'read',
    input: input as never,
    allowPrivate: true,
    request,
  });
  expect(await run(tool)).toMatchObject({ kind: 'succeeded' });
  expect(received).toMatchObject([{ method: 'GET', url: '/orders/o%2F1%20%C3%A4', body: '' }]);
  expect(received[0]?.headers).not.toHaveProperty('idempotency-key');
});

it('declares its compensation as data', () => {
  const tool = refundTool({
    compensate: {
      tool: 'charge',
      arguments: {
        order: '{arguments.order_id}',
        refund: '{externalId}',
        cents: '{result.amount}',
      },
    },
  });
  expect(
    tool.compensate?.arguments({ arguments: args, result: { amount: 5 }, externalId: 're_1' }),
  ).toEqual({
    order: args['order_id'],
    refund: 're_1',
    cents: 5,
  });
});

describe('a declaration is refused, and the message names the fix', () => {
  const request = (more: object): More => ({
    request: { method: 'POST', url: 'https://api.example.com/x', ...more } as never,
  });
  const lookup = (more: object): More => ({
    lookup: { method: 'GET', url: 'https://api.example.com/x', ...more } as never,
  });

  it.each<[string, string, RegExp, More]>([
    [
      'a write by GET',
      'tool.http',
      /needs POST/,
      { request: { method: 'GET', url: 'https://api.example.com/x' } },
    ],
    [
      'F125 an idempotent write without the key',
      'tool.http',
      /does not carry the key/,
      { guarantee: 'idempotent', keyWindow: '24h', keyPlace: 'none' },
    ],
    [
      'a host that varies',
      'tool.http',
      /fixed host/,
      request({ url: 'https://{order_id}.example.com/' }),
    ],
    [
      'credentials in the URL',
      'tool.http',
      /without credentials/,
      request({ url: 'https://a:b@api.example.com/' }),
    ],
    [
      'a query in the URL',
      'tool.http',
      /parameters go into "query"/,
      request({ url: 'https://api.example.com/?a={order_id}' }),
    ],
    ['another scheme', 'tool.http', /must be http/, request({ url: 'file:///etc/passwd' })],
    ['a path upwards', 'tool.http', /"\."/, request({ url: 'https://api.example.com/a/%2e%2e/b' })],
    [
      'a stray brace',
      'tool.http',
      /stray brace/,
      request({ url: 'https://api.example.com/{order_id' }),
    ],
    [
      'a misspelt argument',
      'tool.unknown-field',
      /\{orderid\}.*\{order_id\}/,
      request({ url: 'https://api.example.com/{orderid}' }),
    ],
    [
      'a credential in the declaration',
      'tool.http',
      /give a function/,
      request({ headers: { authorization: 'Bearer x' } }),
    ],
    [
      'a header of the client',
      'tool.http',
      /set by the client/,
      request({ headers: { Host: 'x' } }),
    ],
    [
      'a header twice',
      'tool.http',
      /given twice/,
      request({ headers: { 'idempotency-key': 'x' } }),
    ],
    [
      '5xx as a refusal',
      'tool.http',
      /never proves/,
      { answers: { rules: [{ status: '5xx', outcome: 'refused' }] } },
    ],
    [
      '500 as refused before handling',
      'tool.http',
      /only 503/,
      { answers: { rules: [{ status: [500], outcome: 'refused before handling' }] } },
    ],
    [
      'a pointer that is none',
      'tool.http',
      /no JSON pointer/,
      { answers: { rules: [{ body: { ok: false }, outcome: 'refused' }] } },
    ],
    [
      'a status that is none',
      'tool.http',
      /no set of statuses/,
      { answers: { success: { status: 2 } } },
    ],
    [
      'a lookup that proves no absence',
      'tool.lookup',
      /what proves absence/,
      lookup({ query: { r: '{$key}' } }),
    ],
    [
      'a lookup that is not tied to the action',
      'tool.lookup',
      /nothing ties/,
      lookup({ query: { o: '{order_id}' }, absent: { status: 404 } }),
    ],
    [
      'a compensation of nothing',
      'tool.compensate',
      /\{amount\}/,
      { compensate: { tool: 'x', arguments: { a: '{amount}' } } },
    ],
    ['a bound of nothing', 'tool.http', /responseBytesMax/, { responseBytesMax: 0 }],
  ])('%s', (_title, code, message, more) => {
    const expected = expect.objectContaining({
      code,
      message: expect.stringMatching(message) as unknown,
    });
    expect(() => refundTool(more)).toThrow(expected);
  });
});
