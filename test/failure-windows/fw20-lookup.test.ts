// The lookup is no oracle: it lags behind the write, is down itself, or finds what is not ours.
import { describe, expect, it } from '@jest/globals';
import { ackLost, lateArrival, reqLost } from '@action-ledger/sandbox';
import {
  aWhile,
  firstCall,
  hour,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  payBehaviour,
  second,
  times,
} from './pay.ts';
import { inWorld, type World } from './world.ts';

const patient = { ...firstCall, waitMs: hour };

/** Of the action, or of the only one. */
async function verdicts(world: World, actionId?: string): Promise<readonly string[]> {
  const [only] = await world.actions();
  return (await world.events(actionId ?? only?.id)).flatMap((event) =>
    event.type === 'ReconciliationChecked' || event.type === 'ActionReconciled'
      ? [event.data.verdict]
      : [],
  );
}

overEach(
  (payWorld) => {
    it('FW20 lookup lags behind the write → not taken for absent', () =>
      inWorld(
        payWorld({
          fault: onFirst(ackLost),
          behaviour: () => ({ lookupLagMs: times.settle - second }),
        }),
        async (world) => {
          const process = await world.start();
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
          expect(await verdicts(world)).toEqual(['absent', 'found']);
          expect(world.provider.arrivals).toHaveLength(1);
        },
      ));

    it('FW20 the request lands at the last moment, and the lookup lags as long as it may → not taken for absent', () =>
      inWorld(
        payWorld({
          fault: onFirst(lateArrival(times.inFlight - second)),
          behaviour: () => ({ lookupLagMs: times.settle }),
        }),
        async (world) => {
          const process = await world.start();
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
          expect((await verdicts(world)).at(-1)).toBe('found');
          expect(world.provider.arrivals).toHaveLength(1);
        },
      ));

    it('FW20 a lookup that was sent too early and answers late → not taken for absent', () =>
      inWorld(
        payWorld(
          {
            fault: onFirst(lateArrival(times.inFlight - second)),
            // Asked at once, before the request lands; answered when absence could be believed.
            lookupFault: onFirst({ afterMs: times.inFlight + times.settle + 5 * second }),
          },
          { timeoutMs: 2 * minute, inFlightMs: 2 * minute },
        ),
        async (world) => {
          const process = await world.start();
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
          expect(await verdicts(world)).toEqual(['absent', 'found']);
          expect(world.provider.arrivals).toHaveLength(1);
        },
      ));

    it('FW20 lookup is itself down → not taken for absent, asked again, and an operator is told in the end', () =>
      inWorld(
        payWorld({ fault: onFirst(ackLost), lookupFault: () => ({ outage: true }) }),
        async (world) => {
          const process = await world.start({ sweepMs: minute });
          const answer = await process.call(invoice, { ...firstCall, waitMs: minute });
          expect(answer).toMatchObject({ word: 'checking', owner: 'reconciler' });
          await world.advance(8 * hour);
          const action = await world.action(answer.actionId);
          expect(action).toMatchObject({ status: 'unknown', watch: { owner: 'operator' } });
          expect(new Set(await verdicts(world))).toEqual(new Set(['error']));
          expect(process.notices.map(({ kind }) => kind)).toContain('unknown escalated');
          expect(world.provider.arrivals).toHaveLength(1);
        },
      ));

    it('FW20 lookup is down for an hour and comes back → found', () => {
      let isDown = true;
      return inWorld(
        payWorld({ fault: onFirst(ackLost), lookupFault: () => ({ outage: isDown }) }),
        async (world) => {
          const process = await world.start();
          await process.call(invoice, { ...firstCall, waitMs: minute });
          await world.advance(aWhile);
          isDown = false;
          expect(await process.call(invoice, { ...laterCall, waitMs: 3 * hour })).toMatchObject({
            state: 'succeeded',
          });
          expect(world.provider.arrivals).toHaveLength(1);
        },
      );
    });

    it('FW20 lookup hangs → given up at the deadline, not taken for absent', () =>
      inWorld(
        payWorld({ fault: onFirst(reqLost), lookupFault: onFirst({ afterMs: 24 * hour }) }),
        async (world) => {
          const process = await world.start();
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'done' });
          expect((await verdicts(world))[0]).toBe('error');
          expect(world.provider.effects()).toHaveLength(1);
        },
      ));

    describe('another action of the same tool has been done', () => {
      const other = { ...invoice, invoice: '2026-115' };

      it("FW20 lookup finds another action's effect → not taken for found, nor for absent", () =>
        inWorld(
          payWorld({
            fault: ({ arguments: args }) =>
              args['invoice'] === other.invoice ? undefined : ackLost,
            lookupFault: () => ({ wrongOwner: true }),
          }),
          async (world) => {
            const process = await world.start();
            const done = await process.call(other, firstCall);
            const answer = await process.call(invoice, { ...laterCall, waitMs: 10 * minute });
            expect(answer).toMatchObject({ word: 'checking', state: 'unknown' });
            expect(answer.externalId).not.toBe(done.externalId);
            expect(new Set(await verdicts(world, answer.actionId))).toEqual(new Set(['ambiguous']));
            expect(world.provider.arrivals).toHaveLength(2);
          },
        ));

      it('FW20 the owner of what was found is known after a restart as well', () =>
        inWorld(
          payWorld({
            fault: ({ arguments: args }) =>
              args['invoice'] === other.invoice ? undefined : ackLost,
            lookupFault: () => ({ wrongOwner: true }),
          }),
          async (world) => {
            await (await world.start()).call(other, firstCall);
            const next = await world.restart();
            const answer = await next.call(invoice, { ...laterCall, waitMs: 10 * minute });
            expect(answer).toMatchObject({ word: 'checking', state: 'unknown' });
          },
        ));
    });

    it('FW20 a verdict that was asked for before something else was recorded is thrown away', () =>
      inWorld(
        payWorld({
          fault: onFirst(lateArrival(times.inFlight - second)),
          lookupFault: () => ({ afterMs: 10 * second }),
          behaviour: () => payBehaviour('lookup'),
        }),
        async (world) => {
          const process = await world.start();
          const answer = await process.call(invoice, { ...firstCall, waitMs: second });
          // While each lookup is under way, a note comes in.
          for (let n = 0; n < 20; n += 1) {
            await world.advance(7 * second);
            await process.ledger.report(answer.actionId ?? '', {
              source: 'webhook',
              claims: 'note',
              proven: false,
              data: n,
            });
          }
          expect(await verdicts(world)).toEqual([]);
          await world.advance(5 * minute);
          expect(await process.call(invoice, patient)).toMatchObject({ word: 'already-done' });
          expect(world.provider.arrivals).toHaveLength(1);
        },
      ));
  },
  ['lookup'],
);
