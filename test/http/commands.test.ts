// What people do about actions over HTTP: votes, cancels, settling, checks, repeats, edits, incidents and
// reports; each by who they are, and by the revision that they saw.
import { describe, expect, it } from '@jest/globals';
import { inWorld, payment, type Said, type World } from './world.ts';

const url = '/v1/actions';

async function proposed(world: World, tool = 'approved', invoice = '1'): Promise<Said> {
  const body = { ...payment(invoice), tool };
  return world.ask({ url, body, headers: { prefer: 'wait=1' } });
}

interface Command {
  readonly id: string;
  readonly what: string;
  readonly body: object;
  readonly as?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const command = (world: World, { id, what, ...request }: Command): Promise<Said> =>
  world.ask({ url: `${url}/${id}/${what}`, ...request });

const get = (world: World, id: string): Promise<Said> => world.ask({ url: `${url}/${id}` });

async function vote(world: World, id: string, voter: string, how = 'approve'): Promise<Said> {
  const { argumentsHash } = (await get(world, id)).json;
  const body = { vote: how, argumentsHash };
  return command(world, { id, what: 'votes', body, as: `acme:approver:${voter}` });
}

describe('votes', () => {
  it('are counted by name; the last one needed sends it', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const first = await vote(world, id, 'ann');
      expect([first.status, first.json['vote'], first.json.state]).toEqual([
        200,
        { counted: true },
        'awaiting_approval',
      ]);
      expect((await vote(world, id, 'ann')).json.state).toBe('awaiting_approval');
      await vote(world, id, 'ben');
      await world.time.settle();
      expect((await get(world, id)).json).toMatchObject({ state: 'succeeded' });
      expect(world.effects()).toBe(1);
    });
  });

  it('that come after the decision are 200, with who and when', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      await vote(world, id, 'ann', 'reject');
      const late = await vote(world, id, 'ben');
      expect(late.status).toBe(200);
      expect(late.json).toMatchObject({
        state: 'rejected',
        vote: { counted: false, decided: { as: 'rejected', by: 'ann', at: expect.any(Number) } },
      });
      expect(late.json.messageForModel).toContain('Refused');
    });
  });

  it('are refused for other arguments, the other way, and of the proposer', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const what = 'votes';
      const other = { vote: 'approve', argumentsHash: 'other' };
      const as = 'acme:approver:ann';
      expect((await command(world, { id, what, body: other, as })).json).toMatchObject({
        status: 409,
        code: 'action.approval-other-arguments',
        action: { state: 'awaiting_approval' },
      });
      await vote(world, id, 'ann');
      expect((await vote(world, id, 'ann', 'reject')).json).toMatchObject({
        status: 409,
        code: 'action.approval-voted',
      });
      const { by } = (await get(world, id)).json;
      const own = await vote(world, id, String(by));
      expect(own.json).toMatchObject({ status: 403, code: 'action.approval-own-vote' });
    });
  });

  it('that come too late append the expiry, and are 409', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const { argumentsHash } = (await get(world, id)).json;
      world.time.setWall(world.time.clock.wallMs() + 25 * 3_600_000);
      const body = { vote: 'approve', argumentsHash };
      const late = await command(world, { id, what: 'votes', body, as: 'acme:approver:ann' });
      expect(late.json).toMatchObject({ status: 409, action: { state: 'expired' } });
    });
  });
});

describe('commands name the revision that was seen', () => {
  const commands: readonly [what: string, body: object][] = [
    ['cancel', { reason: 'r' }],
    ['settle', { reason: 'r', verdict: 'found' }],
    ['check', {}],
    ['repeat', { reason: 'r' }],
    ['edit', { reason: 'r', arguments: { invoice: '1', cents: 1 } }],
    ['incidents/late-success-4/close', { reason: 'r' }],
  ];

  it.each(commands)('%s: none is 400, two are 400, a stale one is 412', async (what, body) => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const ask = (more: object, headers = {}): Promise<Said> =>
        command(world, { id, what, body: { ...body, ...more }, headers });
      expect((await ask({})).json).toMatchObject({ status: 400, code: 'request.revision-needed' });
      expect((await ask({}, { 'if-match': '*' })).json.code).toBe('request.revision-needed');
      expect((await ask({ revisionSeen: 1 }, { 'if-match': '"0"' })).json).toMatchObject({
        status: 400,
        code: 'request.revision-mismatch',
      });
      await vote(world, id, 'ann');
      const stale = await ask({ revisionSeen: 1 });
      expect(stale.json).toMatchObject({
        status: 412,
        action: { actionId: id },
        facts: { seen: 1, since: [{ revision: 2, type: 'ApprovalVoted', by: 'ann' }] },
      });
      expect(stale.headers['etag']).toBe('"2"');
    });
  });

  it('by If-Match with the ETag of the action as well', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const { headers } = await get(world, id);
      const said = await command(world, {
        id,
        what: 'cancel',
        body: { reason: 'ordered twice' },
        headers: { 'if-match': String(headers['etag']) },
      });
      expect([said.status, said.json.state]).toEqual([200, 'cancelled']);
      const events = await world.ask({ url: `${url}/${id}/events` });
      expect(events.text).toContain('"by":"acme-proposer+worker+approver+operator+auditor"');
    });
  });
});

describe('an unknown', () => {
  it('is listed page by page, nothing twice and nothing left out', async () => {
    await inWorld({}, async (world) => {
      const ids: unknown[] = [];
      for (const invoice of ['1', '2', '3']) {
        world.nextSends('doubt');
        ids.push((await proposed(world, 'pay', invoice)).json.actionId);
        await world.time.advance(1_000);
      }
      const found: unknown[] = [];
      let cursor = '';
      do {
        const { json } = await world.ask({ url: `/v1/unknowns?limit=1${cursor}` });
        found.push(...(json['unknowns'] as { action: string }[]).map(({ action }) => action));
        cursor = json.next === undefined ? '' : `&cursor=${json.next}`;
      } while (cursor !== '');
      expect(found).toEqual(ids);
      const bad = await world.ask({ url: '/v1/unknowns?cursor=AAAA' });
      expect(bad.json).toMatchObject({ status: 400, code: 'request.cursor' });
    });
  });

  it('is listed by age and owner, and settled, where nothing can be asked', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('doubt');
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      await world.time.advance(60_000);
      const { json } = await world.ask({ url: '/v1/unknowns?owner=operator' });
      expect(json).toMatchObject({
        unknowns: [{ action: id, owner: 'operator', ageMs: expect.any(Number) }],
      });
      const { revision } = (await get(world, id)).json;
      const checked = await command(world, { id, what: 'check', body: { revisionSeen: revision } });
      expect(checked.json).toMatchObject({ status: 409, code: 'action.nothing-to-ask' });
      const settled = await command(world, {
        id,
        what: 'settle',
        body: {
          verdict: 'found',
          reason: 'seen in the statement',
          externalId: 'tx-7',
          result: { paid: 'yes' },
          revisionSeen: revision,
        },
      });
      expect(settled.json).toMatchObject({
        state: 'succeeded',
        externalId: 'tx-7',
        result: { paid: 'yes' },
      });
      const again = await proposed(world, 'pay');
      expect(again.json).toMatchObject({ word: 'already-done', externalId: 'tx-7' });
      expect(world.effects()).toBe(0);
    });
  });

  it('cannot be settled as absent too early: 409', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('doubt');
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      const { revision } = (await get(world, id)).json;
      const body = { verdict: 'absent', reason: 'r', revisionSeen: revision };
      const said = await command(world, { id, what: 'settle', body });
      expect(said.json).toMatchObject({ status: 409, code: 'action.too-early' });
      expect(said.json['action']).toMatchObject({ state: 'unknown' });
    });
  });
});

describe('a repeat', () => {
  it('is 201, said again it is 200, with other arguments 422', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      const body = { reason: 'once more', revisionSeen: 3 };
      const first = await command(world, { id, what: 'repeat', body });
      const again = await command(world, { id, what: 'repeat', body });
      const other = await command(world, {
        id,
        what: 'repeat',
        body: { ...body, arguments: { invoice: '1', cents: 9 } },
      });
      expect([first.status, again.status, other.status]).toEqual([201, 200, 422]);
      expect(first.json).toMatchObject({ epoch: 1, previous: id });
      expect(world.effects()).toBe(2);
    });
  });

  it('of an action that is not settled is 409', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const body = { reason: 'once more', revisionSeen: 1 };
      const said = await command(world, { id, what: 'repeat', body });
      expect(said.json).toMatchObject({ status: 409, code: 'repeat.too-early' });
    });
  });
});

describe('an edit', () => {
  it('puts another action in the place of one that was not sent', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      const edit = (args: object, more = {}): Promise<Said> =>
        command(world, {
          id,
          what: 'edit',
          body: { reason: 'typo', revisionSeen: 1, arguments: args, ...more },
          as: 'acme:approver:ann',
        });
      expect((await edit({ invoice: '1', cents: 500 })).json.code).toBe('edit.unchanged');
      expect((await edit({ invoice: '1', cents: 1 }, { tool: 'pay' })).json.code).toBe(
        'edit.other-tool',
      );
      expect((await edit({ invoice: '1', cents: 'x' })).json.code).toBe('arguments.invalid');
      const said = await edit({ invoice: '1', cents: 400 });
      expect(said.json).toMatchObject({ editOf: id, state: 'awaiting_approval' });
      expect(said.status).toBe(202);
      expect((await get(world, id)).json).toMatchObject({
        state: 'cancelled',
        supersededBy: said.json.actionId,
      });
    });
  });
});

describe('a report', () => {
  const report = (world: World, body: object, as = 'acme:worker:hook'): Promise<Said> =>
    world.ask({ url: '/v1/evidence', body, as });

  it('by the id of the action is kept in its stream, with who says so', async () => {
    await inWorld({}, async (world) => {
      world.nextSends('doubt');
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      const said = await report(world, {
        action: id,
        claims: 'success',
        proven: true,
        externalId: 'tx-3',
        source: 'webhook',
      });
      expect([said.status, said.json['kept']]).toEqual([200, true]);
      expect(said.json['action']).toMatchObject({ state: 'succeeded', externalId: 'tx-3' });
      expect((await world.ask({ url: `${url}/${id}/events` })).text).toContain('hook: webhook');
    });
  });

  it('by an external id that is on record finds its action', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      const body = { tool: 'pay', externalId: 'tx-1', claims: 'note', data: { seen: true } };
      const said = await report(world, body);
      expect(said.json).toMatchObject({ kept: true, action: { actionId: id } });
      const other = await report(world, body, 'umbrella:worker');
      expect(other.status).toBe(202);
      expect(other.text).not.toContain(id);
    });
  });

  it('that names nothing is refused', async () => {
    await inWorld({}, async (world) => {
      const before = await world.store.head();
      for (const by of [{}, { externalId: 'x' }, { tool: 'pay' }])
        expect((await report(world, { ...by, claims: 'note' })).json.code).toBe('request.invalid');
      expect(await world.store.head()).toBe(before);
    });
  });

  it('with the downstream key of another action is 409', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world, 'pay')).json.actionId ?? '';
      const body = { action: id, downstreamKey: 'another', claims: 'note' };
      expect((await report(world, body)).json).toMatchObject({
        status: 409,
        code: 'evidence.other-action',
      });
    });
  });
});

describe('an incident', () => {
  it('is opened by a late success, and closed by a person', async () => {
    await inWorld({}, async (world) => {
      const id = (await proposed(world)).json.actionId ?? '';
      await vote(world, id, 'ann', 'reject');
      const body = { action: id, claims: 'success', proven: true, externalId: 'tx-9' };
      const late = await world.ask({ url: '/v1/evidence', body });
      const view = late.json['action'] as { revision: number; incidents: { incident: string }[] };
      const [incident] = view.incidents;
      const closed = await command(world, {
        id,
        what: `incidents/${incident?.incident ?? ''}/close`,
        body: { reason: 'refunded', revisionSeen: view.revision },
      });
      expect([closed.status, closed.json['incidents']]).toEqual([200, []]);
      const again = await command(world, {
        id,
        what: 'incidents/none/close',
        body: { reason: 'r', revisionSeen: view.revision + 1 },
      });
      expect(again.json).toMatchObject({ status: 404, code: 'action.incident-unknown' });
    });
  });
});
