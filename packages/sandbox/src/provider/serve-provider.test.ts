import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { type ProviderOptions } from './behaviour.ts';
import { connectProvider, type ConnectedProvider } from './connect-provider.ts';
import { ackLost, storedError, timeout, tooManyRequests, type Fault } from './fault.ts';
import { createProvider, type SandboxProvider } from './provider.ts';
import { serveProvider } from './serve-provider.ts';
import { ConnectionLost, type ProviderRequest } from './wire.ts';

const closing: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

/** A worker's program: one request, and no wish to hear the reply. */
const sendOnce = `
  const { request } = require('node:http');
  const headers = { 'idempotency-key': 'k-9', 'content-type': 'application/json' };
  request(process.argv[1] + '/t/pay', { method: 'POST', headers }).end('{}');
`;

interface Served {
  readonly url: string;
  readonly provider: SandboxProvider;
  readonly connection: ConnectedProvider;
  readonly faults: Fault[];
}

async function served(options: Partial<ProviderOptions> = {}): Promise<Served> {
  const faults: Fault[] = [];
  const provider = createProvider({
    runtime: createSystemRuntime(),
    fault: () => faults.shift(),
    behaviour: () => ({ keyWindowMs: 60_000 }),
    ...options,
  });
  const server = await serveProvider(provider);
  const connection = connectProvider(server.url);
  closing.push(() => {
    connection.close();
  }, server.close);
  return { url: server.url, provider, connection, faults };
}

const request: ProviderRequest = {
  tenant: 'ad/model x/ü',
  tool: 'send money',
  arguments: { amount: 5, subject: 'für Ana ✓' },
  key: 'k-1',
  attempt: 2,
  origin: { conversation: 'c', run: 'r', turn: '1', call: 'call ü' },
};

describe('a provider behind a port', () => {
  it('gets the request as it was sent, and answers it as in its own process', async () => {
    const { provider, connection } = await served();
    const reply = await connection.send({ ...request, expiresAt: 9_999_999_999_999 });
    expect(reply).toEqual({
      status: 200,
      body: { ok: true, id: provider.effects()[0]?.id, result: { done: true } },
    });
    expect(provider.arrivals[0]?.request).toEqual({ ...request, expiresAt: 9_999_999_999_999 });
    expect(await connection.send(request)).toEqual({ ...reply, replayed: true });
  });

  it('says what a lookup finds', async () => {
    const { provider, connection } = await served();
    const { tenant, tool, key } = request;
    expect(await connection.lookUp({ tenant, tool, key })).toEqual({ found: false });
    await connection.send(request);
    const found = await connection.lookUp({ tenant, tool, key });
    expect(found).toEqual(await provider.lookUp({ tenant, tool, key }));
    expect(found.found).toBe(true);
  });

  it('loses a reply, and the connection serves the next request', async () => {
    const { provider, connection, faults } = await served();
    faults.push(ackLost);
    await expect(connection.send(request)).rejects.toBeInstanceOf(ConnectionLost);
    expect(provider.effects()).toHaveLength(1);
    expect(await connection.send(request)).toMatchObject({ status: 200, replayed: true });
    expect(provider.tally()[0]).toMatchObject({ requests: 2, effects: 1 });
  });

  it('cannot be asked while its lookup is down', async () => {
    const { connection } = await served({ lookupFault: () => ({ outage: true }) });
    const { tenant, tool, key } = request;
    await expect(connection.lookUp({ tenant, tool, key })).rejects.toBeInstanceOf(ConnectionLost);
  });

  it('keeps statuses, stored errors and waits', async () => {
    const { connection, faults } = await served();
    faults.push(tooManyRequests(1_500), storedError);
    expect(await connection.send(request)).toMatchObject({ status: 429, retryAfterMs: 1_500 });
    expect(await connection.send(request)).toMatchObject({ status: 500 });
    expect(await connection.send(request)).toMatchObject({ status: 500, replayed: true });
  });

  it('keeps the effect of a sender that gives up', async () => {
    const { provider, connection, faults } = await served();
    faults.push(timeout({ commits: true }));
    const sender = new AbortController();
    const sent = connection.send(request, sender.signal);
    const outcome = expect(sent).rejects.toThrow('deadline');
    while (provider.effects().length === 0) await new Promise((resolve) => setImmediate(resolve));
    sender.abort(new Error('deadline'));
    await outcome;
    expect(await connection.send(request)).toMatchObject({ status: 200, replayed: true });
  });

  it('keeps the request of a process that is killed with -9', async () => {
    let kill = (): boolean => false;
    const { provider, url } = await served({
      onArrival: () => {
        kill();
        return new Promise((resolve) => child.once('exit', resolve));
      },
    });
    const child = spawn(process.execPath, ['-e', sendOnce, url], { stdio: 'ignore' });
    kill = () => child.kill('SIGKILL');
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
    expect(signal).toBe('SIGKILL');
    while (provider.effects().length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(provider.tally()).toMatchObject([{ key: 'k-9', requests: 1, effects: 1 }]);
  });

  it('serves many senders at once', async () => {
    const { provider, connection } = await served();
    const keys = Array.from({ length: 200 }, (_, n) => `k-${n}`);
    await Promise.all(keys.map((key) => connection.send({ ...request, key })));
    expect(provider.tally().every(({ requests, effects }) => requests === 1 && effects === 1)).toBe(
      true,
    );
    expect(provider.effects()).toHaveLength(200);
  });

  it('is lost when it closes', async () => {
    const provider = createProvider({ runtime: createSystemRuntime() });
    const server = await serveProvider(provider);
    const connection = connectProvider(server.url);
    await server.close();
    await expect(connection.send(request)).rejects.toBeInstanceOf(ConnectionLost);
    connection.close();
  });
});
