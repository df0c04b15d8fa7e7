// F059 of the same kind: edits of what is planned, retried, repeated, keyed, secret or absolute.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type ProviderPort, tooManyRequests } from '@action-ledger/sandbox';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  effects,
  eventTypes,
  inCase,
  keyed,
  minute,
  type Process,
  second,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ to: z.string(), amount: z.int(), pin: z.string().default('') });
const pay =
  (more: Partial<ToolDefinition<z.output<typeof input>>> = {}) =>
  (port: ProviderPort) => [writeTool(port, { name: 'pay', input, undoWindow: '10min', ...more })];
const args = { to: 'Ann', amount: 100 };
const lowered = { to: 'Ann', amount: 10 };
const soon = { waitMs: second };

async function edit(world: World, { ledger }: Process, actionId: string | undefined, more = {}) {
  const { revision } = await world.action(actionId);
  return world.during(
    ledger.edit({
      actionId: actionId ?? '',
      by: 'vera',
      reason: 'too much',
      revisionSeen: revision,
      arguments: lowered,
      waitMs: 20 * minute,
      ...more,
    }),
  );
}

const sent = ({ provider }: World) => provider.effects().map((each) => each.arguments['amount']);

describe('F059 an edit', () => {
  it("of a caller's key: the next epoch under it, and the key's repeats get its outcome", () =>
    inCase(pay(), async (world) => {
      const process = await world.start();
      const asked = await process.call(args, { ...keyed('k1'), ...soon });
      const edited = await edit(world, process, asked.actionId);
      expect(edited).toMatchObject({ word: 'done', epoch: 1, previous: asked.actionId });
      expect(await process.call(args, keyed('k1'))).toMatchObject({ actionId: edited.actionId });
      expect(await process.call(lowered, keyed('k1'))).toMatchObject({ actionId: edited.actionId });
      expect(sent(world)).toEqual([10]);
    }));

  it('of an absolute write: the edited value stands, and an older one is not put after it', () =>
    inCase(
      pay({ guarantee: 'natural', identity: ['to'] }),
      async (world) => {
        const process = await world.start();
        const asked = await process.call(args, { ...call(), ...soon });
        const later = await process.call({ ...args, amount: 50 }, { ...call('2', '2'), ...soon });
        expect(await edit(world, process, asked.actionId)).toMatchObject({
          code: 'edit.overtaken',
        });
        expect(await edit(world, process, later.actionId)).toMatchObject({ word: 'done' });
        expect(world.provider.endState('acme', 'pay', 'Ann')).toMatchObject({
          arguments: { amount: 10 },
        });
        expect(sent(world)).not.toContain(50);
      },
      { behaviour: () => ({ entity: ({ to }) => (typeof to === 'string' ? to : '') }) },
    ));

  it('of a repeat: the epoch after it, in its chain', () =>
    inCase(pay(), async (world) => {
      const process = await world.start();
      const first = await process.call(args, { ...call(), waitMs: 20 * minute });
      const seen = { of: first.actionId ?? '', revisionSeen: first.revision ?? -1 };
      const request = { ...seen, by: 'ann', reason: 'again', tenant: 'acme' };
      const repeat = await world.during(process.ledger.repeat({ ...request, ...soon }));
      const edited = await edit(world, process, repeat.actionId);
      expect(edited).toMatchObject({ word: 'done', epoch: 2, editOf: repeat.actionId });
      expect(sent(world)).toEqual([100, 10]);
    }));

  it('of what was refused and is to be tried again: nothing of the old one is sent any more', () => {
    let requests = 0;
    return inCase(
      pay({ undoWindow: 0, retry: { backoffMinMs: minute, backoffMaxMs: minute } }),
      async (world) => {
        const process = await world.start();
        const busy = await process.call(args, { ...call(), waitMs: 0 });
        await world.advance(second);
        expect((await world.action(busy.actionId)).status).toBe('ready');
        expect(await edit(world, process, busy.actionId)).toMatchObject({ word: 'done' });
        await world.advance(10 * minute);
        expect(sent(world)).toEqual([10]);
      },
      {
        fault: () => {
          requests += 1;
          return requests === 1 ? tooManyRequests(minute) : undefined;
        },
      },
    );
  });

  it('of arguments with a secret: the secret is sent and never stored; lost with its process', () =>
    inCase(pay({ secret: ['pin'] }), async (world) => {
      const process = await world.start();
      const asked = await process.call({ ...args, pin: '4711' }, { ...call(), ...soon });
      const more = { arguments: { ...lowered, pin: '4711' }, waitMs: 0 };
      const edited = await edit(world, process, asked.actionId, more);
      await world.advance(11 * minute);
      expect(world.provider.effects()).toMatchObject([{ arguments: { amount: 10, pin: '4711' } }]);
      const stored = await world.store().readAll({ after: 0, max: 100 });
      expect(stored.filter(({ data }) => data.includes('4711'))).toEqual([]);
      expect(await eventTypes(world, edited.actionId)).toContain('ActionSucceeded');

      const other = await process.call(
        { ...args, to: 'Bob', pin: '4711' },
        { ...call('2', '2'), ...soon },
      );
      const late = await edit(world, process, other.actionId, {
        arguments: { to: 'Bob', amount: 10, pin: '4711' },
        waitMs: 0,
      });
      await world.restart();
      await world.advance(11 * minute);
      expect((await world.action(late.actionId)).status).toBe('cancelled');
      expect(effects(world)).toBe(1);
    }));

  it('races the vote that would send it: one of the two wins, one effect', () =>
    inCase(pay({ undoWindow: 0, approval: true }), async (world) => {
      const process = await world.start();
      const other = await world.start();
      const { actionId = '' } = await process.call(args, call());
      const { argumentsHash } = await world.action(actionId);
      const [edited] = await Promise.all([
        edit(world, process, actionId, { waitMs: 0 }),
        other.ledger.vote({ actionId, voter: 'vic', vote: 'approve', argumentsHash }),
      ]);
      await world.advance(minute);
      const isEdited = edited.editOf === actionId;
      expect(sent(world)).toEqual(isEdited ? [] : [100]);
      expect((await world.action(actionId)).status).toBe(isEdited ? 'cancelled' : 'succeeded');
    }));

  it('while the ledger takes nothing new → refused, and the action waits as before', () => {
    const state = { isPaused: false };
    return inCase(pay(), async (world) => {
      const process = await world.start({ isPaused: () => state.isPaused });
      const asked = await process.call(args, { ...call(), ...soon });
      state.isPaused = true;
      expect(await edit(world, process, asked.actionId)).toMatchObject({ code: 'ledger.paused' });
      expect((await world.action(asked.actionId)).status).toBe('planned');
    });
  });

  it('into what the policy denies → refused, and the action waits as before', () =>
    inCase(
      pay({
        policy: {
          version: 'v1',
          decide: ({ amount }) => ({
            effect: amount < 50 ? 'deny' : 'allow',
            reason: 'too little',
          }),
        },
      }),
      async (world) => {
        const process = await world.start();
        const asked = await process.call(args, { ...call(), ...soon });
        expect(await edit(world, process, asked.actionId)).toMatchObject({
          code: 'edit.denied',
          reason: 'too little',
        });
        expect((await world.action(asked.actionId)).status).toBe('planned');
      },
    ));
});
