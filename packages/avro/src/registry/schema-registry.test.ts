// The client against a registry of the test, over a socket: what it asks for, and what it makes of each answer.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type Timers } from '@action-ledger/runtime';
import { releasedSchemas } from '@action-ledger/schemas';
import { createDecodersBy, encodersAsAvro } from '../index.ts';
import { createSchemaRegistry, type SchemaRegistryOptions } from './schema-registry.ts';

interface Reply {
  readonly status: number;
  readonly body: unknown;
}

type Answer = (asked: string, request: IncomingMessage) => Reply | 'hang' | undefined;

/** Registered under a subject, in order; what it gives ids from 100 on. */
const registered = new Map<string, { readonly id: number; readonly schema: string }[]>();
const asked: string[] = [];
const authorizations = new Set<string | undefined>();
let instead: Answer = () => undefined;
let server: Server;
let host = '';

const none = (code: number): Reply => ({
  status: 404,
  body: { error_code: code, message: 'not found' },
});

beforeEach(async () => {
  registered.clear();
  authorizations.clear();
  asked.length = 0;
  instead = () => undefined;
  server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    authorizations.add(headers.authorization);
    const told = instead(`${method} ${url}`, request);
    if (told === 'hang') return;
    void (told === undefined ? answerTo(request) : Promise.resolve(told)).then(
      ({ status, body }) => {
        response.statusCode = status;
        response.end(typeof body === 'string' ? body : JSON.stringify(body));
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function answerTo(request: IncomingMessage): Promise<Reply> {
  const { method, url = '' } = request;
  const [, kind, name = '', , version] = url.split('/').map(decodeURIComponent);
  if (kind === 'schemas') {
    const found = [...registered.values()].flat().find(({ id }) => url.endsWith(`/${id}`));
    return found === undefined ? none(40_403) : { status: 200, body: { schema: found.schema } };
  }
  const own = registered.get(name) ?? [];
  if (method === 'POST') {
    const { schema } = (await json(request)) as { readonly schema: string };
    const id = 100 + [...registered.values()].flat().length;
    registered.set(name, [...own, { id, schema }]);
    return { status: 200, body: { id } };
  }
  if (own.length === 0) return none(40_401);
  if (version === undefined) return { status: 200, body: own.map((_, at) => at + 1) };
  const at = Number(version);
  return { status: 200, body: { subject: name, version: at, ...own[at - 1] } };
}

/** Pauses are over at once; a request takes as long as it likes, but where a test lets its time be up. */
function timersOf(
  pauses: number[],
  onRequest: (end: () => void) => void = () => undefined,
): Timers {
  return {
    after: (ms, run) => {
      if (ms === requestMs) onRequest(run);
      else {
        pauses.push(ms);
        setImmediate(run);
      }
      return { cancel: () => undefined };
    },
  };
}

const requestMs = 4_321;

function registryWith(more: Partial<SchemaRegistryOptions> = {}) {
  const timers = timersOf([]);
  return createSchemaRegistry({ url: `http://${host}`, runtime: { timers }, requestMs, ...more });
}

const given = (subject: string): readonly string[] =>
  (registered.get(subject) ?? []).map(({ schema }) => schema);

describe('a registry that is asked for the ids to write by', () => {
  it('is given the schemas that it has not, once', async () => {
    const first = await registryWith().ids();
    expect(first).toEqual({ event: 100, state: 101, proposal: 102 });
    for (const { subject, schema } of releasedSchemas) expect(given(subject)).toEqual([schema]);
    expect(await registryWith().ids()).toEqual(first);
    expect(asked.filter((each) => each.startsWith('POST'))).toHaveLength(releasedSchemas.length);
  });

  it('knows a schema again whatever its blanks and the order of its members, among others', async () => {
    for (const { subject, schema } of releasedSchemas) {
      const { type, ...members } = JSON.parse(schema) as { readonly type: string };
      const told = JSON.stringify({ ...members, type }, undefined, 2);
      registered.set(subject, [
        { id: 7, schema: '"string"' },
        { id: 8, schema: 'syntax = "proto3";' },
        { id: 9, schema: told },
      ]);
    }
    expect(await registryWith({ registers: false }).ids()).toEqual({
      event: 9,
      state: 9,
      proposal: 9,
    });
  });

  it('is not given any where others register, and where it does not want them', async () => {
    await expect(registryWith({ registers: false }).ids()).rejects.toMatchObject({
      code: 'registry.refused',
    });
    expect(registered.size).toBe(0);
    const no = { status: 409, body: { error_code: 409, message: 'no default for tenant' } };
    instead = (each) => (each.startsWith('POST') ? no : undefined);
    await expect(registryWith().ids()).rejects.toMatchObject({
      code: 'registry.incompatible',
      retry: 'never',
      message: expect.stringContaining('no default for tenant'),
    });
  });

  it('has subjects as the topics are called, and a path of its own', async () => {
    await registryWith({ prefix: 'a/b.' }).ids();
    expect([...registered.keys()]).toContain('a/b.action.state-value');
    instead = () => ({ status: 200, body: [] });
    const url = `http://${host}/registry`;
    const refused = registryWith({ url, registers: false }).ids();
    await expect(refused).rejects.toMatchObject({ code: 'registry.refused' });
    expect(asked.at(-1)).toMatch(/^GET \/registry\/subjects\//);
  });

  it('is told user and password, of which no fault speaks', async () => {
    const [user, password] = ['ann', 'p:ä/ss'];
    const url = `http://${user}:${encodeURIComponent(password)}@${host}`;
    await registryWith({ url }).ids();
    await registryWith({ basic: { user, password } }).ids();
    const proof = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    expect([...authorizations]).toEqual([proof]);
    instead = () => ({ status: 401, body: { error_code: 40_101, message: 'who?' } });
    const fault = await registryWith({ url }).ids().catch(String);
    expect(fault).toContain('401: who?');
    expect(fault).not.toContain('ss');
  });
});

describe('a registry that is away', () => {
  const outages: readonly (readonly [string, Reply])[] = [
    ['has an error', { status: 500, body: { error_code: 50_001, message: 'the store is away' } }],
    ['is full', { status: 429, body: 'slow down' }],
    ['is a proxy', { status: 200, body: '<html>starting</html>' }],
    ['is another service', { status: 200, body: { hello: 'world' } }],
    ['has no such address', { status: 404, body: 'not found' }],
    ['is somewhere else', { status: 302, body: '' }],
  ];

  it.each(outages)('is waited for where it %s', async (_how, reply) => {
    let left = 3;
    instead = () => ((left -= 1) >= 0 ? reply : undefined);
    const pauses: number[] = [];
    const faults: string[] = [];
    const registry = registryWith({
      runtime: { timers: timersOf(pauses) },
      onFault: ({ code }) => faults.push(code),
    });
    expect(await registry.ids()).toEqual({ event: 100, state: 101, proposal: 102 });
    expect(pauses).toEqual([250, 500, 1_000]);
    expect(faults).toEqual(Array.from({ length: 3 }, () => 'registry.unavailable'));
  });

  it('is asked again where nothing comes in time', async () => {
    let isFirst = true;
    let end = (): void => undefined;
    instead = () => {
      if (!isFirst) return undefined;
      isFirst = false;
      end();
      return 'hang';
    };
    const timers = timersOf([], (run) => (end = run));
    expect(await registryWith({ runtime: { timers } }).ids()).toMatchObject({ event: 100 });
  });

  it('is waited for no longer than it is wanted', async () => {
    const stop = new AbortController();
    instead = () => ({ status: 503, body: '' });
    const registry = registryWith({
      onFault: () => {
        stop.abort();
      },
    });
    await expect(registry.ids(stop.signal)).rejects.toMatchObject({
      code: 'registry.unavailable',
      retry: 'safe',
    });
  });

  it('is waited for where nothing listens', async () => {
    const registry = registryWith({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    await expect(registry.schemaOf(1)).rejects.toMatchObject({ retry: 'safe' });
  });
});

describe('a registry that is asked for the schema of a record', () => {
  const event = { id: 'e', stream: 'action-a.0', revision: 0, position: 1, type: 'T' };

  it('is asked once, by however many at once, and again after an outage', async () => {
    const ids = await registryWith().ids();
    const written = encodersAsAvro(ids).event({ ...event, data: '{}', metadata: '{"at":7}' });
    const registry = registryWith();
    const decode = createDecodersBy(registry);
    asked.length = 0;
    let isAway = true;
    instead = () => (isAway ? { status: 503, body: '' } : undefined);
    await expect(decode.event(written)).rejects.toMatchObject({ retry: 'safe' });
    isAway = false;
    await Promise.all([registry.schemaOf(100), registry.schemaOf(100), decode.event(written)]);
    expect(await decode.event(written)).toMatchObject({ eventId: 'e' });
    expect(asked).toEqual(['GET /schemas/ids/100', 'GET /schemas/ids/100']);
  });

  it('is waited for where it does not let us in: the record is not to blame', async () => {
    instead = () => ({ status: 403, body: { error_code: 40_301, message: 'not you' } });
    await expect(registryWith().schemaOf(1)).rejects.toMatchObject({
      retry: 'safe',
      message: expect.stringContaining('not you'),
    });
  });

  it.each([
    [400, 400],
    [404, 404],
    [404, 40_403],
    [422, 42_201],
  ])(
    'is not waited for where it answers %i with the code %i: there is none',
    async (status, code) => {
      instead = () => ({ status, body: { error_code: code, message: 'no such thing' } });
      expect(await registryWith().schemaOf(7)).toBeUndefined();
      const garbage = Buffer.from([0, 0, 0, 0, 7, 1, 2]);
      expect(await createDecodersBy(registryWith()).proposal(garbage)).toMatchObject({
        kind: 'unreadable',
        code: 'avro.unknown-schema',
      });
    },
  );

  it.each([
    [400, 'a plain request to an encrypted port'],
    [401, { error_code: 401, message: 'who?' }],
    [404, '<html>not found</html>'],
    [429, { error_code: 429, message: 'slow down' }],
    [500, { error_code: 50_001, message: 'the store is away' }],
  ])('is waited for where it answers %i with %j', async (status, body) => {
    instead = () => ({ status, body });
    await expect(registryWith().schemaOf(7)).rejects.toMatchObject({ retry: 'safe' });
  });

  it('may come to know an id later', async () => {
    const registry = registryWith();
    expect(await registry.schemaOf(100)).toBeUndefined();
    await registry.ids();
    expect(await registry.schemaOf(100)).toBe(releasedSchemas[0]?.schema);
  });
});
