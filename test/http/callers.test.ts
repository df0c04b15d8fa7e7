// Over HTTP: a program that carries its tools out itself, dies at times, and is not the only one.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { callerDeclaration, defineTool } from '@action-ledger/tools';
import { inWorld, type Json, type Said, type World } from './world.ts';

const agent = 'acme:proposer+worker:agent';
const other = 'acme:proposer+worker:other';
const theirs = 'umbrella:proposer+worker:agent';

const refund = callerDeclaration(
  defineTool({
    name: 'refund',
    input: z.object({ order: z.string() }),
    guarantee: 'lookup',
    execute: () => null,
    lookup: () => ({ verdict: 'absent' }),
  }),
);

const declare = ({ ask }: World, as = agent, tool: object = refund): Promise<Said> =>
  ask({ url: '/v1/tools', as, body: { tools: [tool] } });

const proposal = { tool: 'refund', arguments: { order: 'A-1' }, run: 'r-1', call: 'c-1' } as const;

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const propose = ({ ask }: World, worker: string, as = agent): Promise<Said> => {
  const body = { ...proposal, execute: 'caller', worker };
  return ask({ url: '/v1/actions', as, body, headers: { traceparent } });
};

interface Dispatch {
  readonly attempt: number;
  readonly claim: number;
  readonly downstreamKey: string;
}

const dispatchOf = ({ json }: Said): Dispatch | undefined =>
  (json as { readonly dispatch?: Dispatch }).dispatch;

async function handed(
  world: World,
): Promise<{ readonly url: string; readonly dispatch: Dispatch }> {
  await declare(world);
  const said = await propose(world, 'w-1');
  const dispatch = dispatchOf(said);
  if (dispatch === undefined) throw new Error(said.text);
  return { url: `/v1/actions/${said.json.actionId ?? ''}`, dispatch };
}

const done = { kind: 'succeeded', result: { refund: 're_1' }, externalId: 're_1' } as const;

const outcomeOf = ({ attempt, claim }: Dispatch, worker = 'w-1'): object => ({
  worker,
  claim,
  attempt,
  outcome: done,
});

async function workOf({ ask }: World, as = agent): Promise<readonly Json[]> {
  const headers = { prefer: 'wait=0' };
  const said = await ask({ url: '/v1/work', as, body: { tools: ['refund'] }, headers });
  return (said.json as { readonly work: readonly Json[] }).work;
}

describe('a program that carries its tool out', () => {
  it('declares it, is handed the dispatch with the answer, and reports the outcome', async () => {
    await inWorld({}, async (world) => {
      expect((await declare(world)).json).toMatchObject({
        tenant: 'acme',
        tools: [{ name: 'refund', byCaller: true, guarantee: 'lookup' }],
      });
      const { text } = await world.ask({ url: '/v1/tools', as: agent });
      expect(text).toContain('"refund"');
      const said = await propose(world, 'w-1');
      expect([said.status, said.json.word, said.json.state]).toEqual([
        202,
        'in-progress',
        'dispatched',
      ]);
      const dispatch = dispatchOf(said);
      expect(dispatch).toMatchObject({ attempt: 1, arguments: { order: 'A-1' }, traceparent });
      expect((await propose(world, 'w-1')).json).toEqual(said.json);
      expect(dispatchOf(await propose(world, 'w-2'))).toBeUndefined();
      const url = `/v1/actions/${said.json.actionId ?? ''}/outcome`;
      const body = outcomeOf(dispatch as Dispatch);
      const told = await world.ask({ url, as: agent, body });
      expect(told.json).toMatchObject({ kind: 'outcome', answer: { word: 'done' } });
      expect((await world.ask({ url, as: agent, body })).json).toEqual(told.json);
      const again = await propose(world, 'w-3', other);
      expect(again.json).toMatchObject({ word: 'already-done', result: { refund: 're_1' } });
      expect(dispatchOf(again)).toBeUndefined();
    });
  });

  it('has the role worker; a name of its own goes with what it asks', async () => {
    await inWorld({}, async (world) => {
      await declare(world);
      const none = await propose(world, 'w-1', 'acme:proposer:agent');
      expect(none.json).toMatchObject({ status: 403, code: 'access.forbidden' });
      const body = { ...proposal, execute: 'caller' };
      expect((await world.ask({ url: '/v1/actions', as: agent, body })).status).toBe(400);
    });
  });

  it('keeps its claim by extending it; nobody else does, nor reports in its place', async () => {
    await inWorld({}, async (world) => {
      const { url, dispatch } = await handed(world);
      const { claim } = dispatch;
      await world.time.advance(20_000);
      const extend = { url: `${url}/claim/extend`, body: { worker: 'w-1', claim } };
      expect((await world.ask({ ...extend, as: agent })).json).toEqual({
        leaseUntil: world.time.clock.wallMs() + 40_000,
        leaseLeftMs: 40_000,
      });
      expect((await world.ask({ ...extend, as: other })).json).toMatchObject({
        status: 409,
        code: 'action.claim-lost',
      });
      const body = outcomeOf(dispatch);
      const forged = await world.ask({ url: `${url}/outcome`, as: other, body });
      expect(forged.json).toMatchObject({ kind: 'evidence', answer: { state: 'dispatched' } });
      const told = await world.ask({ url: `${url}/outcome`, as: agent, body });
      expect(told.json).toMatchObject({ kind: 'outcome', answer: { state: 'succeeded' } });
      // Who holds a claim is nobody's to read.
      const history = await world.ask({ url: `${url}/events?state=true`, as: other });
      expect(history.text).toContain('ActionClaimed');
      expect(history.text).not.toMatch(/w-1|"worker"/);
    });
  });

  it('dies: any process that has the tool is asked to look, and answers', async () => {
    await inWorld({}, async (world) => {
      const { url, dispatch } = await handed(world);
      await world.time.advance(60_000);
      const [lookup] = await workOf(world, other);
      expect(lookup).toMatchObject({
        kind: 'lookup',
        downstreamKey: dispatch.downstreamKey,
        arguments: { order: 'A-1' },
        traceparent,
      });
      expect(await workOf(world)).toEqual([]);
      const found = { verdict: 'found', result: { refund: 're_1' }, externalId: 're_1' };
      const stale = await world.ask({
        url: `${url}/verdict`,
        as: other,
        body: { revision: 1, outcome: found },
      });
      expect(stale.json).toMatchObject({ status: 412, code: 'action.stale-revision' });
      const body = { revision: lookup?.revision, lookup: lookup?.['lookup'], outcome: found };
      const told = await world.ask({ url: `${url}/verdict`, as: other, body });
      expect(told.json).toMatchObject({ answer: { state: 'succeeded', externalId: 're_1' } });
    });
  });

  it('takes on what was left to whoever has the tool', async () => {
    await inWorld({}, async (world) => {
      await declare(world);
      const headers = { prefer: 'wait=0' };
      const left = await world.ask({ url: '/v1/actions', body: proposal, headers });
      expect([left.status, left.json.state]).toEqual([202, 'ready']);
      await world.time.advance(0);
      expect(await workOf(world)).toMatchObject([{ kind: 'send', actionId: left.json.actionId }]);
      const url = `/v1/actions/${left.json.actionId ?? ''}/claim`;
      const taken = await world.ask({ url, as: agent, body: { worker: 'w-1' } });
      expect(dispatchOf(taken)).toMatchObject({ attempt: 1 });
      const late = await world.ask({ url, as: other, body: { worker: 'w-1' } });
      expect(late.json).toEqual({});
    });
  });
});

describe('what a tenant declares', () => {
  it('is no tool and no work of another tenant, and its actions are unknown there', async () => {
    await inWorld({}, async (world) => {
      const { url, dispatch } = await handed(world);
      expect((await propose(world, 'w-1', theirs)).json).toMatchObject({ code: 'tool.unknown' });
      const listed = await world.ask({ url: '/v1/tools', as: theirs });
      expect(listed.text).not.toContain('refund');
      await world.time.advance(60_000);
      expect(await workOf(world, theirs)).toEqual([]);
      const body = outcomeOf(dispatch);
      const told = await world.ask({ url: `${url}/outcome`, as: theirs, body });
      expect(told.json).toMatchObject({ status: 404, code: 'action.unknown' });
    });
  });

  it.each([
    ['malformed', { ...refund, guarantee: 'perhaps' }, 400, 'tool.declaration'],
    ['served by the ledger', { ...refund, name: 'pay' }, 409, 'tool.served-here'],
    ['another identity', { ...refund, scope: 'tenant' }, 409, 'tool.identity-changed'],
    ['weaker waits', { ...refund, settleMs: 0 }, 403, 'tool.rules-loosened'],
  ] as const)('is refused: %s', async (_what, tool, status, code) => {
    await inWorld({}, async (world) => {
      await declare(world);
      expect((await declare(world, agent, tool)).json).toMatchObject({ status, code });
    });
  });
});

describe('programs that wait for work', () => {
  const poll = ({ ask }: World, as: string): Promise<Said> =>
    ask({ url: '/v1/work', as, body: { tools: ['refund'] }, headers: { prefer: 'wait=30' } });

  it('take no room of requests, and beyond their own are answered at once', async () => {
    const limits = { tenantUnderWayMax: 2, keyPollsMax: 1 };
    await inWorld({ limits }, async (world) => {
      await declare(world);
      const waiting = [poll(world, agent), poll(world, other)];
      const { headers } = await poll(world, agent);
      expect(headers['preference-applied']).toBeUndefined();
      expect((await propose(world, 'w-1')).status).toBe(202);
      for (const said of await Promise.all(waiting))
        expect([said.json['work'], said.headers['preference-applied']]).toEqual([[], 'wait=30']);
    });
  });
});
