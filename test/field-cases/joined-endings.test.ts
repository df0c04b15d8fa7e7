// F131 of the same kind: a call that joined an action which then ended without effect is still the old call
// when it is delivered again, and opens nothing.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { ackLost, declined, type Fault, type ProviderPort, slow } from '@action-ledger/sandbox';
import {
  call,
  day,
  effects,
  eventTypes,
  hour,
  inCase,
  minute,
  type Process,
  second,
  type World,
  type WorldOptions,
  writeTool,
} from './case.ts';

const args = { id: 'trip-1' };
const input = z.object({ id: z.string(), seats: z.int().optional() });
const booking =
  ({ approval = true } = {}) =>
  (port: ProviderPort) => [writeTool(port, { name: 'book', input, approval })];

const joined = { ...call('2', '2'), waitMs: 0 };
const joinedLater = { ...call('3', '3'), waitMs: 0 };

const firstIs = (fault: Fault) => {
  let isMet = false;
  return () => {
    if (isMet) return undefined;
    isMet = true;
    return fault;
  };
};

interface Ending {
  readonly tools?: WorldOptions['tools'];
  readonly fault?: WorldOptions['fault'];
  readonly state: string;
  readonly end: (world: World, process: Process, actionId: string) => Promise<unknown>;
}

const endings: Readonly<Record<string, Ending>> = {
  'was not voted on in time': {
    state: 'expired',
    end: (world) => world.advance(day + hour),
  },
  'was refused by the provider': {
    tools: booking({ approval: false }),
    fault: () => ({ ...slow(second), ...declined('sold out') }),
    state: 'failed',
    end: (world) => world.advance(minute),
  },
  'was cancelled by a person, and repeated': {
    state: 'cancelled',
    end: async (world, { ledger }, actionId) => {
      const { revision } = await world.action(actionId);
      const by = { by: 'olga', reason: 'not wanted' };
      await ledger.cancel({ actionId, ...by, revisionSeen: revision });
      const { tenant, revision: revisionSeen } = await world.action(actionId);
      await ledger.repeat({ of: actionId, ...by, tenant, revisionSeen, waitMs: 0 });
    },
  },
};

describe('F131 a call that joined, delivered again after the action', () => {
  it.each(Object.entries(endings))('%s → the recorded ending', (_how, ending) =>
    inCase(
      ending.tools ?? booking(),
      async (world) => {
        const process = await world.start();
        const { actionId = '' } = await process.call(args, { ...call('1', '1'), waitMs: 0 });
        await process.call(args, joined);
        await process.call(args, joinedLater);
        await ending.end(world, process, actionId);
        await world.advance(second);
        for (const again of [joined, joinedLater, joined])
          expect(await process.call(args, again)).toMatchObject({
            actionId,
            state: ending.state,
            repeat: true,
          });
      },
      ending.fault === undefined ? {} : { fault: ending.fault },
    ),
  );
});

it('F131 a call that joined an absolute write is not the next one after a newer value has replaced it', () =>
  inCase(
    (port) => [writeTool(port, { name: 'set', input, identity: ['id'], guarantee: 'natural' })],
    async (world) => {
      const process = await world.start();
      const [older, newer] = [
        { ...args, seats: 1 },
        { ...args, seats: 2 },
      ];
      const { actionId } = await process.call(older, { ...call('1', '1'), waitMs: 0 });
      await process.call(older, joined);
      await process.call(newer, { ...call('4', '4'), waitMs: 0 });
      await world.advance(hour);
      expect((await world.action(actionId)).status).toBe('superseded');
      expect(await process.call(older, joined)).toMatchObject({ word: 'done-earlier', actionId });
      expect(await process.call(newer, call('4', '4'))).toMatchObject({ word: 'already-done' });
      expect(effects(world)).toBe(2);
    },
    { fault: firstIs(ackLost) },
  ));

it.each(['failed', 'succeeded'])(
  'an action that %s and that no call joined has no word of calls',
  (state) =>
    inCase(
      booking({ approval: false }),
      async (world) => {
        const process = await world.start();
        const { actionId } = await process.call(args, call('1', '1'));
        await process.call(args, joined);
        await world.advance(minute);
        expect((await world.action(actionId)).status).toBe(state);
        expect(await eventTypes(world, actionId)).toHaveLength(4);
      },
      { fault: () => (state === 'failed' ? declined('sold out') : undefined) },
    ),
);
