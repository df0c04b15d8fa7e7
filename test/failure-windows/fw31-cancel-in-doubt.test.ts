// Somebody cancels while nobody knows whether it was done: the wish is kept, and nothing is sent after
// it. What was done is told as done.
import { describe, expect, it } from '@jest/globals';
import { ackLost, declined, reqLost, slow, tooManyRequests } from '@action-ledger/sandbox';
import {
  aWhile,
  firstCall,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  second,
  times,
} from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

const wish = { by: 'ada', reason: 'a mistake' };

async function cancel(process: Process, world: World): Promise<string> {
  const [action] = await world.actions();
  const actionId = action?.id ?? '';
  expect(
    await process.ledger.cancel({ ...wish, actionId, revisionSeen: action?.revision ?? -1 }),
  ).toMatchObject({ kind: 'done' });
  return actionId;
}

overEach((payWorld, guarantee) => {
  describe.each([
    { what: 'it had its effect', fault: ackLost },
    { what: 'it had none', fault: reqLost },
  ])('$what', ({ fault }) => {
    it('FW31 a cancel while the outcome is in doubt → nothing is sent after it', () =>
      inWorld(
        payWorld({ fault: onFirst(fault), lookupFault: onFirst({ outage: true }) }),
        async (world) => {
          const process = await world.start();
          const first = await process.call(invoice, { ...firstCall, waitMs: 1 });
          expect(first.word).toBe('checking');
          const actionId = await cancel(process, world);
          expect((await world.action(actionId)).cancelRequested).toMatchObject({ person: true });
          const sent = world.provider.arrivals.length;
          await world.advance(aWhile);
          expect(world.provider.arrivals).toHaveLength(sent);
          const action = await world.action(actionId);
          expect(action.attempts).toHaveLength(1);
          if (guarantee !== 'lookup') {
            expect(action).toMatchObject({ status: 'unknown', watch: { owner: 'operator' } });
            return;
          }
          const done = fault === ackLost;
          expect(action.status).toBe(done ? 'succeeded' : 'cancelled');
          // By a person's wish: it stands for new calls as well.
          expect(await process.call(invoice, laterCall)).toMatchObject({
            word: done ? 'already-done' : 'nothing-done',
          });
        },
      ));

    it('FW31 the same, and the process dies after the cancel → the next one keeps the wish', () =>
      inWorld(
        payWorld({ fault: onFirst(fault), lookupFault: onFirst({ outage: true }) }),
        async (world) => {
          const process = await world.start();
          await process.call(invoice, { ...firstCall, waitMs: 1 });
          const actionId = await cancel(process, world);
          const sent = world.provider.arrivals.length;
          await world.restart();
          await world.advance(aWhile);
          expect(world.provider.arrivals).toHaveLength(sent);
          expect((await world.action(actionId)).attempts).toHaveLength(1);
        },
      ));
  });

  it('FW31 a cancel while the attempt runs, which then succeeds → done, and told so', () =>
    inWorld(payWorld({ fault: () => slow(10 * second) }), async (world) => {
      const process = await world.start();
      const answer = process.begin(invoice, firstCall);
      await world.advance(second);
      await cancel(process, world);
      expect(await world.during(answer)).toMatchObject({ word: 'done', state: 'succeeded' });
    }));

  it.each([
    { how: 'refused for good', fault: { ...declined('no'), workMs: 10 * second } },
    { how: 'put off', fault: { ...tooManyRequests(second), workMs: 10 * second } },
  ])(
    'FW31 a cancel while the attempt runs, which is then $how → cancelled, nothing sent',
    ({ fault }) =>
      inWorld(payWorld({ fault: () => fault }), async (world) => {
        const process = await world.start();
        const answer = process.begin(invoice, firstCall);
        await world.advance(second);
        const actionId = await cancel(process, world);
        expect(await world.during(answer)).toMatchObject({
          word: 'nothing-done',
          state: 'cancelled',
        });
        await world.advance(aWhile);
        expect(await world.action(actionId)).toMatchObject({ ending: { stands: true } });
        expect(world.provider.arrivals).toHaveLength(1);
      }),
  );
});

overEach(
  (payWorld) => {
    it('FW31 a cancel between the claim to send again and its dispatch → not sent', () => {
      let wake = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        wake = resolve;
      });
      return inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
        const isInDoubt = (): boolean => world.provider.arrivals.length > 0;
        const onPoint = (point: string): Promise<void> | undefined =>
          point === 'claimed' && isInDoubt() ? until : undefined;
        const process = await world.start({ onPoint });
        void process.begin(invoice, firstCall);
        await world.advance(times.inFlight + second);
        expect((await world.actions())[0]?.status).toBe('claimed');
        const actionId = await cancel(process, world);
        wake();
        await world.advance(aWhile);
        expect(await world.action(actionId)).toMatchObject({
          status: 'unknown',
          watch: { owner: 'operator' },
        });
        expect(world.provider.arrivals).toHaveLength(1);
      });
    });

    it('FW31 a cancel while it is being sent again → no third time', () =>
      inWorld(
        payWorld({
          fault: ({ attempt }) => ({ ...ackLost, replyAfterMs: attempt === 1 ? 0 : 10 * second }),
        }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(times.inFlight + 2 * second);
          expect((await world.actions())[0]?.status).toBe('dispatched');
          const actionId = await cancel(process, world);
          await world.advance(aWhile);
          const action = await world.action(actionId);
          expect(action.attempts).toHaveLength(2);
          expect(['unknown', 'succeeded']).toContain(action.status);
        },
      ));
  },
  ['idempotent', 'natural'],
);

overEach(
  (payWorld) => {
    it('FW31 a cancel while the lookup is under way, which finds nothing → cancelled, not sent again', () =>
      inWorld(
        payWorld({ fault: onFirst(reqLost), lookupFault: () => ({ afterMs: 10 * second }) }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(times.inFlight + times.settle + 5 * second);
          const actionId = await cancel(process, world);
          await world.advance(10 * minute);
          expect((await world.action(actionId)).status).toBe('cancelled');
          expect(world.provider.arrivals).toHaveLength(0);
        },
      ));
  },
  ['lookup'],
);
