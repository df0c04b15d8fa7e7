// Every route, asked with each role, in one's own tenant and in another's: the table of permissions is
// what is answered, and of another tenant's action nothing can be told, not even that it exists.
import { describe, expect, it } from '@jest/globals';
import { roles } from '@action-ledger/access';
import { permissions, routes } from '@action-ledger/gateway';
import { type Ask, inWorld, type Said, type World } from './world.ts';

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
};

function requestFor(route: Route, id: string, as: string | null): Ask {
  const url = route.path.replace('{id}', id).replace('{incident}', 'late-success-4');
  const body =
    route.name === 'report' ? { action: id, claims: 'note' } : (bodies[route.name] ?? {});
  return route.method === 'GET'
    ? { method: 'GET', url, as }
    : { method: 'POST', url, as, body, headers: { prefer: 'wait=0' } };
}

async function waiting(world: World, tenant: string): Promise<string> {
  const { json } = await world.ask({
    url: '/v1/actions',
    as: `${tenant}:proposer`,
    body: { tool: 'approved', arguments: { invoice: 'of all', cents: 500 }, run: 'r' },
  });
  return json.actionId ?? '';
}

const isAllowed = (route: Route, role: string): boolean => {
  const allowed: 'open' | readonly string[] = permissions[route.name];
  return allowed === 'open' || allowed.includes(role);
};

const isAboutAction = ({ path, name }: Route): boolean =>
  path.includes('{id}') || name === 'report';
/** A stream does not end, and is asked over a socket in its own test. */
const walked = routes.filter(({ name }) => name !== 'followEvents');

describe('every route, with every role', () => {
  it.each(walked.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '%s',
    async (_name, route) => {
      await inWorld({}, async (world) => {
        const own = await waiting(world, 'acme');
        const others = await waiting(world, 'umbrella');
        const never = `${'N'.repeat(43)}.0`;
        const isOpen = (permissions[route.name] as unknown) === 'open';
        expect((await world.ask(requestFor(route, own, null))).status === 401).toBe(!isOpen);
        for (const role of roles) {
          const as = `acme:${role}`;
          const said = await world.ask(requestFor(route, own, as));
          const refused = said.json.code === 'access.forbidden';
          expect([role, refused]).toEqual([role, !isAllowed(route, role)]);
          if (!isAboutAction(route)) continue;
          const other = await world.ask(requestFor(route, others, as));
          const missing = await world.ask(requestFor(route, never, as));
          if (refused) expect(other.status).toBe(403);
          else expect(other.json).toMatchObject({ status: 404, code: 'action.unknown' });
          expect(seen(other)).toEqual(seen(missing));
        }
        expect(await untouched(world, others)).toBe(true);
      });
    },
  );
});

/** All that a caller gets but the time of it. */
function seen({ status, text, headers }: Said): object {
  const { date: _date, ...rest } = headers;
  return { status, text, headers: rest };
}

async function untouched({ store }: World, actionId: string): Promise<boolean> {
  const events = await store.readStream(`action-${actionId}`);
  return events.map(({ type }) => type).join() === 'ActionPlanned,ApprovalRequested';
}

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

  it('can be told by a bearer token, and is asked for in the answer', async () => {
    await inWorld({}, async ({ ask }) => {
      const none = await ask({ url: '/v1/actions', as: null });
      expect(none.json).toMatchObject({ status: 401, code: 'access.unauthenticated' });
      expect(none.headers['www-authenticate']).toBe('Bearer realm="action-ledger"');
      const bearer = { authorization: 'Bearer acme:auditor' };
      expect((await ask({ url: '/v1/actions', as: null, headers: bearer })).status).toBe(200);
    });
  });
});
