// F029 of the same kind: a second time that is wanted is said by a person, and is as careful as the first.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { type ProviderPort } from '@action-ledger/sandbox';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  call,
  effects,
  inCase,
  minute,
  overStores,
  type Process,
  replayed,
  requests,
  second,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ charge: z.string(), pin: z.string().default('') });
const refund =
  (more: Partial<ToolDefinition<z.output<typeof input>>> = {}) =>
  (port: ProviderPort) => [writeTool(port, { name: 'refund', input, ...more })];
const args = { charge: 'c-1' };

async function repeat(
  world: World,
  { ledger }: Process,
  of: string | undefined,
  more: object = {},
) {
  const { revision } = await world.action(of ?? '');
  const seen = { of: of ?? '', revisionSeen: revision };
  const request = { ...seen, by: 'ann', reason: 'the customer is owed both', tenant: 'acme' };
  return world.during(ledger.repeat({ ...request, ...more }));
}

describe('F029 a repeat', () => {
  it('of arguments with a secret: the secret is given again, sent, and never stored', () =>
    inCase(refund({ secret: ['pin'] }), async (world) => {
      const process = await world.start();
      const withPin = { ...args, pin: '4711' };
      const first = await process.call(withPin, call());
      expect(await repeat(world, process, first.actionId)).toMatchObject({
        code: 'repeat.arguments-needed',
      });
      expect(await repeat(world, process, first.actionId, { arguments: withPin })).toMatchObject({
        word: 'done',
      });
      expect(world.provider.effects()).toMatchObject([
        { arguments: withPin },
        { arguments: withPin },
      ]);
      const stored = await world.store().readAll({ after: 0, max: 100 });
      expect(stored.filter(({ data }) => data.includes('4711'))).toEqual([]);
    }));

  it('of what is no JSON → refused at the door, as any call', () =>
    inCase(refund(), async (world) => {
      const process = await world.start();
      const first = await process.call(args, call());
      const half = { arguments: { charge: 'c\ud800' } };
      expect(await repeat(world, process, first.actionId, half)).toMatchObject({
        code: 'json.lone-surrogate',
      });
      expect(effects(world)).toBe(1);
    }));

  it('while the tool is paused → refused, and nothing is recorded or sent', () => {
    const state = { isPaused: false };
    return inCase(refund(), async (world) => {
      const process = await world.start({ isPaused: () => state.isPaused });
      const first = await process.call(args, call());
      state.isPaused = true;
      expect(await repeat(world, process, first.actionId)).toMatchObject({ code: 'ledger.paused' });
      expect(await world.actions()).toHaveLength(1);
      expect(requests(world)).toBe(1);
    });
  });

  it('while the store is away → an answer, no error; and when it is back, one more effect at most', () =>
    inCase(refund(), async (world) => {
      const process = await world.start();
      const first = await process.call(args, call());
      process.outage('appends');
      const away = await repeat(world, process, first.actionId);
      expect(away.code).toBe('ledger.store-unavailable');
      process.outage('none');
      await world.advance(minute);
      expect(await repeat(world, process, first.actionId)).toMatchObject({ state: 'succeeded' });
      expect(effects(world)).toBe(2);
    }));
});

overStores((store) => {
  it('F029 a repeat of an undoer undoes what has been booked again', () =>
    inCase(
      (port) => [
        writeTool(port, {
          name: 'book',
          input: z.object({ trip: z.string() }),
          undoneBy: [{ tool: 'cancel', match: { 'arguments.trip': 'arguments.trip' } }],
        }),
        writeTool(port, { name: 'cancel', input: z.object({ trip: z.string() }) }),
      ],
      async (world) => {
        const process = await world.start();
        const trip = { trip: 't-1' };
        await process.call(trip, call('1', '1'), 'book');
        const cancelled = await process.call(trip, call('2', '2'), 'cancel');
        await process.call(trip, call('3', '3'), 'book');
        // The model cancels again: the same call to the ledger, so a person says that it is wanted.
        expect(await process.call(trip, call('4', '4'), 'cancel')).toMatchObject(replayed);
        expect(await repeat(world, process, cancelled.actionId)).toMatchObject({ word: 'done' });
        await world.advance(second);
        expect(await process.call(trip, call('3', '3'), 'book')).toMatchObject({
          word: 'done-earlier',
        });
        expect(await process.call(trip, call('5', '5'), 'book')).toMatchObject({ word: 'done' });
        expect([effects(world, 'book'), effects(world, 'cancel')]).toEqual([3, 2]);
      },
      { store },
    ));
});
