// F023: identities that were computed by an older version of a tool are compared by that version.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { slow } from '@action-ledger/sandbox';
import { type Tool } from '@action-ledger/tools';
import {
  call,
  conflict,
  effects,
  eventTypes,
  inCase,
  keyed,
  minute,
  overStores,
  patience,
  replayed,
  second,
  writeTool,
  type WorldOptions,
} from './case.ts';

const input = z.object({ order_id: z.string(), amount: z.int(), note: z.string().optional() });
type Port = Parameters<WorldOptions['tools']>[0];

/** All fields are identity, in one run. */
const version1 = (port: Port): Tool => writeTool(port, { name: 'refund', input });

/** The order alone is identity, in every run of the tenant, and the note is free. */
const version2 = (port: Port): Tool =>
  writeTool(port, {
    name: 'refund',
    input,
    identity: ['order_id'],
    free: ['note'],
    scope: 'tenant',
    identityVersion: 2,
    previously: [{ identityVersion: 1 }],
  });

const tools1 = { tools: (port: Port) => [version1(port)] };
const tools2 = { tools: (port: Port) => [version2(port)] };
const args = { order_id: 'o-1', amount: 1250, note: 'broken cup' };

overStores((store) => {
  describe('F023 hash algorithm changed by an upgrade', () => {
    it('a succeeded action of version 1: same → replayed, other → conflict, its note still counts', () =>
      inCase(
        tools1.tools,
        async (world) => {
          const first = await (await world.start(tools1)).call(args, call());
          const next = await world.restart(tools2);
          const repeat = await next.call(args, call('call_2', '2'));
          expect(repeat).toMatchObject({ ...replayed, actionId: first.actionId });
          // Under version 1 all fields were identity: other ones were, and are, another action.
          const other = { ...args, amount: 900 };
          const met = await next.call(other, call('call_3', '3'));
          expect(met).toMatchObject({ word: 'done' });
          expect(await next.call({ ...other, amount: 901 }, call('call_4', '4'))).toMatchObject({
            ...conflict,
            actionId: met.actionId,
            differs: [{ path: 'amount' }],
          });
          expect(effects(world)).toBe(2);
        },
        { store },
      ));

    it("under a caller's key: same → replayed; other → conflict by what version 1 compared", () =>
      inCase(
        tools1.tools,
        async (world) => {
          await (await world.start(tools1)).call(args, keyed('k1'));
          const next = await world.restart(tools2);
          expect(await next.call(args, keyed('k1'))).toMatchObject(replayed);
          expect(await next.call({ ...args, note: 'a cup' }, keyed('k1'))).toMatchObject({
            ...conflict,
            differs: [{ path: 'note' }],
          });
          expect(effects(world)).toBe(1);
        },
        { store },
      ));

    it('an executing action of version 1 → attaches, and gets its outcome', () =>
      inCase(
        tools1.tools,
        async (world) => {
          const first = (await world.start(tools1)).begin(args, call());
          await world.advance(second);
          const next = await world.start(tools2);
          const repeat = await next.call(args, { ...call('call_2', '2'), waitMs: second });
          expect(repeat.word === 'in-progress' || repeat.word === 'checking').toBe(true);
          expect(await world.during(first)).toMatchObject({ actionId: repeat.actionId });
          // Woken by what the other process has recorded, not by the end of its patience.
          const last = next.begin(args, { ...call('call_2', '2'), ...patience });
          expect(await world.during(last, 2 * minute)).toMatchObject(replayed);
          expect(effects(world)).toBe(1);
        },
        { store, fault: () => slow(10 * second) },
      ));
  });
});

describe('F023 an old process and a new one at once', () => {
  it.each([
    ['the old one is first', 0],
    ['the new one is first', 1],
  ])('%s → one action, one effect', (_who, first) =>
    inCase(tools1.tools, async (world) => {
      const old = await world.start(tools1);
      const now = await world.start(tools2);
      const racers = [old, now];
      const order = first === 0 ? racers : racers.toReversed();
      const answers = order.map((process, index) =>
        process.begin(args, { ...call(`call_${index}`, String(index)), ...patience }),
      );
      const [one, other] = await world.during(Promise.all(answers));
      expect(one?.actionId).toBe(other?.actionId);
      expect([one?.repeat, other?.repeat].sort()).toEqual([false, true]);
      expect(effects(world)).toBe(1);
    }),
  );

  it('the new one has the name → the old one follows it', () =>
    inCase(tools1.tools, async (world) => {
      const old = await world.start(tools1);
      const done = await (await world.start(tools2)).call(args, call());
      const streams = (await world.actions()).map(({ id }) => id);
      expect(await Promise.all(streams.map((id) => eventTypes(world, id)))).toContainEqual([
        'NameReserved',
      ]);
      expect(await old.call(args, call('call_2', '2'))).toMatchObject({
        ...replayed,
        actionId: done.actionId,
      });
      expect(
        await old.ledger.explain({
          tool: 'refund',
          arguments: args,
          tenant: 'acme',
          origin: call('call_3', '3'),
        }),
      ).toMatchObject({
        meeting: { kind: 'answer', as: 'duplicate' },
      });
      expect(effects(world)).toBe(1);
    }));

  it('the new one died with the name in hand → the old one creates the action under it', () =>
    inCase(tools1.tools, async (world) => {
      const old = await world.start(tools1);
      const dying = await world.start({
        ...tools2,
        script: (script) => {
          script.onAppend(
            { kind: 'never answered' },
            ({ events }) => events[0]?.type === 'NameReserved',
          );
        },
      });
      void dying.begin(args, call());
      await world.advance(second);
      dying.die();
      const done = await old.call(args, call('call_2', '2'));
      const next = await world.restart(tools2);
      expect(await next.call(args, call('call_3', '3'))).toMatchObject({
        ...replayed,
        actionId: done.actionId,
      });
      expect(await next.call({ ...args, amount: 900 }, call('call_4', '4'))).toMatchObject(
        conflict,
      );
      expect(effects(world)).toBe(1);
    }));
});
