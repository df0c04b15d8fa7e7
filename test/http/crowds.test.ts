// Clients that trickle, hang, vanish or come in thousands: what they hold is bounded for each tenant, nothing of it
// is lost or recorded by half, and others are answered all the while.
import { execFileSync } from 'node:child_process';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openWorld, passing, payment, type World, type WorldOptions } from './world.ts';

interface Crowded {
  readonly world: World;
  readonly url: string;
  readonly open: (bytes: string) => Promise<Socket>;
}

const worlds: World[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets.clear();
  for (const world of worlds.splice(0)) await world.close();
});

async function crowded(limits: WorldOptions['limits'] = {}): Promise<Crowded> {
  const world = await openWorld({ limits, deps: { runtime: createSystemRuntime() } });
  worlds.push(world);
  const { url } = await world.gateway.start();
  const port = Number(new URL(url).port);
  const open = (bytes: string): Promise<Socket> =>
    new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(bytes);
        resolve(socket);
      });
      socket.setNoDelay(true).once('error', reject);
      sockets.add(socket);
    });
  return { world, url, open };
}

const post = (url: string, invoice: string, as = 'umbrella:proposer'): Promise<Response> =>
  fetch(`${url}/v1/actions`, {
    method: 'POST',
    headers: { 'x-api-key': as, 'content-type': 'application/json', prefer: 'wait=1' },
    body: JSON.stringify(payment(invoice)),
  });

const head = (as: string): string =>
  `POST /v1/actions HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${as}\r\nContent-Type: application/json\r\n`;

const half = (as: string): string => `${head(as)}Content-Length: 1000\r\n\r\n{"tool":"pay",`;

describe('clients that send slowly', () => {
  it('hold up nobody, and leave nothing behind when they vanish', async () => {
    const patient = { headersTimeoutMs: 200_000, requestTimeoutMs: 200_000 };
    const { world, url, open } = await crowded(patient);
    const slow: Socket[] = [];
    for (let at = 0; at < 200; at += 1)
      slow.push(await open(at % 2 === 0 ? head('acme:proposer') : half('acme:proposer')));
    for (const invoice of ['1', '2', '3']) {
      const said = await post(url, invoice);
      expect(said.status).toBe(201);
    }
    expect(slow.every((socket) => !socket.destroyed && socket.bytesRead === 0)).toBe(true);
    for (const socket of slow) socket.destroy();
    // Nothing is under way any more: it stops without cutting anybody off.
    await world.gateway.stop();
    expect(world.log.filter(([level]) => level !== 'info')).toEqual([]);
    expect(world.ledger.list({ limit: 20 }).map(({ tenant }) => tenant)).toEqual(
      Array.from({ length: 3 }, () => 'umbrella'),
    );
  });

  it('are told so when their time is over, however steadily they trickle', async () => {
    const { open } = await crowded({ headersTimeoutMs: 300, requestTimeoutMs: 300 });
    for (const bytes of [head('acme:proposer'), half('acme:proposer')]) {
      const socket = await open(bytes);
      const trickle = setInterval(() => socket.writable && socket.write('x'), 10);
      const said = await text(socket).catch(() => '');
      clearInterval(trickle);
      expect(said).toMatch(/^HTTP\/1\.1 408 /);
    }
  });

  it('take no more than the share of their tenant, and what they had is free when they go', async () => {
    const patient = { headersTimeoutMs: 200_000, requestTimeoutMs: 200_000 };
    const { url, open } = await crowded({ ...patient, tenantUnderWayMax: 5 });
    const slow: Socket[] = [];
    for (let at = 0; at < 5; at += 1) slow.push(await open(half('acme:proposer')));
    const full = await until(async () => {
      const said = await post(url, 'full', 'acme:proposer');
      return said.status === 429 ? said : undefined;
    });
    expect(full.headers.get('retry-after')).toBe('1');
    expect(await full.json()).toMatchObject({ code: 'request.tenant-busy' });
    expect((await post(url, '1')).status).toBe(201);
    for (const socket of slow) socket.destroy();
    const free = await until(async () => {
      const said = await post(url, 'free', 'acme:proposer');
      return said.status === 201 ? said : undefined;
    });
    expect(free.status).toBe(201);
  });

  it('and those whose answers are held are counted together', async () => {
    const { world, url } = await crowded({ tenantUnderWayMax: 1 });
    world.nextSends('hang');
    const held = post(url, 'held', 'acme:proposer');
    await until(
      async () => world.ledger.list({ limit: 1 })[0]?.status === 'dispatched' || undefined,
    );
    expect((await post(url, 'more', 'acme:proposer')).status).toBe(429);
    expect((await post(url, 'other')).status).toBe(201);
    expect((await passing(world.time, held)).status).toBe(202);
    expect((await post(url, 'more', 'acme:proposer')).status).toBe(201);
  });
});

describe('bodies that are too large', () => {
  it('are refused by what they say of themselves and by what arrives, and nothing of them is kept', async () => {
    const { world, url, open } = await crowded({ bodyBytesMax: 10_000 });
    const said = `${head('acme:proposer')}Content-Length: 99000000\r\n\r\n{`;
    const first = await open(said);
    first.end();
    expect(await text(first)).toMatch(/^HTTP\/1\.1 413 /);
    const chunk = `2710\r\n${'x'.repeat(10_000)}\r\n`;
    const second = await open(
      `${head('acme:proposer')}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
    );
    const [status] = await lines(second);
    expect(status).toMatch(/^HTTP\/1\.1 413 /);
    expect((await post(url, '1')).status).toBe(201);
    expect(world.ledger.list({ limit: 20 })).toHaveLength(1);
  });
});

describe('event streams', () => {
  const wanted = Number(process.env['CROWD_STREAMS'] ?? 2_000);
  /** Each takes two files of this process. */
  const room = Math.floor((filesMax() - 500) / 2);
  const count = Math.min(wanted, room);

  it(`${count} at once each get every event of their tenant, others are answered meanwhile`, async () => {
    process.stdout.write(`crowds: ${count} event streams\n`);
    const { world, url, open } = await crowded({ tenantStreamsMax: count, streamsMax: count + 1 });
    const { gateway } = world;
    const heard = new Map<Socket, string>();
    const follow = async (as: string): Promise<Socket> => {
      const socket = await open(`GET /v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${as}\r\n\r\n`);
      heard.set(socket, '');
      socket.on('data', (bytes) => heard.set(socket, `${heard.get(socket) ?? ''}${String(bytes)}`));
      return socket;
    };
    const readers: Socket[] = [];
    while (readers.length < count)
      readers.push(
        ...(await Promise.all(
          Array.from({ length: Math.min(100, count - readers.length) }, () =>
            follow('acme:auditor'),
          ),
        )),
      );
    await until(async () => gateway.readers() === count || undefined);
    const full = await fetch(`${url}/v1/events`, { headers: { 'x-api-key': 'acme:auditor' } });
    expect([full.status, full.headers.get('retry-after')]).toEqual([429, '30']);
    await full.text();
    const other = await follow('umbrella:auditor');
    await until(async () => gateway.readers() === count + 1 || undefined);

    expect((await post(url, '1', 'acme:proposer')).status).toBe(201);
    const hasAll = (times: number) => (socket: Socket) =>
      (heard.get(socket)?.match(/event: ActionSucceeded/g) ?? []).length === times;
    await until(async () => readers.every(hasAll(1)) || undefined);

    // Half of them vanish without a word.
    for (const socket of readers.splice(0, Math.floor(count / 2))) socket.destroy();
    expect((await post(url, '2', 'acme:proposer')).status).toBe(201);
    await until(async () => readers.every(hasAll(2)) || undefined);
    await until(async () => gateway.readers() === readers.length + 1 || undefined);
    expect(heard.get(other)).not.toContain('event:');
    expect(world.log.filter(([level]) => level !== 'info')).toEqual([]);
  });
});

function filesMax(): number {
  const said = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim();
  return said === 'unlimited' ? 100_000 : Number(said);
}

/** Of an answer after which the other side may cut the line. */
async function lines(socket: Socket): Promise<readonly string[]> {
  return new Promise((resolve) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      resolve(String(bytes).split('\r\n'));
    });
  });
}

/** Looks again whenever the event loop has turned. */
async function until<Found>(look: () => Promise<Found | undefined>): Promise<Found> {
  for (let turns = 0; turns < 1_000_000; turns += 1) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('it never came to be');
}
