// A person decides, once, about what they saw; whoever comes later learns who and when.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  effects,
  eventTypes,
  hour,
  inCase,
  minute,
  overStores,
  patience,
  type Process,
  second,
  type World,
  type WorldOptions,
  writeTool,
} from './case.ts';

type Port = Parameters<WorldOptions['tools']>[0];

const input = z.object({ path: z.string() });
type Args = z.output<typeof input>;
const gated =
  (more: Partial<ToolDefinition<Args>> = { approval: true }) =>
  (port: Port) => [writeTool(port, { name: 'edit', input, ...more })];

const args = { path: 'a.txt' };

interface Ballot {
  readonly voter: string;
  readonly vote: 'approve' | 'reject';
}
const alice: Ballot = { voter: 'alice', vote: 'approve' };
const bob: Ballot = { voter: 'bob', vote: 'approve' };

async function vote(world: World, { ledger }: Process, actionId: string | undefined, by: Ballot) {
  const { argumentsHash } = await world.action(actionId);
  return ledger.vote({ actionId: actionId ?? '', argumentsHash, ...by });
}

const decisions = ['ActionApproved', 'ActionRejected', 'ActionExpired'];
async function decisionsOf(world: World, actionId: string | undefined): Promise<readonly string[]> {
  return (await eventTypes(world, actionId)).filter((type) => decisions.includes(type));
}

overStores((store) => {
  it('F045 resume of a finished run: an approval after the rejection → told who rejected and when', () =>
    inCase(
      gated(),
      async (world) => {
        const { actionId } = await (await world.start()).call(args, call());
        const next = await world.restart();
        await vote(world, next, actionId, { voter: 'alice', vote: 'reject' });
        const last = await world.restart();
        const late = await vote(world, last, actionId, bob);
        const { approval } = await world.action(actionId);
        expect(late).toMatchObject({
          kind: 'refusal',
          code: 'action.approval-decided',
          detail: { as: 'rejected', by: 'alice', at: approval?.decided?.at },
        });
        expect(last.ledger.sideEntries(1)).toMatchObject([
          {
            kind: 'refused',
            action: actionId,
            reason: expect.stringContaining('bob voted to approve'),
          },
        ]);
        await world.advance(minute);
        expect(await last.call(args, call())).toMatchObject({ state: 'rejected', word: 'refused' });
        expect(effects(world)).toBe(0);
      },
      { store },
    ));

  it('F047 decline executes: the need for approval is in the stream, whatever the tool says after a restart', () =>
    inCase(
      gated({ approval: { when: ({ path }) => path.endsWith('.txt') } }),
      async (world) => {
        const { actionId } = await (await world.start()).call(args, call());
        const next = await world.restart({ tools: gated({}) });
        await world.advance(hour);
        expect((await world.action(actionId)).status).toBe('awaiting_approval');
        await vote(world, next, actionId, { voter: 'alice', vote: 'reject' });
        await world.advance(hour);
        expect((await world.action(actionId)).status).toBe('rejected');
        expect(effects(world)).toBe(0);
      },
      { store },
    ));

  it('F061 guard state lost on restart: the first click after it decides, the second learns so', () =>
    inCase(
      gated(),
      async (world) => {
        const { actionId } = await (await world.start()).call(args, call());
        const next = await world.restart();
        expect(await vote(world, next, actionId, alice)).toMatchObject({ kind: 'done' });
        await world.advance(second);
        expect(effects(world)).toBe(1);
        expect(await vote(world, next, actionId, bob)).toMatchObject({
          code: 'action.approval-decided',
          detail: { as: 'approved', by: 'alice' },
        });
        expect(effects(world)).toBe(1);
      },
      { store },
    ));

  it('F063 policy changed while waiting: an approval under the old one is asked for again before dispatch', () =>
    inCase(
      gated({ approval: true, undoWindow: '10min' }),
      async (world) => {
        const first = await world.start();
        const { actionId } = await first.call(args, { ...call(), waitMs: second });
        await vote(world, first, actionId, alice);
        await world.advance(minute);
        const tools = gated({ approval: { votes: 2 }, undoWindow: '10min' });
        const next = await world.restart({ tools });
        await world.advance(20 * minute);
        expect((await world.action(actionId)).status).toBe('awaiting_approval');
        expect(effects(world)).toBe(0);
        // The first decision is kept.
        expect(await eventTypes(world, actionId)).toEqual([
          'ActionPlanned',
          'ApprovalRequested',
          'ApprovalVoted',
          'ActionApproved',
          'ActionClaimed',
          'ClaimEnded',
          'ApprovalRequested',
        ]);
        await vote(world, next, actionId, alice);
        await world.advance(20 * minute);
        expect(effects(world)).toBe(0);
        await vote(world, next, actionId, bob);
        await world.advance(20 * minute);
        expect(effects(world)).toBe(1);
      },
      { store },
    ));

  it('F063 another version of the policy, or a denial by it, is looked at before dispatch too', () => {
    const under = (version: string, effect: 'ask' | 'deny') =>
      gated({ undoWindow: '10min', policy: { version, decide: () => ({ effect }) } });
    return inCase(
      under('v1', 'ask'),
      async (world) => {
        const first = await world.start();
        const { actionId } = await first.call(args, { ...call(), waitMs: second });
        await vote(world, first, actionId, alice);
        await world.restart({ tools: under('v2', 'ask') });
        await world.advance(20 * minute);
        expect((await world.action(actionId)).status).toBe('awaiting_approval');
        const last = await world.restart({ tools: under('v2', 'ask') });
        await vote(world, last, actionId, alice);
        await world.restart({ tools: under('v3', 'deny') });
        await world.advance(20 * minute);
        expect((await world.action(actionId)).status).toBe('denied');
        expect(effects(world)).toBe(0);
      },
      { store },
    );
  });
});

describe('F049 double click, two approvers', () => {
  it.each([
    ['two people at once', [alice, bob]],
    ['one person twice', [alice, alice]],
    ['yes and no at once', [alice, { voter: 'bob', vote: 'reject' } as const]],
  ])('%s → one decision; the other learns of it, and nobody gets an error', (_who, ballots) =>
    inCase(gated(), async (world) => {
      const first = await world.start();
      const { actionId } = await first.call(args, call());
      const other = await world.start();
      const [one, two] = ballots as [Ballot, Ballot];
      const votes = await Promise.all([
        vote(world, first, actionId, one),
        vote(world, other, actionId, two),
      ]);
      const won = votes.find(({ kind }) => kind === 'done');
      const lost = votes.find((each) => each !== won);
      expect(lost).toMatchObject({
        kind: 'refusal',
        code: 'action.approval-decided',
        detail: { by: expect.any(String), at: expect.any(Number) },
      });
      await world.advance(minute);
      expect(await decisionsOf(world, actionId)).toHaveLength(1);
      const rejected = (await world.action(actionId)).status === 'rejected';
      expect(effects(world)).toBe(rejected ? 0 : 1);
    }),
  );
});

describe('F051 decision lost, session stuck', () => {
  const reject: Ballot = { voter: 'alice', vote: 'reject' };

  it.each([
    ['before', 'not stored', 6],
    ['after', 'stored, error raised', 1],
  ] as const)(
    'the network is cut %s the decision is stored → sent again, one decision, and the run goes on',
    (_when, kind, tries) =>
      inCase(gated(), async (world) => {
        const process = await world.start();
        const { actionId } = await process.call(args, call());
        for (let nth = 0; nth < tries; nth += 1)
          process.script.onAppend({ kind }, ({ events }) => events[0]?.type === 'ApprovalVoted');
        await world.during(vote(world, process, actionId, reject).catch(() => undefined));
        const again = await vote(world, process, actionId, reject);
        expect(again.kind === 'done' || again.kind === 'refusal').toBe(true);
        expect(await decisionsOf(world, actionId)).toEqual(['ActionRejected']);
        const next = await process.call({ path: 'b.txt' }, call('call_2', '2'));
        expect(next.state).toBe('awaiting_approval');
        await vote(world, process, next.actionId, alice);
        await world.advance(second);
        expect(effects(world)).toBe(1);
      }),
  );
});

it('F053 approval keyed by tool name: it is for these arguments, in this run, and used once', () =>
  inCase(gated(), async (world) => {
    const process = await world.start();
    const { actionId } = await process.call(args, call());
    await vote(world, process, actionId, alice);
    await world.advance(second);
    const secrets = await process.call({ path: 'secrets.env' }, call('call_2', '2'));
    expect(secrets.state).toBe('awaiting_approval');
    const hash = (await world.action(actionId)).argumentsHash;
    expect(
      await process.ledger.vote({
        actionId: secrets.actionId ?? '',
        argumentsHash: hash,
        ...bob,
      }),
    ).toMatchObject({ code: 'action.approval-other-arguments' });
    expect(await process.call(args, call('call_3', '3'))).toMatchObject({ word: 'already-done' });
    const otherRun = await process.call(args, call('call_1', '1', 'run-2'));
    expect(otherRun.state).toBe('awaiting_approval');
    expect(effects(world)).toBe(1);
  }));

describe('F055 approval can never be used', () => {
  const exec = z.object({
    command: z.string(),
    description: z.string(),
    timeout: z.int(),
    sandbox: z.boolean(),
  });
  const asked = { command: 'restart gw', description: 'pls restart', timeout: 30, sandbox: true };
  const reworded = { ...asked, description: 'restarting now', timeout: 60 };
  const tool = (port: Port) => [
    writeTool(port, {
      name: 'exec',
      input: exec,
      free: ['description', 'timeout'],
      approval: true,
    }),
  ];

  it.each(['before', 'after'])(
    'reworded free fields, %s the approval → the approval holds',
    (when) =>
      inCase(tool, async (world) => {
        const process = await world.start();
        const { actionId } = await process.call(asked, call());
        if (when === 'before') await process.call(reworded, call('call_2', '2'));
        await vote(world, process, actionId, alice);
        await world.advance(second);
        expect(await process.call(reworded, call('call_3', '3'))).toMatchObject({
          word: 'already-done',
          actionId,
        });
        // The wording that was approved is the one that is sent.
        expect(world.provider.effects()).toMatchObject([{ arguments: asked }]);
      }),
  );

  it('a changed flag of the confinement is another action, and asks', () =>
    inCase(tool, async (world) => {
      const process = await world.start();
      const { actionId } = await process.call(asked, call());
      await vote(world, process, actionId, alice);
      await world.advance(second);
      const outside = await process.call({ ...reworded, sandbox: false }, call('call_2', '2'));
      expect(outside.state).toBe('awaiting_approval');
      expect(effects(world)).toBe(1);
    }));

  it('for a tool whose description is the payload it counts', () =>
    inCase(
      (port) => [writeTool(port, { name: 'exec', input: exec, approval: true })],
      async (world) => {
        const process = await world.start();
        const first = await process.call(asked, call());
        const second = await process.call(reworded, call('call_2', '2'));
        expect(second).toMatchObject({ state: 'awaiting_approval', repeat: false });
        expect(second.actionId).not.toBe(first.actionId);
      },
    ));
});

describe('F057 expiry without a sweeper', () => {
  const short = gated({ approval: { expiresAfter: '60s' } });

  it('nobody answers → expired by itself, and its caller told', () =>
    inCase(short, async (world) => {
      const process = await world.start();
      const { actionId } = await process.call(args, call());
      await world.advance(61 * second);
      expect(await decisionsOf(world, actionId)).toEqual(['ActionExpired']);
      expect(await process.call(args, call())).toMatchObject({
        state: 'expired',
        word: 'nothing-done',
      });
      expect(effects(world)).toBe(0);
    }));

  it('those who wait are woken, once', () =>
    inCase(short, async (world) => {
      const process = await world.start();
      const { actionId = '' } = await process.call(args, call());
      let woken = 0;
      const waiting = process.ledger.rest(actionId, hour).then(() => {
        woken += 1;
      });
      await world.advance(2 * minute);
      await waiting;
      expect(woken).toBe(1);
    }));

  it.each([
    ['the approval', 60 * second - 1, 1],
    ['the sweep', 60 * second, 0],
  ])('%s comes first at 60 s → one ending, nothing done', (_who, at, wallAheadMs) =>
    inCase(short, async (world) => {
      const process = await world.start();
      const other = await world.start({ wallAheadMs });
      const { actionId } = await process.call(args, call());
      await world.advance(at);
      const late = await vote(world, other, actionId, alice);
      const refused = late.kind === 'done' ? late.refused : late;
      expect(refused?.kind).toBe('refusal');
      await world.advance(minute);
      expect(await decisionsOf(world, actionId)).toEqual(['ActionExpired']);
      expect(effects(world)).toBe(0);
    }),
  );
});

it('F065 mixed yes and no: what needs no approval runs at once, the others as they are decided', () =>
  inCase(
    (port) => [
      writeTool(port, {
        name: 'edit',
        input,
        approval: { when: ({ path }: Args) => path !== 'c' },
      }),
    ],
    async (world) => {
      const process = await world.start();
      const batch = ['a', 'b', 'c'].map((path, index) =>
        process.begin({ path }, call(`call_${index}`)),
      );
      const [yes, no, free] = await world.during(Promise.all(batch));
      expect([yes, no, free].map((each) => each?.state)).toEqual([
        'awaiting_approval',
        'awaiting_approval',
        'succeeded',
      ]);
      await vote(world, process, yes?.actionId, alice);
      await vote(world, process, no?.actionId, { voter: 'alice', vote: 'reject' });
      await world.advance(second);
      const outcomes = await world.during(
        Promise.all(
          ['a', 'b', 'c'].map((path, index) =>
            process.begin({ path }, { ...call(`call_${index}`), ...patience }),
          ),
        ),
      );
      expect(outcomes.map(({ state }) => state)).toEqual(['succeeded', 'rejected', 'succeeded']);
      expect(world.provider.effects().map((each) => each.arguments['path'])).toEqual(['c', 'a']);
    },
  ));
