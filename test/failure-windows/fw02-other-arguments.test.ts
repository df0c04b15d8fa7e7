// A caller's key is used again, with other arguments, while its action is in each of its states.
import { describe, expect, it } from '@jest/globals';
import { type ActionStatus, type Guarantee } from '@action-ledger/domain';
import { ackLost, declined, tooManyRequests } from '@action-ledger/sandbox';
import {
  firstCall,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  payTool,
  type PayWorld,
  second,
} from './pay.ts';
import { inWorld, type Process, type World, type WorldOptions } from './world.ts';

const key = 'order-77';
const keyed = { ...firstCall, key, by: 'ada' };

interface Way {
  readonly to: ActionStatus;
  readonly world: (payWorld: PayWorld) => WorldOptions;
  readonly start?: Parameters<World['start']>[0];
  /** After the first call. */
  readonly then?: (world: World, process: Process, actionId: string) => Promise<unknown>;
}

const slow: WorldOptions['fault'] = () => ({ workMs: 20 * second });
const asksFirst = { approval: true } as const;

const ways: readonly Way[] = [
  { to: 'planned', world: (payWorld) => payWorld({}, { undoWindow: '10min' }) },
  { to: 'awaiting_approval', world: (payWorld) => payWorld({}, asksFirst) },
  {
    to: 'ready',
    world: (payWorld) => payWorld({ fault: onFirst(tooManyRequests(10 * minute)) }),
  },
  {
    to: 'claimed',
    world: (payWorld) => payWorld({}, { undoWindow: '1s' }),
    start: { onPoint: (point) => (point === 'claimed' ? new Promise(() => undefined) : undefined) },
    then: ({ advance }) => advance(2 * second),
  },
  { to: 'dispatched', world: (payWorld) => payWorld({ fault: slow }) },
  {
    to: 'unknown',
    world: (payWorld) => payWorld({ fault: () => ackLost, lookupFault: () => ({ outage: true }) }),
  },
  { to: 'succeeded', world: (payWorld) => payWorld() },
  { to: 'failed', world: (payWorld) => payWorld({ fault: () => declined('no') }) },
  {
    to: 'denied',
    world: (payWorld) =>
      payWorld({}, { policy: { version: 'p1', decide: () => ({ effect: 'deny' }) } }),
  },
  {
    to: 'rejected',
    world: (payWorld) => payWorld({}, asksFirst),
    then: async (world, { ledger }, actionId) => {
      const { argumentsHash } = await world.action(actionId);
      await ledger.vote({ actionId, voter: 'olga', vote: 'reject', argumentsHash });
    },
  },
  {
    to: 'expired',
    world: (payWorld) => payWorld({}, { approval: { expiresAfter: '1min' } }),
    then: ({ advance }) => advance(2 * minute),
  },
  {
    to: 'cancelled',
    world: (payWorld) => payWorld({}, { undoWindow: '10min' }),
    then: async (world, { ledger }, actionId) => {
      const { revision } = await world.action(actionId);
      await ledger.cancel({ actionId, by: 'ada', reason: 'a mistake', revisionSeen: revision });
    },
  },
];

/** The same name, and another action. */
const others = [
  { what: 'another amount', args: { ...invoice, cents: 1 }, tool: 'pay' },
  { what: 'another invoice', args: { ...invoice, invoice: '2026-115' }, tool: 'pay' },
  { what: 'another tool', args: invoice, tool: 'pay_later' },
];

function withOtherTool(options: WorldOptions, guarantee: Guarantee): WorldOptions {
  return {
    ...options,
    tools: (port) => [...options.tools(port), payTool(port, guarantee, { name: 'pay_later' })],
  };
}

overEach((payWorld, guarantee) => {
  describe.each(ways)('an action that is $to', ({ to, world: worldFor, start, then }) => {
    it('FW02 same caller key, other arguments, in every state → refused, first action untouched', () =>
      inWorld(withOtherTool(worldFor(payWorld), guarantee), async (world) => {
        const process = await world.start(start);
        const first = await process.call(invoice, { ...keyed, waitMs: second });
        const actionId = first.actionId ?? '';
        await then?.(world, process, actionId);
        const before = await world.action(actionId);
        expect(before.status).toBe(to);
        for (const { args, tool } of others) {
          for (const call of [keyed, { ...laterCall, key, by: 'ada' }]) {
            const answer = await process.call(args, { ...call, waitMs: second }, tool);
            expect(answer).toMatchObject({
              word: 'other-arguments',
              code: 'key.other-arguments',
              actionId,
              repeat: false,
            });
            expect(answer.differs?.length).toBeGreaterThan(0);
          }
        }
        const after = await world.action(actionId);
        expect(after.argumentsHash).toBe(before.argumentsHash);
        expect(after.arguments).toEqual(before.arguments);
        expect(await world.actions()).toHaveLength(1);
        expect(world.provider.effects().every(({ tool }) => tool === 'pay')).toBe(true);
        expect(world.provider.effects().length).toBeLessThanOrEqual(1);
      }));
  });
});
