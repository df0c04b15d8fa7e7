// The gateway as a schema registry, as clients of Confluent's ask one, and as the ledger's own client does.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  createDecodersBy,
  createSchemaRegistry,
  encodersAsAvro,
  ownSchemaIds,
} from '@action-ledger/avro';
import { createSystemRuntime } from '@action-ledger/runtime';
import { releasedSchemas } from '@action-ledger/schemas';
import { inWorld, openWorld, type World } from './world.ts';

const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('the schemas over HTTP', () => {
  // Nothing is changed by what is asked here.
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
  });
  afterAll(() => world.close());

  it.each(releasedSchemas)('$subject $version has its id and its place', async (released) => {
    const { id, subject, version, schema } = released;
    expect((await world.ask({ url: `/schemas/ids/${id}` })).json).toEqual({ schema });
    const at = `/subjects/${subject}/versions`;
    expect((await world.ask({ url: `${at}/${version}` })).json).toEqual(released);
    expect((await world.ask({ url: at })).json).toEqual(
      releasedSchemas.filter((each) => each.subject === subject).map((each) => each.version),
    );
  });

  it('lists its subjects, and says how versions go together', async () => {
    expect((await world.ask({ url: '/subjects?deleted=false' })).json).toEqual([
      'action.events-value',
      'action.proposals-value',
      'action.state-value',
    ]);
    const { json, headers } = await world.ask({ url: '/config' });
    expect(json).toEqual({ compatibilityLevel: 'FULL_TRANSITIVE' });
    expect(headers['content-type']).toBe('application/vnd.schemaregistry.v1+json');
  });

  it.each([
    ['/subjects/action.state-value/versions/latest', 200, undefined],
    ['/subjects/action.state-value/versions/-1', 200, undefined],
    ['/subjects/none/versions', 404, 40_401],
    ['/subjects/none/versions/1', 404, 40_401],
    ['/subjects/action.state-value/versions/99', 404, 40_402],
    ['/schemas/ids/99', 404, 40_403],
    ['/schemas/ids/01', 404, 40_403],
    ['/subjects/action.state-value/versions/0', 422, 42_202],
    ['/subjects/action.state-value/versions/first', 422, 42_202],
    ['/subjects/action.state-value/versions/2147483648', 422, 42_202],
  ] as const)('%s is %d, with the error code %s', async (url, status, code) => {
    const said = await world.ask({ url });
    expect([said.status, said.json['error_code']]).toEqual([status, code]);
    expect(said.headers['content-type']).toBe('application/vnd.schemaregistry.v1+json');
    if (code !== undefined)
      expect(said.json).toEqual({ error_code: code, message: expect.stringContaining('not') });
  });

  it('are for everybody with a role, who may show a key as the password of anyone', async () => {
    const status = async (as: string | null, authorization?: string, url = '/subjects') =>
      (await world.ask({ url, as, headers: authorization === undefined ? {} : { authorization } }))
        .status;
    expect(await status('acme:auditor')).toBe(200);
    expect(await status('acme:')).toBe(403);
    expect(await status(null)).toBe(401);
    expect(await status(null, basic('anyone', 'acme:proposer'))).toBe(200);
    expect(await status(null, basic('anyone', 'nobody'))).toBe(401);
    expect(await status('acme:auditor', basic('anyone', 'acme:proposer'))).toBe(401);
    expect(await status(null, basic('anyone', 'acme:auditor'), '/v1/actions')).toBe(401);
  });
});

it('is a registry to the client of the ledger, which writes and reads by its ids', async () => {
  const runtime = createSystemRuntime();
  await inWorld({ deps: { runtime } }, async ({ gateway }) => {
    const { host } = new URL((await gateway.start()).url);
    const registry = createSchemaRegistry({ url: `http://any:acme%3Aauditor@${host}`, runtime });
    const ids = await registry.ids();
    expect(ids).toEqual(ownSchemaIds);
    const event = { id: 'e', stream: 'action-a.0', revision: 0, position: 1, type: 'T' };
    const written = encodersAsAvro(ids).event({ ...event, data: '{}', metadata: '{"at":7}' });
    expect(await createDecodersBy(registry).event(written)).toMatchObject({
      eventId: 'e',
      occurredAt: 7,
    });
    expect(await registry.schemaOf(99)).toBeUndefined();
    const stranger = createSchemaRegistry({ url: `http://any:nobody@${host}`, runtime });
    await expect(stranger.ids()).rejects.toMatchObject({
      code: 'registry.refused',
      retry: 'never',
    });
    const elsewhere = createSchemaRegistry({
      url: `http://${host}`,
      runtime,
      headers: { 'x-api-key': 'acme:auditor' },
      prefix: 'staging.',
    });
    await expect(elsewhere.ids()).rejects.toMatchObject({ code: 'registry.refused' });
  });
});
