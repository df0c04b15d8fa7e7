// The model calls again in a later turn, with a new call id and other words, because it does not
// remember or did not understand.
import { expect, it } from '@jest/globals';
import { type ActionEvent } from '@action-ledger/domain';
import { ackLost, slow } from '@action-ledger/sandbox';
import { day, firstCall, hour, invoice, laterCall, overEach, second } from './pay.ts';
import { inWorld } from './world.ts';

const reworded = { ...invoice, note: 'please, once more' };

overEach((payWorld, guarantee) => {
  it('FW17 the model calls again in a later turn with a new call id → "already done"', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start({ sweepMs: hour });
      const first = await process.call({ ...invoice, note: 'as agreed' }, firstCall);
      expect(first.word).toBe('done');
      for (const call of [
        laterCall,
        { ...laterCall, turn: '3', call: 'call_3' },
        { run: 'run-1' },
      ]) {
        const answer = await process.call(reworded, call);
        expect(answer).toMatchObject({
          word: 'already-done',
          repeat: true,
          actionId: first.actionId,
          result: first.result,
          settledAt: first.settledAt,
        });
        expect(answer.messageForModel).toMatch(/^Already done earlier \(at 20/);
      }
      await world.advance(2 * day);
      expect(await process.call(reworded, { ...laterCall, turn: '9' })).toMatchObject({
        word: 'already-done',
      });
      expect(await world.actions()).toHaveLength(1);
      // The first wording wins.
      expect((await world.action(first.actionId)).arguments).toMatchObject({ note: 'as agreed' });
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW17 it calls again after a restart → "already done"', () =>
    inWorld(payWorld(), async (world) => {
      const first = await (await world.start()).call(invoice, firstCall);
      const next = await world.restart();
      expect(await next.call(reworded, laterCall)).toMatchObject({
        word: 'already-done',
        externalId: first.externalId,
      });
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW17 it calls again while the first call still runs → gets its outcome', () =>
    inWorld(payWorld({ fault: () => slow(10 * second) }), async (world) => {
      const process = await world.start();
      const first = process.begin(invoice, firstCall);
      await world.advance(second);
      expect(await process.call(reworded, { ...laterCall, waitMs: second })).toMatchObject({
        word: 'in-progress',
      });
      const again = await process.call(reworded, { ...laterCall, call: 'call_3' });
      expect(again).toMatchObject({ word: 'already-done', repeat: true });
      expect((await first).externalId).toBe(again.externalId);
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW17 it calls again while nobody knows the outcome → "being checked", nothing sent for it', () =>
    inWorld(
      payWorld({ fault: () => ackLost, lookupFault: () => ({ outage: true }) }),
      async (world) => {
        const process = await world.start();
        await process.call(invoice, { ...firstCall, waitMs: second });
        const again = await process.call(reworded, { ...laterCall, waitMs: second });
        expect(again).toMatchObject({ word: 'checking', state: 'unknown', repeat: true });
        expect(world.provider.arrivals).toHaveLength(1);
      },
    ));

  it('FW17 two calls that differ in what is paid are two actions, or one with another value', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      await process.call(invoice, firstCall);
      const other = await process.call({ ...invoice, cents: 1 }, laterCall);
      expect(other.word).toBe(guarantee === 'natural' ? 'done' : 'other-arguments');
      const elsewhere = await process.call({ ...invoice, invoice: '2026-115' }, laterCall);
      expect(elsewhere).toMatchObject({ word: 'done', epoch: 0 });
    }));
});

const joined: ActionEvent['type'] = 'CallJoined';

overEach(
  (payWorld) => {
    it('FW17 a call that joined is known as a redelivery after the value has moved on', () =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        const first = await process.call(invoice, firstCall);
        await process.call(invoice, laterCall);
        expect((await world.events(first.actionId)).map(({ type }) => type)).toContain(joined);
        await process.call({ ...invoice, cents: 1 }, { ...laterCall, call: 'call_3' });
        const next = await world.restart();
        expect(await next.call(invoice, laterCall)).toMatchObject({
          word: 'done-earlier',
          epoch: 0,
        });
        expect(await next.call(invoice, { ...laterCall, call: 'call_4' })).toMatchObject({
          word: 'done',
          epoch: 2,
        });
        const [entity] = world.provider.effects().slice(-1);
        expect(entity?.arguments).toMatchObject({ cents: invoice.cents });
      }));
  },
  ['natural'],
);
