// F131 of the same kind: a model repeats a call that had joined another one; after an undo the repeat is
// still the old call, and not a new booking.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ackLost, type Fault, type ProviderPort, slow } from '@action-ledger/sandbox';
import {
  call,
  effects,
  eventTypes,
  inCase,
  minute,
  patience,
  type Process,
  second,
  type World,
  writeTool,
} from './case.ts';

const input = z.object({ id: z.string() });
const args = { id: 'trip-1' };
const booking = (guarantee: 'lookup' | 'manual') => (port: ProviderPort) => [
  writeTool(port, {
    name: 'book',
    input,
    guarantee,
    undoneBy: [{ tool: 'cancel', match: { 'arguments.id': 'arguments.id' } }],
  }),
  writeTool(port, { name: 'cancel', input }),
];

async function expectOneBooking(world: World, process: Process, calls: readonly string[]) {
  await process.call(args, call('undo', '9'), 'cancel');
  for (const id of calls) {
    expect(await process.call(args, call(id, id))).toMatchObject({ word: 'done-earlier' });
  }
  expect(effects(world, 'book')).toBe(1);
}

const onFirstBooking = (fault: Fault) => {
  let isMet = false;
  return ({ tool }: { readonly tool: string }) => {
    if (tool !== 'book' || isMet) return undefined;
    isMet = true;
    return fault;
  };
};

describe('F131 a call that joined while the outcome was not known, delivered again after an undo', () => {
  const ways: Readonly<Record<string, (world: World, process: Process) => Promise<unknown>>> = {
    'is found': async (world) => world.advance(5 * minute),
    'is reported': async (world, { ledger }) => {
      const [action] = await world.actions();
      const externalId = world.provider.effects()[0]?.id ?? '';
      const report = { source: 'webhook', claims: 'success', proven: true, externalId } as const;
      return ledger.report(action?.id ?? '', report);
    },
    'is settled by a person': async (world, { ledger }) => {
      const [action] = await world.actions();
      return ledger.settle({
        actionId: action?.id ?? '',
        by: 'olga',
        reason: 'on the statement',
        revisionSeen: action?.revision ?? 0,
        verdict: 'found',
      });
    },
  };

  it.each(Object.entries(ways))('its success %s → done earlier, since reversed', (how, settle) => {
    let asked = 0;
    return inCase(
      booking(how === 'is found' ? 'lookup' : 'manual'),
      async (world) => {
        const process = await world.start();
        await process.call(args, { ...call('1', '1'), waitMs: 0 });
        // Its caller has gone when the success comes.
        await process.call(args, { ...call('2', '2'), waitMs: 0 });
        await settle(world, process);
        const { actionId } = await process.call(args, { ...call('1', '1'), ...patience });
        expect((await eventTypes(world, actionId)).at(-1)).toBe('CallJoined');
        await expectOneBooking(world, process, ['1', '2']);
      },
      {
        fault: onFirstBooking(ackLost),
        lookupFault: () => {
          asked += 1;
          return asked === 1 ? { outage: true } : undefined;
        },
      },
    );
  });
});

it('F131 more calls joined than one append holds → each is still known after an undo', () =>
  inCase(
    booking('lookup'),
    async (world) => {
      const process = await world.start();
      const calls = Array.from({ length: 50 }, (_, index) => `${index}`);
      const waiting = calls.map((id, index) =>
        process.begin(args, { ...call(id, id), waitMs: index % 2 === 0 ? minute : 0 }),
      );
      await world.during(Promise.all(waiting));
      const [action] = await world.actions();
      expect(action?.calls).toHaveLength(50);
      await expectOneBooking(world, process, calls);
    },
    { fault: onFirstBooking(slow(second)) },
  ));
