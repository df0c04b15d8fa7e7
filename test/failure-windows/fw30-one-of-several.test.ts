// Several attempts went out under one downstream key, and a refusal comes that names no attempt, or
// another one.
import { expect, it } from '@jest/globals';
import { attemptResultOf, type ProviderPort, reqLost } from '@action-ledger/sandbox';
import { type Action } from '@action-ledger/domain';
import { type ToolDefinition } from '@action-ledger/tools';
import {
  aWhile,
  firstCall,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  type PayArguments,
  payTool,
  second,
  times,
} from './pay.ts';
import { inWorld, type World } from './world.ts';

const states = ({ attempts }: Action): readonly string[] => attempts.map(({ state }) => state);

const only = async (world: World): Promise<Action> => {
  const [action] = await world.actions();
  if (action === undefined) throw new Error('there is no action');
  return action;
};

overEach(
  (payWorld) => {
    it('FW30 a refusal arrives for one of several attempts under one downstream key → settles no other', () =>
      inWorld(payWorld({ fault: () => reqLost }), async (world) => {
        const process = await world.start();
        void process.begin(invoice, firstCall);
        await world.advance(times.inFlight + 5 * second);
        expect(states(await only(world))).toEqual(['in doubt', 'in doubt']);
        const { id } = await only(world);
        for (const report of [
          { source: 'webhook', claims: 'refusal', proven: false },
          { source: 'export', claims: 'refusal', proven: true },
          { source: 'webhook', claims: 'refusal', proven: true, attempt: 2 },
        ] as const)
          await process.ledger.report(id, report);
        const action = await only(world);
        expect(action.status).toBe('unknown');
        expect(states(action)).toEqual(['in doubt', 'in doubt']);
        expect(action.evidence.map(({ claims }) => claims)).toEqual([
          'refusal',
          'refusal',
          'refusal',
        ]);
      }));

    it('FW30 the late refusal of the first attempt, while the second is under way → settles nothing', () => {
      // A tool that does not heed its deadline: it comes back with what the provider said much later.
      const heedless =
        (port: ProviderPort): ToolDefinition<PayArguments>['execute'] =>
        async (context) => {
          const { tenant, tool, arguments: args, downstreamKey: key, attempt } = context;
          context.beforeSend();
          const request = { tenant, tool, arguments: { ...args }, key, attempt };
          return attemptResultOf(await port.send(request), key);
        };
      return inWorld(
        payWorld({
          tools: (port) => [payTool(port, 'natural', { execute: heedless(port) })],
          behaviour: () => ({}),
          fault: ({ attempt }) =>
            attempt === 1
              ? { instead: { status: 422, error: 'no' }, workMs: times.inFlight + 10 * second }
              : { workMs: 20 * second },
        }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(times.timeout + second);
          expect(states(await only(world))).toEqual(['in doubt']);
          await world.advance(times.inFlight + 5 * second);
          const action = await only(world);
          expect(action.evidence).toMatchObject([{ source: 'attempt 1', claims: 'refusal' }]);
          expect(states(action)[0]).toBe('in doubt');
          await world.advance(10 * minute);
          expect(await process.call(invoice, laterCall)).toMatchObject({ word: 'already-done' });
        },
      );
    });
  },
  ['idempotent', 'natural'],
);

overEach((payWorld, guarantee) => {
  it('FW30 a refusal by key alone settles nothing, even when nothing can arrive any more', () => {
    let isPaused = false;
    return inWorld(
      payWorld({ fault: onFirst(reqLost), lookupFault: () => ({ outage: true }) }),
      async (world) => {
        const process = await world.start({ isPaused: () => isPaused });
        void process.begin(invoice, { ...firstCall, waitMs: second });
        await world.advance(second);
        isPaused = true;
        await world.advance(2 * times.inFlight);
        const { id } = await only(world);
        await process.ledger.report(id, { source: 'webhook', claims: 'refusal', proven: true });
        expect((await only(world)).status).toBe('unknown');
        expect(states(await only(world))).toEqual(['in doubt']);
      },
    );
  });

  it('FW30 the provider says that it never had an effect for the key, too early → settles nothing', () =>
    inWorld(
      payWorld({ fault: () => reqLost, lookupFault: () => ({ outage: true }) }),
      async (world) => {
        const process = await world.start();
        void process.begin(invoice, firstCall);
        await world.advance(5 * second);
        const { id } = await only(world);
        const never = {
          source: 'support',
          claims: 'refusal',
          proven: true,
          neverHadEffect: true,
        } as const;
        await process.ledger.report(id, never);
        expect((await only(world)).status).toBe('unknown');
        expect(states(await only(world))).toEqual(['in doubt']);
      },
    ));

  it('FW30 the provider says so once nothing can arrive any more → settles all of them', () => {
    let isPaused = false;
    return inWorld(
      payWorld({
        fault: onFirst(reqLost),
        lookupFault: () => ({ outage: true }),
      }),
      async (world) => {
        const process = await world.start({ isPaused: () => isPaused });
        void process.begin(invoice, { ...firstCall, waitMs: second });
        await world.advance(5 * second);
        isPaused = true;
        await world.advance(times.inFlight + times.settle + second);
        const { id } = await only(world);
        const never = {
          source: 'support',
          claims: 'refusal',
          proven: true,
          neverHadEffect: true,
        } as const;
        await process.ledger.report(id, never);
        expect(states(await only(world))).toEqual(['no effect']);
        expect((await only(world)).status).toBe(guarantee === 'manual' ? 'failed' : 'ready');
        isPaused = false;
        await world.advance(aWhile);
        const answer = await process.call(invoice, laterCall);
        expect(answer.state).toBe('succeeded');
        expect(world.provider.effects()).toHaveLength(1);
      },
    );
  });
});
