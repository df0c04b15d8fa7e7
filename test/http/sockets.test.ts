// What needs a real socket: requests that arrive slowly or never, clients that vanish, headers sent
// twice, and a gateway that stops while it answers.
import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type Access, createOpenAccess } from '@action-ledger/access';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { createGateway } from '@action-ledger/gateway';
import { createSystemRuntime } from '@action-ledger/runtime';
import { keyed, openWorld, passing, payment, type World, type WorldOptions } from './world.ts';

interface Listening {
  readonly world: World;
  readonly url: string;
  readonly port: number;
}

const open: World[] = [];

async function listening(
  limits: WorldOptions['limits'] = {},
  { deps = {}, ...options }: Omit<WorldOptions, 'limits'> = {},
): Promise<Listening> {
  const runtime = createSystemRuntime();
  const world = await openWorld({ ...options, limits, deps: { runtime, ...deps } });
  open.push(world);
  const { url } = await world.gateway.start();
  return { world, url, port: Number(new URL(url).port) };
}

afterEach(async () => {
  for (const world of open.splice(0)) await world.close();
});

const headers = { 'x-api-key': 'acme:proposer+auditor', 'content-type': 'application/json' };

/** Sends bytes as they are, and reads until the other side ends. */
async function raw(port: number, bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  return text(socket);
}

describe('what arrives over a socket', () => {
  it('too slowly is 408, for the body as for the headers', async () => {
    const { port } = await listening({ headersTimeoutMs: 200, requestTimeoutMs: 300 });
    const head = 'POST /v1/actions HTTP/1.1\r\nHost: x\r\nX-Api-Key: acme:proposer\r\n';
    const body = `${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"tool"`;
    for (const bytes of [head, body]) {
      const said = await raw(port, bytes);
      expect(said).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
      expect(said).toContain('Content-Type: application/problem+json');
      expect(said).toContain('"code":"request.timeout"');
    }
  });

  it('is not HTTP: 400; with too many headers: 431', async () => {
    const { port } = await listening();
    expect(await raw(port, 'HELLO\r\n\r\n')).toContain('"code":"request.malformed"');
    const many = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
    const said = await raw(port, many);
    expect(said).toMatch(/^HTTP\/1\.1 431 /);
    expect(said).toContain('"code":"request.headers-too-large"');
  });

  it('without a host is 400, and with an unknown expectation is answered all the same', async () => {
    const { port } = await listening();
    const said = await raw(port, 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n');
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    expect(said).toContain('"code":"request.malformed"');
    const expecting =
      'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n';
    expect(await raw(port, expecting)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('in the midst of a stream ends it, and writes nothing into it', async () => {
    const { port, world } = await listening();
    const follow = 'GET /v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: acme:auditor\r\n\r\n';
    const socket = connect(port, '127.0.0.1');
    socket.write(follow);
    await until(() => world.gateway.readers() === 1);
    socket.write('HELLO\r\n\r\n');
    const said = await text(socket).catch(() => 'cut');
    expect(said).not.toContain('400');
    await until(() => world.gateway.readers() === 0);
  });

  it('is refused before its body is read where nobody is known', async () => {
    const { port, world } = await listening();
    const said = await raw(
      port,
      'POST /v1/actions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{"tool":',
    );
    expect(said).toMatch(/^HTTP\/1\.1 401 /);
    expect(world.effects()).toBe(0);
  });

  it('with a header twice: another key is 400, and two credentials prove nothing', async () => {
    const { url } = await listening();
    const twice = (name: string, values: string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const body = JSON.stringify(payment('1'));
        const asked = request(`${url}/v1/actions`, {
          method: 'POST',
          headers: { ...headers, [name]: values },
        });
        asked.on('response', (response) => {
          text(response).then(resolve, reject);
        });
        asked.on('error', reject).end(body);
      });
    expect(await twice('idempotency-key', ['k-1', 'k-2'])).toContain('"code":"key.mismatch"');
    expect(await twice('x-api-key', ['acme:proposer', 'umbrella:proposer'])).toContain(
      '"code":"access.unauthenticated"',
    );
    expect(await twice('idempotency-key', ['k-1', 'k-1'])).toContain('"state":"succeeded"');
  });
});

describe('a client that vanishes', () => {
  it('ends its wait, not the action', async () => {
    const { world, url } = await listening({ waitMsMax: 600_000 });
    world.nextSends('hang');
    let waiting: AbortSignal | undefined;
    const ledger = { ...world.ledger };
    const propose: typeof ledger.propose = (proposal) => {
      waiting = proposal.signal;
      return ledger.propose(proposal);
    };
    Object.assign(world.ledger, { propose });
    const gone = new AbortController();
    const body = JSON.stringify(payment('1'));
    const asked = fetch(`${url}/v1/actions`, {
      method: 'POST',
      headers: { ...headers, prefer: 'wait=600' },
      body,
      signal: gone.signal,
    }).catch(() => 'gone');
    await until(() => world.ledger.list({ limit: 1 })[0]?.status === 'dispatched');
    gone.abort();
    expect(await asked).toBe('gone');
    await until(() => waiting?.aborted === true);
    // Nothing is under way any more: it need not wait for the ten minutes.
    await world.gateway.stop();
    await world.time.advance(60_000);
    expect(world.ledger.list({ limit: 1 })[0]?.status).toBe('succeeded');
  });
});

describe('a client that vanishes before its answer is begun', () => {
  it('gives back the share of its tenant, however long it took to know who it was', async () => {
    const door = waitingOnce();
    const access: Access = {
      authenticate: async (credentials) => {
        await door.pass();
        return keyed.authenticate(credentials);
      },
    };
    const { world, url } = await listening({ tenantUnderWayMax: 1 }, { access });
    await vanishing(world, `${url}/v1/actions`, door);
    expect((await fetch(`${url}/v1/actions`, { headers })).status).toBe(200);
  });

  it('is no reader of events', async () => {
    const door = waitingOnce();
    const store = createMemoryEventStore();
    const feed = {
      ...store,
      head: async () => {
        await door.pass();
        return store.head();
      },
    };
    const { world, url } = await listening({}, { store, deps: { feed } });
    await vanishing(world, `${url}/v1/events?after=999`, door);
    await new Promise((resolve) => setImmediate(resolve));
    expect(world.gateway.readers()).toBe(0);
  });
});

interface WaitingOnce {
  readonly pass: () => Promise<void>;
  readonly isReached: () => boolean;
  readonly open: () => void;
}

/** Whoever comes first waits until it is opened; everybody after passes. */
function waitingOnce(): WaitingOnce {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let isReached = false;
  return {
    pass: async () => {
      if (isReached) return;
      isReached = true;
      await opened;
    },
    isReached: () => isReached,
    open: () => {
      open();
    },
  };
}

/** Asks, goes while the door is closed, and resolves when what was asked has gone on. */
async function vanishing(world: World, url: string, door: WaitingOnce): Promise<void> {
  let isClosed = false;
  world.gateway.app.server.once('request', (_request, response) => {
    response.once('close', () => {
      isClosed = true;
    });
  });
  const gone = new AbortController();
  const asked = fetch(url, { headers, signal: gone.signal }).catch(() => 'gone');
  await until(door.isReached);
  gone.abort();
  expect(await asked).toBe('gone');
  await until(() => isClosed);
  door.open();
  await new Promise((resolve) => setImmediate(resolve));
}

describe('a gateway that stops', () => {
  it('answers what is under way, and refuses what is new', async () => {
    const { world, url } = await listening();
    world.nextSends('hang');
    const post = (invoice: string): Promise<Response> =>
      fetch(`${url}/v1/actions`, {
        method: 'POST',
        headers: { ...headers, prefer: 'wait=1' },
        body: JSON.stringify(payment(invoice)),
      });
    const first = post('1');
    await until(() => world.ledger.list({ limit: 1 })[0]?.status === 'dispatched');
    const stopped = world.gateway.stop();
    const second = await post('2');
    expect([second.status, second.headers.get('connection')]).toEqual([503, 'close']);
    expect(second.headers.get('retry-after')).toBe('5');
    expect(await second.json()).toMatchObject({ code: 'gateway.closing' });
    const ready = await fetch(`${url}/readyz`);
    expect(ready.status).toBe(503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await passing(world.time, first)).status).toBe(202);
    await stopped;
    await expect(post('3')).rejects.toThrow();
    expect(world.ledger.list({ limit: 5 })).toHaveLength(1);
  });

  it('waits no longer than it was told', async () => {
    const { world, url } = await listening({ drainMs: 50 });
    world.nextSends('hang');
    const body = JSON.stringify(payment('1'));
    const asked = fetch(`${url}/v1/actions`, { method: 'POST', headers, body }).catch(() => 'cut');
    await until(() => world.ledger.list({ limit: 1 })[0]?.status === 'dispatched');
    await world.gateway.stop();
    expect(await asked).toBe('cut');
  });
});

describe('more than the gateway takes', () => {
  it('is 503 while too many requests are under way', async () => {
    const { world, url } = await listening({ underWayMax: 1 });
    world.nextSends('hang');
    const post = (invoice: string): Promise<Response> =>
      fetch(`${url}/v1/actions`, {
        method: 'POST',
        headers: { ...headers, prefer: 'wait=1' },
        body: JSON.stringify(payment(invoice)),
      });
    const first = post('1');
    await until(() => world.ledger.list({ limit: 1 })[0]?.status === 'dispatched');
    const second = await post('2');
    expect(second.status).toBe(503);
    expect(await second.json()).toMatchObject({ code: 'gateway.busy' });
    await passing(world.time, first);
    expect((await post('2')).status).toBe(201);
  });
});

describe('open access', () => {
  it('is for this machine only', async () => {
    const { world } = await listening();
    const { ledger, store: feed } = world;
    const tools = { get: () => undefined, all: [], undoneByTool: () => [] };
    const logger = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const gateway = createGateway({
      ledger,
      tools,
      feed,
      logger,
      runtime: createSystemRuntime(),
      access: createOpenAccess(),
      listen: { host: '0.0.0.0' },
    });
    await expect(gateway.start()).rejects.toThrow('open access is for this machine only');
    await gateway.stop();
  });
});

/** Looks again whenever the event loop has turned. */
async function until(isSo: () => boolean): Promise<void> {
  for (let turns = 0; turns < 1_000_000; turns += 1) {
    if (isSo()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be');
}
