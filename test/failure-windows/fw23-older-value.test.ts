// An absolute write is followed by a newer one, while nobody knows what became of the older.
import { expect, it } from '@jest/globals';
import { ackLost, lateArrival, reqLost, timeout } from '@action-ledger/sandbox';
import {
  aWhile,
  firstCall,
  hour,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  second,
  times,
} from './pay.ts';
import { inWorld, type World } from './world.ts';

const newer = { ...invoice, cents: 50_000 };
const newest = { ...invoice, cents: 52_000 };
const thirdCall = { ...laterCall, turn: '3', call: 'call_3' };

function standing({ provider }: World): unknown {
  return provider.endState('acme', 'pay', JSON.stringify(invoice.invoice))?.arguments['cents'];
}

/** When each value was sent. */
function sent({ provider }: World): readonly (readonly [unknown, number])[] {
  return provider.arrivals.map(({ request, monoMs }) => [request.arguments['cents'], monoMs]);
}

const lateMs = times.inFlight - second;

overEach(
  (payWorld) => {
    it('FW23 an older absolute write lands after a newer one was proposed → the newer value stands', () =>
      inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
        const process = await world.start();
        const first = await process.call(invoice, { ...firstCall, waitMs: second });
        expect(first.word).toBe('checking');
        const second_ = await process.call(newer, { ...laterCall, waitMs: second });
        expect(second_).toMatchObject({ word: 'in-progress', state: 'ready', epoch: 1 });
        await world.advance(5 * minute);
        expect(standing(world)).toBe(newer.cents);
        expect(sent(world).map(([cents]) => cents)).toEqual([invoice.cents, newer.cents]);
        expect(sent(world)[1]?.[1]).toBeGreaterThanOrEqual(times.inFlight);
        expect((await world.action(first.actionId)).status).toBe('superseded');
        expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'done-earlier' });
        expect(await process.call(newer, laterCall)).toMatchObject({ word: 'already-done' });
      }));

    it('FW23 a newer one that ends without being sent takes nothing: the older is sent again', () =>
      inWorld(payWorld({ fault: onFirst(reqLost) }), async (world) => {
        const process = await world.start();
        const first = await process.call(invoice, { ...firstCall, waitMs: second });
        const { actionId = '' } = await process.call(newer, { ...laterCall, waitMs: second });
        const { revision } = await world.action(actionId);
        const by = { by: 'olga', reason: 'a mistake' };
        await process.ledger.cancel({ ...by, actionId, revisionSeen: revision });
        await world.advance(hour);
        expect((await world.action(actionId)).status).toBe('cancelled');
        expect((await world.action(first.actionId)).status).toBe('succeeded');
        expect(standing(world)).toBe(invoice.cents);
      }));

    it.each([
      { what: 'had its effect', fault: ackLost },
      { what: 'was lost on its way', fault: reqLost },
      { what: 'was never answered', fault: timeout({ commits: true }) },
    ])('FW23 the older one $what → it is not sent again after the newer', ({ fault }) =>
      inWorld(payWorld({ fault: onFirst(fault) }), async (world) => {
        const process = await world.start();
        await process.call(invoice, { ...firstCall, waitMs: second });
        const done = await process.call(newer, { ...laterCall, waitMs: hour });
        expect(done).toMatchObject({ word: 'done', epoch: 1 });
        await world.advance(aWhile);
        expect(standing(world)).toBe(newer.cents);
        expect(sent(world).at(-1)?.[0]).toBe(newer.cents);
        expect(sent(world).filter(([cents]) => cents === invoice.cents).length).toBeLessThanOrEqual(
          1,
        );
      }),
    );

    it('FW23 an older value is set again by an append that nobody heard of → what is set after that is sent', () =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        await process.call(invoice, firstCall);
        await process.call(newer, laterCall);
        let isAway = true;
        let wasTried = false;
        for (let n = 0; n < 100; n += 1) {
          process.script.onAppend({ kind: 'stored, error raised' }, () => {
            wasTried ||= isAway;
            return isAway;
          });
          process.script.onRead(undefined, () => isAway && wasTried);
        }
        const again = await process.call(invoice, { ...thirdCall, waitMs: second });
        expect(again).toMatchObject({ word: 'checking', code: 'ledger.store-uncertain' });
        isAway = false;
        await world.advance(aWhile);
        expect(standing(world)).toBe(invoice.cents);
        const fourthCall = { ...thirdCall, turn: '4', call: 'call_4' };
        expect(await process.call(newer, fourthCall)).toMatchObject({ word: 'done', epoch: 3 });
        expect(standing(world)).toBe(newer.cents);
      }));

    it('FW23 the newer one comes just as the older is due to be sent again → in one order or the other, the newer value stands', () =>
      inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
        const process = await world.start();
        void process.begin(invoice, firstCall);
        await world.advance(times.inFlight - 1);
        const answer = process.begin(newer, { ...laterCall, waitMs: hour });
        await world.advance(2);
        expect(await world.during(answer)).toMatchObject({ word: 'done' });
        await world.advance(aWhile);
        expect(standing(world)).toBe(newer.cents);
      }));

    it('FW23 the newer one comes while the older is being sent again → it waits for that', () =>
      inWorld(
        payWorld({ fault: ({ attempt }) => (attempt === 1 ? reqLost : { workMs: 20 * second }) }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(times.inFlight + second);
          expect((await world.actions())[0]?.status).toBe('dispatched');
          await process.call(newer, { ...laterCall, waitMs: hour });
          expect(standing(world)).toBe(newer.cents);
          expect(sent(world).map(([cents]) => cents)).toEqual([invoice.cents, newer.cents]);
        },
      ));

    it('FW23 killed with both open → the next process waits in full, and the newer value stands', () =>
      inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
        const process = await world.start();
        void process.begin(invoice, firstCall);
        await world.advance(second);
        void process.begin(newer, laterCall);
        await world.advance(second);
        const next = await world.restart();
        const restartedAt = world.time.clock.monoMs();
        expect(await next.call(newer, { ...laterCall, waitMs: hour })).toMatchObject({
          state: 'succeeded',
        });
        expect(sent(world).map(([cents]) => cents)).toEqual([invoice.cents, newer.cents]);
        expect((sent(world)[1]?.[1] ?? 0) - restartedAt).toBeGreaterThanOrEqual(times.inFlight);
        expect(standing(world)).toBe(newer.cents);
      }));

    it('FW23 two newer ones wait → the one in between is never sent, the newest stands', () =>
      inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
        const process = await world.start();
        await process.call(invoice, { ...firstCall, waitMs: second });
        await process.call(newer, { ...laterCall, waitMs: second });
        const last = await process.call(newest, { ...thirdCall, waitMs: hour });
        expect(last).toMatchObject({ word: 'done', epoch: 2 });
        await world.advance(aWhile);
        expect(standing(world)).toBe(newest.cents);
        expect(sent(world).map(([cents]) => cents)).not.toContain(newer.cents);
        const between = await process.call(newer, laterCall);
        expect(between).toMatchObject({ actionId: last.actionId, word: 'done-earlier' });
      }));

    it('FW23 set, changed, set back → three writes, and the last one stands', () =>
      inWorld(payWorld(), async (world) => {
        const process = await world.start();
        await process.call(invoice, firstCall);
        await process.call(newer, laterCall);
        expect(await process.call(invoice, thirdCall)).toMatchObject({ word: 'done', epoch: 2 });
        expect(sent(world).map(([cents]) => cents)).toEqual([
          invoice.cents,
          newer.cents,
          invoice.cents,
        ]);
        expect(standing(world)).toBe(invoice.cents);
        expect(await process.call(newer, laterCall)).toMatchObject({ word: 'done-earlier' });
        expect(world.provider.arrivals).toHaveLength(3);
      }));

    it('FW23 an older one that ended superseded is proven done later → told, and the newer value stands', () =>
      inWorld(payWorld({ fault: onFirst(ackLost) }), async (world) => {
        const process = await world.start();
        const first = await process.call(invoice, { ...firstCall, waitMs: second });
        await process.call(newer, { ...laterCall, waitMs: hour });
        const [effect] = world.provider.effects();
        await process.ledger.report(first.actionId ?? '', {
          source: 'webhook',
          claims: 'success',
          proven: true,
          externalId: effect?.id ?? '',
        });
        await world.advance(aWhile);
        expect(standing(world)).toBe(newer.cents);
        expect(await process.call(newer, laterCall)).toMatchObject({ word: 'already-done' });
        expect(await process.call(invoice, firstCall)).toMatchObject({ word: 'done-earlier' });
        expect(world.provider.arrivals).toHaveLength(2);
      }));
  },
  ['natural'],
);
