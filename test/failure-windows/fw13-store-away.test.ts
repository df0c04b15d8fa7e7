// The store cannot be written when there is an outcome to write, or before there is anything.
import { expect, it } from '@jest/globals';
import { declined, slow } from '@action-ledger/sandbox';
import { firstCall, hour, invoice, laterCall, minute, overEach, second, times } from './pay.ts';
import { inWorld } from './world.ts';

overEach((payWorld, guarantee) => {
  const awayMs = [10 * second, times.lease + 5 * minute];

  it.each(awayMs)(
    'FW13 the store is down for %d ms when the outcome is ready → outcome recorded when it is back; no second effect',
    (downMs) =>
      inWorld(payWorld({ fault: () => slow(5 * second) }), async (world) => {
        const process = await world.start();
        const waiting = process.begin(invoice, { ...firstCall, waitMs: hour });
        await world.advance(second);
        process.outage('appends');
        await world.advance(downMs);
        expect(world.provider.effects()).toHaveLength(1);
        const told = await world.during(waiting);
        expect(told).toMatchObject({ word: 'in-progress', state: 'dispatched' });
        const asked = await process.call(invoice, { ...laterCall, waitMs: minute });
        expect(asked).toMatchObject({ word: 'in-progress', state: 'dispatched', repeat: true });
        process.outage('none');
        await world.advance(minute);
        expect(await process.call(invoice, firstCall)).toMatchObject({
          word: 'already-done',
          externalId: world.provider.effects()[0]?.id,
        });
        const types = (await world.events(told.actionId)).map(({ type }) => type);
        expect(types.filter((type) => type === 'ActionSucceeded')).toHaveLength(1);
        expect(types).not.toContain('ActionOutcomeUnknown');
        expect(world.provider.arrivals).toHaveLength(1);
      }),
  );

  it('FW13 the store can be neither read nor written when the outcome is ready → the same', () =>
    inWorld(payWorld({ fault: () => slow(5 * second) }), async (world) => {
      const process = await world.start();
      const waiting = process.begin(invoice, { ...firstCall, waitMs: hour });
      await world.advance(second);
      process.outage('all');
      await world.advance(5 * minute);
      process.outage('none');
      await world.advance(minute);
      await waiting;
      expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'already-done' });
      expect(world.provider.arrivals).toHaveLength(1);
    }));

  it('FW13 killed while the store is down → the effect is found by the next process', () =>
    inWorld(payWorld({ fault: () => slow(5 * second) }), async (world) => {
      const process = await world.start();
      void process.begin(invoice, firstCall);
      await world.advance(second);
      process.outage('appends');
      await world.advance(minute);
      const next = await world.restart();
      const answer = await next.call(invoice, { ...firstCall, waitMs: hour });
      const known = guarantee === 'manual' ? 'unknown' : 'succeeded';
      expect(answer.state).toBe(known);
      expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
    }));

  it.each([
    { when: 'within its lease', outageMs: 20 * second },
    { when: 'long after its lease', outageMs: 10 * minute },
  ])(
    'FW13 a refusal that is ready while the store is down, which is back $when → recorded, never a guess',
    ({ outageMs }) =>
      inWorld(
        payWorld({ fault: () => ({ ...declined('no such account'), replyAfterMs: 5 * second }) }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(second);
          process.outage('appends');
          await world.advance(outageMs);
          process.outage('none');
          await world.advance(minute);
          const isTakenOver = world.shape === 'services' && outageMs > times.lease;
          const answer = await process.call(invoice, firstCall);
          if (isTakenOver && guarantee !== 'lookup') {
            // Whoever reconciles elsewhere may come first, and takes the attempt for lost.
            expect(answer).toMatchObject({ word: 'checking', state: 'unknown' });
            const { evidence } = await world.action(answer.actionId);
            expect(evidence).toMatchObject([{ source: 'attempt 1', claims: 'refusal' }]);
          } else {
            expect(answer).toMatchObject({ word: 'failed-without-effect', state: 'failed' });
          }
          expect(world.provider.effects()).toHaveLength(0);
        },
      ),
  );

  it.each(['appends', 'all'] as const)(
    'FW13 the store is down (%s) before anything is recorded → refused, nothing bound, nothing sent; then it goes on',
    (what) =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        process.outage(what);
        const refused = await process.call(invoice, firstCall);
        expect(refused).toMatchObject({ state: 'refused', code: 'ledger.store-unavailable' });
        expect(refused.reason).toContain('Nothing was recorded');
        process.outage('none');
        expect(await world.actions()).toEqual([]);
        await world.advance(minute);
        expect(world.provider.arrivals).toHaveLength(0);
        const other = { ...invoice, cents: 1 };
        expect(await process.call(other, firstCall)).toMatchObject({ word: 'done', epoch: 0 });
      }),
  );

  it('FW13 a repeat while the store can be neither read nor written is never told that nothing was done', () =>
    inWorld(payWorld(), async (world) => {
      const process = await world.start();
      expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'done' });
      const next = await world.restart();
      next.outage('all');
      const answer = await next.call(invoice, firstCall);
      expect(answer).toMatchObject({
        word: 'checking',
        state: 'refused',
        code: 'ledger.store-unavailable',
      });
      next.outage('none');
      expect(await next.call(invoice, firstCall)).toMatchObject({ word: 'already-done' });
      expect(world.provider.arrivals).toHaveLength(1);
    }));
});
