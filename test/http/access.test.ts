// Every route, asked with each role, in one's own tenant and in another's: the table of permissions is
// what is answered, and of another tenant's action nothing can be told, not even that it exists.
import { describe, expect, it } from '@jest/globals';
import { createOpenAccess, roles } from '@action-ledger/access';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { type Allowed, permissions, routes } from '@action-ledger/gateway';
import { type Ask, everyRole, inWorld, type Said, type World } from './world.ts';

type Route = (typeof routes)[number];

const bodies: Readonly<Record<string, object>> = {
  propose: { tool: 'pay', arguments: { invoice: 'x', cents: 1 }, run: 'r' },
  explain: { tool: 'pay', arguments: { invoice: 'x', cents: 1 }, run: 'r' },
  vote: { vote: 'approve', argumentsHash: 'none' },
  cancel: { reason: 'r', revisionSeen: 0 },
  settle: { reason: 'r', revisionSeen: 0, verdict: 'found' },
  check: { revisionSeen: 0 },
  repeat: { reason: 'r', revisionSeen: 0 },
  edit: { reason: 'r', revisionSeen: 0, arguments: { invoice: 'y', cents: 1 } },
  closeIncident: { reason: 'r', revisionSeen: 0 },
  declareTools: {
    tools: [
      {
        name: 'fax',
        input: { type: 'object', properties: {} },
        guarantee: 'manual',
        scope: 'call',
      },
    ],
  },
  findWork: { tools: ['fax'] },
  takeAction: { worker: 'w-1' },
  extendClaim: { worker: 'w-1', claim: 1 },
  recordOutcome: {
    worker: 'w-1',
    claim: 1,
    attempt: 1,
    outcome: { kind: 'not sent', reason: 'r' },
  },
  recordVerdict: { revision: 1, outcome: { verdict: 'absent' } },
  pause: { reason: 'r', tool: 'balance' },
  resume: { reason: 'r', tool: 'balance', revisionSeen: 0 },
  createKey: { name: 'agent', roles: ['proposer'] },
  revokeKey: { reason: 'r' },
  startWorkflow: { id: 'another' },
  takeStep: {
    step: 's',
    tool: 'pay',
    arguments: { invoice: 'x', cents: 1 },
    compensate: 'impossible',
  },
  completeWorkflow: {},
  failWorkflow: { reason: 'r' },
  compensateWorkflow: { reason: 'r', revisionSeen: 0 },
};

/** One of each that a route can be about. */
interface Things {
  readonly action: string;
  readonly workflow: string;
  readonly key: string;
}

function requestFor(route: Route, things: Things, as: string | null): Ask {
  const url = route.path
    .replace('{id}', isAboutWorkflow(route) ? things.workflow : things.action)
    .replace('{key}', things.key)
    .replace('{incident}', 'late-success-4');
  const body =
    route.name === 'report'
      ? { action: things.action, claims: 'note' }
      : (bodies[route.name] ?? {});
  return route.method === 'GET'
    ? { method: 'GET', url, as }
    : { method: 'POST', url, as, body, headers: { prefer: 'wait=0' } };
}

/** The same names and keys in every tenant, so that only the tenant tells them apart. */
async function thingsOf(world: World, tenant: string): Promise<Things> {
  const started = await world.ask({
    url: '/v1/workflows',
    as: `${tenant}:proposer`,
    body: { id: 'trip', input: 1 },
  });
  const made = await world.ask({
    url: '/v1/keys',
    as: `${tenant}:owner`,
    body: { name: 'agent', roles: ['proposer'] },
  });
  const { workflow } = started.json as { readonly workflow?: string };
  const { key } = made.json as { readonly key?: { readonly id: string } };
  return {
    action: await waiting(world, tenant),
    workflow: workflow ?? '',
    key: key?.id ?? '',
  };
}

async function waiting(world: World, tenant: string): Promise<string> {
  const { json } = await world.ask({
    url: '/v1/actions',
    as: `${tenant}:proposer`,
    body: { tool: 'approved', arguments: { invoice: 'of all', cents: 500 }, run: 'r' },
  });
  return json.actionId ?? '';
}

const never: Things = {
  action: `${'N'.repeat(43)}.0`,
  workflow: 'N'.repeat(43),
  key: 'N'.repeat(22),
};

const isAllowed = (route: Route, role: string): boolean => {
  const allowed: Allowed = permissions[route.name];
  if (typeof allowed !== 'string') return allowed.some((each) => each === role);
  return allowed === 'open' || role === 'owner';
};

const isAboutWorkflow = ({ path }: Route): boolean => path.startsWith('/v1/workflows/');
/** What the answer is where there is no such thing. */
const unknownCode = (route: Route): string | undefined => {
  if (route.path.includes('{key}')) return 'access.key-unknown';
  if (isAboutWorkflow(route)) return 'workflow.unknown';
  return route.path.includes('{id}') || route.name === 'report' ? 'action.unknown' : undefined;
};
/** A stream does not end, and is asked over a socket in its own test. */
const walked = routes.filter(({ name }) => name !== 'followEvents');

describe('every route, with every role', () => {
  it.each(walked.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_name, route) => {
      await inWorld({}, async (world) => {
        const own = await thingsOf(world, 'acme');
        const others = await thingsOf(world, 'umbrella');
        const before = await historyOf(world, others);
        const isOpen = (permissions[route.name] as unknown) === 'open';
        expect((await world.ask(requestFor(route, own, null))).status === 401).toBe(!isOpen);
        for (const role of [...roles, 'owner']) {
          const as = role === 'owner' ? 'acme:owner' : `acme:${role}`;
          const said = await world.ask(requestFor(route, own, as));
          const refused = said.json.code === 'access.forbidden';
          expect([role, refused]).toEqual([role, !isAllowed(route, role)]);
          expect(said.text).not.toContain('umbrella');
          const code = unknownCode(route);
          if (code === undefined) continue;
          const other = await world.ask(requestFor(route, others, as));
          const missing = await world.ask(requestFor(route, never, as));
          if (refused) expect(other.status).toBe(403);
          else expect(other.json).toMatchObject({ status: 404, code });
          expect(seen(other, others)).toEqual(seen(missing, never));
        }
        expect(await historyOf(world, others)).toEqual(before);
      });
    },
  );
});

/** All that a caller gets but the time of it, and but the ids that they have named themselves. */
function seen({ status, text, headers }: Said, named: Things): object {
  const { date: _date, 'content-length': _length, ...rest } = headers;
  let said = text;
  for (const id of [named.action, named.workflow, named.key]) said = said.replaceAll(id, 'it');
  return { status, text: said, headers: rest };
}

async function historyOf({ store, keys }: World, of: Things): Promise<object> {
  const [action, workflow] = await Promise.all(
    [`action-${of.action}`, `workflow-${of.workflow}`].map((stream) => store.readStream(stream)),
  );
  const types = (events: typeof action = []): string => events.map(({ type }) => type).join();
  const key = (await keys.list()).find(({ id }) => id === of.key);
  return { action: types(action), workflow: types(workflow), key };
}

/** How often the store was read while something was asked: what a clock would tell, without one. */
async function readsOf(world: CountedWorld, request: Ask): Promise<number> {
  const before = world.reads();
  await world.ask(request);
  return world.reads() - before;
}

interface CountedWorld extends World {
  readonly reads: () => number;
}

async function inCountedWorld(test: (world: CountedWorld) => Promise<void>): Promise<void> {
  const store = createMemoryEventStore();
  let reads = 0;
  const counted: typeof store = {
    ...store,
    readStream: (...named) => {
      reads += 1;
      return store.readStream(...named);
    },
    readAll: (...named) => {
      reads += 1;
      return store.readAll(...named);
    },
  };
  await inWorld({ store: counted }, (world) => test({ ...world, reads: () => reads }));
}

describe("another tenant's", () => {
  it.each(
    walked
      .filter((route) => unknownCode(route) !== undefined)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s reads the store as often as what does not exist', async (_name, route) => {
    await inCountedWorld(async (world) => {
      const others = await thingsOf(world, 'umbrella');
      const as = route.name === 'createKey' ? 'acme:owner' : everyRole;
      // What is known by heart is read again by whoever names it.
      const first = await readsOf(world, requestFor(route, others, as));
      const missing = await readsOf(world, requestFor(route, never, as));
      expect([route.name, first]).toEqual([route.name, missing]);
    });
  });

  it('key and arguments are another action, and cost what new ones cost', async () => {
    await inCountedWorld(async (world) => {
      const body = { ...bodies['propose'], key: 'shared', call: 'c-1' };
      const fresh = { ...bodies['propose'], key: 'of nobody', call: 'c-1' };
      const ask = (of: object, tenant: string): Ask => ({
        url: '/v1/actions',
        as: `${tenant}:proposer`,
        body: of,
      });
      const theirs = await world.ask(ask(body, 'umbrella'));
      const asNew = await readsOf(world, ask(fresh, 'acme'));
      expect(await readsOf(world, ask(body, 'acme'))).toBe(asNew);
      const own = await world.ask(ask(body, 'acme'));
      expect([theirs.status, own.status]).toEqual([201, 200]);
      expect(own.json.actionId).not.toBe(theirs.json.actionId);
      expect(world.effects()).toBe(3);
      const explained = await world.ask({
        url: '/v1/explain',
        as: 'acme:auditor',
        body: { ...bodies['propose'], key: 'only theirs' },
      });
      await world.ask(ask({ ...bodies['propose'], key: 'only theirs' }, 'umbrella'));
      const again = await world.ask({
        url: '/v1/explain',
        as: 'acme:auditor',
        body: { ...bodies['propose'], key: 'only theirs' },
      });
      expect(again.text).toBe(explained.text);
    });
  });
});

describe('a report by the key that a provider was sent', () => {
  it("of another tenant's action is as one of no action, and reads the store as often", async () => {
    await inCountedWorld(async (world) => {
      const { json } = await world.ask({
        url: '/v1/actions',
        as: 'umbrella:proposer',
        body: bodies['propose'] ?? {},
      });
      const { downstreamKey, externalId } = (
        await world.ask({ url: `/v1/actions/${json.actionId ?? ''}`, as: 'umbrella:auditor' })
      ).json as { downstreamKey: string; externalId: string };
      const ask = (named: object): Ask => ({
        url: '/v1/evidence',
        as: 'acme:worker',
        body: { claims: 'success', proven: true, ...named },
      });
      const pairs = [
        [{ downstreamKey }, { downstreamKey: 'K'.repeat(43) }],
        [{ reference: downstreamKey }, { reference: 'R'.repeat(43) }],
        [
          { tool: 'pay', externalId },
          { tool: 'pay', externalId: 'none' },
        ],
      ] as const;
      // The first that a tenant keeps is told apart from the next.
      await world.ask(ask({ downstreamKey: 'first' }));
      for (const [theirs, none] of pairs) {
        const before = world.reads();
        const other = await world.ask(ask(theirs));
        const between = world.reads();
        const missing = await world.ask(ask(none));
        expect(other.status).toBe(202);
        expect(seen(other, never)).toEqual(seen(missing, never));
        expect(between - before).toBe(world.reads() - between);
      }
      const theirs = await world.ask({ url: '/v1/evidence', as: 'umbrella:worker' });
      expect(theirs.json).toEqual({ reports: [] });
      // The key as a reference is the same report.
      const own = await world.ask({ url: '/v1/evidence', as: 'acme:auditor' });
      expect((own.json as { reports: object[] }).reports).toHaveLength(6);
    });
  });
});

describe('what belongs to a whole tenant', () => {
  const pauseAs = (world: World, as: string, body: object): Promise<Said> =>
    world.ask({ url: '/v1/pauses', as, body: { reason: 'r', ...body } });

  it('is paused by its operator, and no other tenant is', async () => {
    await inWorld({}, async (world) => {
      for (const body of [{ everyTenant: true }, { tenant: 'umbrella' }, { tenant: 'no such' }])
        expect((await pauseAs(world, 'acme:operator', body)).json).toMatchObject({
          code: 'access.forbidden',
        });
      const paused = await pauseAs(world, 'acme:operator', {});
      expect(paused.json).toMatchObject({ pause: { tenant: 'acme', by: 'acme-operator' } });
      const asked = { url: '/v1/actions', body: bodies['propose'] ?? {} };
      const theirs = { ...asked, as: 'umbrella:proposer' };
      expect((await world.ask({ ...asked, as: 'acme:proposer' })).status).toBe(429);
      expect((await world.ask(theirs)).status).toBe(201);
      const listed = await world.ask({ url: '/v1/pauses', as: 'umbrella:operator' });
      expect(listed.json).toEqual({ pauses: [] });
      const end = { url: '/v1/pauses/resume', body: { reason: 'r', revisionSeen: 0 } };
      expect((await world.ask({ ...end, as: 'umbrella:operator' })).json.code).toBe('pause.none');
      expect((await world.ask({ ...end, as: 'acme:operator' })).status).toBe(200);
      expect((await world.ask({ ...asked, as: 'acme:proposer' })).status).toBe(201);
    });
  });

  it('is paused with every tenant by the owner of the machine, and each is told', async () => {
    await inWorld({}, async (world) => {
      expect((await pauseAs(world, 'acme:operator+owner', { everyTenant: true })).status).toBe(200);
      const theirs = await world.ask({ url: '/v1/pauses', as: 'umbrella:auditor' });
      expect(theirs.json).toMatchObject({ pauses: [{ reason: 'r' }] });
      const end = { url: '/v1/pauses/resume', body: { reason: 'r', revisionSeen: 0 } };
      const ended = await world.ask({ ...end, as: 'umbrella:operator' });
      expect(ended.json).toMatchObject({ status: 403, code: 'access.forbidden' });
    });
  });

  it('a pause that was begun again since is not ended from a stale page', async () => {
    await inWorld({}, async (world) => {
      const end = { url: '/v1/pauses/resume', as: 'acme:operator' };
      await pauseAs(world, 'acme:operator', { reason: 'the bank is down' });
      await world.ask({ ...end, body: { reason: 'r', revisionSeen: 0 } });
      await pauseAs(world, 'acme:operator:bob', { reason: 'a theft' });
      const stale = await world.ask({ ...end, body: { reason: 'r', revisionSeen: 0 } });
      expect(stale.json).toMatchObject({
        status: 412,
        code: 'pause.stale',
        facts: { by: 'bob', reason: 'a theft', revision: 2 },
      });
    });
  });

  it('are its keys: made by the owner of the machine alone, never shown, ended by its operator', async () => {
    await inWorld({}, async (world) => {
      const own = await thingsOf(world, 'acme');
      await thingsOf(world, 'umbrella');
      const listed = await world.ask({ url: '/v1/keys', as: 'acme:auditor' });
      expect(listed.json).toMatchObject({ keys: [{ id: own.key, tenant: 'acme' }] });
      expect(listed.text).not.toMatch(/alk\.|hash|umbrella/);
      const every = '/v1/keys?everyTenant=true';
      expect((await world.ask({ url: every, as: 'acme:operator' })).status).toBe(403);
      const revoke = { url: `/v1/keys/${own.key}/revoke`, body: { reason: 'leaked' } };
      const revoked = await world.ask({ ...revoke, as: 'acme:operator' });
      expect(revoked.json).toMatchObject({ key: { revoked: { by: 'acme-operator' } } });
    });
  });
});

describe('lists', () => {
  it('show the tenant of who asks, and nothing else', async () => {
    await inWorld({}, async (world) => {
      const own = await waiting(world, 'acme');
      const others = await waiting(world, 'umbrella');
      expect(own).not.toBe(others);
      await waiting(world, 'acme');
      await world.ask({
        url: '/v1/actions',
        as: 'umbrella:proposer',
        body: { tool: 'approved', arguments: { invoice: 'of all', cents: 7 }, run: 'r' },
      });
      for (const url of ['/v1/actions', '/v1/approvals', '/v1/side-entries', '/v1/unknowns']) {
        const said = await world.ask({ url });
        expect(said.status).toBe(200);
        expect(said.text).not.toContain(others);
        expect(said.text).not.toContain('umbrella');
      }
      const { text } = await world.ask({ url: '/v1/side-entries', as: 'umbrella:auditor' });
      expect(text).toContain('"conflict"');
      expect(text).not.toContain(own);
    });
  });

  it('keep the keys of tenants apart: the same key is another action', async () => {
    await inWorld({}, async ({ ask }) => {
      const keyed = { tool: 'pay', arguments: { invoice: '1', cents: 5 }, key: 'shared' };
      const first = await ask({ url: '/v1/actions', body: keyed });
      const second = await ask({
        url: '/v1/actions',
        as: 'umbrella:proposer',
        body: { ...keyed, arguments: { invoice: '2', cents: 6 } },
      });
      expect([first.status, second.status]).toEqual([201, 201]);
    });
  });
});

describe('who is asking', () => {
  it('stands in the record; names in the body are refused', async () => {
    await inWorld({}, async (world) => {
      const id = await waiting(world, 'acme');
      const { json } = await world.ask({ url: `/v1/actions/${id}`, as: 'acme:auditor' });
      expect(json).toMatchObject({ by: 'acme-proposer', tenant: 'acme' });
      for (const name of ['by', 'tenant', 'voter', 'operator']) {
        const body = { ...bodies['propose'], [name]: 'somebody' };
        const said = await world.ask({ url: '/v1/actions', body });
        expect(said.json).toMatchObject({ status: 400, code: 'request.invalid' });
        expect(said.text).toContain(`/${name}`);
      }
    });
  });

  it('cannot be checked: 503, and nothing is recorded', async () => {
    const authenticate = (): Promise<never> => Promise.reject(new Error('the keys are away'));
    await inWorld({ access: { authenticate } }, async ({ ask, store, log }) => {
      const before = await store.head();
      const said = await ask({ url: '/v1/actions', body: bodies['propose'] ?? {} });
      expect(said.json).toMatchObject({ status: 503, code: 'access.unavailable' });
      expect(said.headers['retry-after']).toBe('5');
      expect(await store.head()).toBe(before);
      expect(log.map(([level]) => level)).toEqual(['error']);
    });
  });

  it('where nobody proves anything is this machine, and no page of the web that leads here', async () => {
    await inWorld({ access: createOpenAccess({ tenant: 'acme' }) }, async ({ ask }) => {
      for (const host of ['localhost:7373', '127.0.0.1', '[::1]:80'])
        expect((await ask({ url: '/v1/tools', headers: { host } })).status).toBe(200);
      for (const host of ['evil.example', 'evil.example:7373', '127.0.0.1.evil.example']) {
        const said = await ask({ url: '/v1/tools', headers: { host } });
        expect(said.json).toMatchObject({ status: 403, code: 'access.forbidden' });
      }
      const key = { url: '/v1/keys', body: { name: 'a', roles: ['proposer'] } };
      expect((await ask(key)).status).toBe(403);
    });
  });

  it('can be told by a bearer token, and is asked for in the answer', async () => {
    await inWorld({}, async ({ ask }) => {
      const none = await ask({ url: '/v1/actions', as: null });
      expect(none.json).toMatchObject({ status: 401, code: 'access.unauthenticated' });
      expect(none.headers['www-authenticate']).toBe('Bearer realm="action-ledger"');
      const bearer = { authorization: 'Bearer acme:auditor' };
      expect((await ask({ url: '/v1/actions', as: null, headers: bearer })).status).toBe(200);
      for (const [as, status] of [
        ['acme:auditor', 200],
        ['umbrella:auditor', 401],
      ] as const)
        expect((await ask({ url: '/v1/actions', as, headers: bearer })).status).toBe(status);
    });
  });
});
