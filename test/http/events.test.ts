// Server-sent events: of one's own tenant only, resumed without a gap, and with readers that are slow,
// many, or too many.
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createSystemRuntime } from '@action-ledger/runtime';
import { openWorld, payment, type World, type WorldOptions } from './world.ts';

interface Message {
  readonly id: number;
  readonly event: string;
  readonly data: { readonly action: string; readonly type: string; readonly position: number };
}

interface Reader {
  readonly messages: Message[];
  readonly text: () => string;
  readonly isOver: () => boolean;
  readonly close: () => void;
}

interface Streaming {
  readonly world: World;
  readonly read: (options?: {
    readonly as?: string;
    readonly last?: number;
    readonly query?: string;
  }) => Promise<Reader>;
  readonly port: number;
}

const open: { readonly world: World; readonly readers: Reader[] }[] = [];

async function streaming(options: WorldOptions = {}): Promise<Streaming> {
  const world = await openWorld({ deps: { runtime: createSystemRuntime() }, ...options });
  const readers: Reader[] = [];
  open.push({ world, readers });
  const { url } = await world.gateway.start();
  return {
    world,
    port: Number(new URL(url).port),
    read: async ({ as = 'acme:auditor', last, query = '' } = {}) => {
      const reader = await follow(`${url}/v1/events${query}`, {
        'x-api-key': as,
        ...(last === undefined ? {} : { 'last-event-id': String(last) }),
      });
      readers.push(reader);
      return reader;
    },
  };
}

afterEach(async () => {
  for (const { world, readers } of open.splice(0)) {
    for (const reader of readers) reader.close();
    await world.close();
  }
});

function follow(url: string, headers: Record<string, string>): Promise<Reader> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers, agent: false });
    asked.on('error', reject);
    asked.on('response', (response: IncomingMessage) => {
      if (response.statusCode !== 200) {
        reject(new Error(`status ${response.statusCode ?? 0}`));
        response.destroy();
        return;
      }
      const messages: Message[] = [];
      let text = '';
      let rest = '';
      let isOver = false;
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        rest += chunk;
        const end = rest.lastIndexOf('\n\n') + 2;
        if (end < 2) return;
        messages.push(...messagesIn(rest.slice(0, end)));
        rest = rest.slice(end);
      });
      const over = (): void => {
        isOver = true;
      };
      response.on('close', over).on('error', over);
      resolve({
        messages,
        text: () => text,
        isOver: () => isOver,
        close: () => {
          response.destroy();
        },
      });
    });
    asked.end();
  });
}

function messagesIn(text: string): readonly Message[] {
  return text
    .split('\n\n')
    .slice(0, -1)
    .filter((block) => !block.startsWith(':'))
    .map((block) => {
      const member = (name: string): string =>
        new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      const data = JSON.parse(member('data')) as Message['data'];
      return { id: Number(member('id')), event: member('event'), data };
    });
}

async function until(isSo: () => boolean): Promise<void> {
  const { clock } = createSystemRuntime();
  const end = clock.monoMs() + 20_000;
  while (!isSo()) {
    if (clock.monoMs() > end) throw new Error('it never came to be');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const propose = (world: World, invoice: string, as = 'acme:proposer'): Promise<unknown> =>
  world.ask({ url: '/v1/actions', body: payment(invoice), as });

const wholeAction = ['ActionPlanned', 'ActionClaimed', 'ActionDispatched', 'ActionSucceeded'];

describe('a reader', () => {
  it("gets the events of its tenant's actions as they are recorded", async () => {
    const { world, read } = await streaming();
    await propose(world, 'before');
    const acme = await read();
    const umbrella = await read({ as: 'umbrella:auditor' });
    await propose(world, '1');
    await propose(world, '1', 'umbrella:proposer');
    await until(() => acme.messages.length >= 4 && umbrella.messages.length >= 4);
    expect(acme.messages.map(({ event }) => event)).toEqual(wholeAction);
    expect(umbrella.messages.map(({ event }) => event)).toEqual(wholeAction);
    const actions = [acme, umbrella].map(({ messages }) => messages[0]?.data.action);
    expect(new Set(actions).size).toBe(2);
    expect(umbrella.text()).not.toContain(String(actions[0]));
    expect(acme.messages.every(({ id, data }) => id === data.position)).toBe(true);
  });

  it('resumes after the last event that it saw, without a gap or a repeat', async () => {
    const { world, read } = await streaming();
    for (const invoice of ['1', '2', '3']) await propose(world, invoice);
    await propose(world, 'x', 'umbrella:proposer');
    const all = await read({ query: '?after=0' });
    await until(() => all.messages.length >= 12);
    const half = await read({ last: all.messages[5]?.id ?? 0 });
    const going = propose(world, '4');
    await going;
    await until(() => half.messages.length >= 10 && all.messages.length >= 16);
    expect(half.messages.map(({ id }) => id)).toEqual(all.messages.slice(6).map(({ id }) => id));
    expect(all.messages).toHaveLength(16);
  });

  it('misses nothing while it is brought up to date and more is recorded', async () => {
    const { world, read } = await streaming();
    for (let each = 0; each < 60; each += 1) await propose(world, `old ${each}`);
    const readers = await Promise.all(
      Array.from({ length: 20 }, () => read({ query: '?after=0' })),
    );
    const more = (async () => {
      for (let each = 0; each < 40; each += 1) await propose(world, `new ${each}`);
    })();
    const late = await Promise.all(Array.from({ length: 20 }, () => read({ last: 100 })));
    await more;
    const head = await world.store.head();
    const isDone = ({ messages }: Reader): boolean => messages.at(-1)?.id === head;
    await until(() => [...readers, ...late].every(isDone));
    for (const { messages } of readers) expect(messages).toHaveLength(400);
    const ids = readers[0]?.messages.map(({ id }) => id) ?? [];
    expect([...new Set(ids)].sort((a, b) => a - b)).toEqual(ids);
    for (const { messages } of late)
      expect(messages.map(({ id }) => id)).toEqual(ids.filter((id) => id > 100));
  });

  it('that has seen more than there is gets what is new', async () => {
    const { world, read } = await streaming();
    const reader = await read({ last: 1_000_000 });
    await propose(world, '1');
    await until(() => reader.messages.length === 4);
  });

  it('is told that the line is alive, and ends after its time', async () => {
    const { read } = await streaming({ limits: { heartbeatMs: 30, streamMsMax: 100 } });
    const reader = await read();
    await until(() => reader.isOver());
    expect(reader.text()).toContain(': beat\n\n');
  });

  it('that takes nothing is dropped, and others go on', async () => {
    const { world, read, port } = await streaming({
      limits: { streamLagBytesMax: 16_384, streamStuckMs: 300 },
    });
    const slow = connect(port, '127.0.0.1');
    let isDropped = false;
    slow
      .on('error', () => undefined)
      .on('close', () => {
        isDropped = true;
      });
    slow.write('GET /v1/events HTTP/1.1\r\nHost: x\r\nX-Api-Key: acme:auditor\r\n\r\n');
    await new Promise((resolve) => slow.once('readable', resolve));
    slow.pause();
    const quick = await read();
    let sent = 0;
    while (world.gateway.readers() > 1 && sent < 400) {
      const args = { invoice: String(sent), cents: 1, note: 'x'.repeat(50_000) };
      await world.ask({ url: '/v1/actions', body: { tool: 'pay', arguments: args, run: 'r' } });
      sent += 1;
      await until(() => quick.messages.length === sent * 4);
    }
    expect(world.gateway.readers()).toBe(1);
    expect(quick.isOver()).toBe(false);
    slow.resume();
    await until(() => isDropped);
  });

  it('is refused when there are too many, and when it names no position', async () => {
    const { read } = await streaming({ limits: { streamsMax: 2 } });
    const first = await read();
    await read();
    await expect(read()).rejects.toThrow('status 429');
    first.close();
    await until(() => first.isOver());
    await expect(read({ query: '?after=x' })).rejects.toThrow('status 400');
    await expect(read({ as: 'nobody' })).rejects.toThrow('status 401');
  });

  it('ends when the gateway stops', async () => {
    const { world, read } = await streaming();
    const reader = await read();
    await world.gateway.stop();
    await until(() => reader.isOver());
  });
});

describe('many readers', () => {
  it('hold nobody up: each gets everything, and proposals are answered meanwhile', async () => {
    const { world, read } = await streaming();
    const readers = await Promise.all(Array.from({ length: 1_000 }, () => read()));
    expect(world.gateway.readers()).toBe(1_000);
    await propose(world, '1');
    await until(() => readers.every(({ messages }) => messages.length === 4));
    for (const reader of readers) reader.close();
    await until(() => world.gateway.readers() === 0);
  });
});
