// The provider forgets our key before the recovery: what was a safe repeat would now be a second effect.
import { describe, expect, it } from '@jest/globals';
import { ackLost, lookUpAt } from '@action-ledger/sandbox';
import {
  aWhile,
  day,
  firstCall,
  hour,
  invoice,
  laterCall,
  minute,
  onFirst,
  overEach,
  payBehaviour,
  payTool,
  second,
  times,
} from './pay.ts';
import { inWorld, type Process, type World, type WorldOptions } from './world.ts';

const skewMargin = 5 * minute;
/** Long valid, so that only the key's window can end a resend. */
const valid = { validFor: '30d' } as const;
const halfAnHour = { ...valid, keyWindow: '30min' } as const;

/** The effect is made, and its process dies before it hears of it. */
async function dieAfterTheEffect(world: World): Promise<void> {
  const process = await world.start({ diesAt: 'replied' });
  void process.begin(invoice, firstCall);
  await world.time.settle();
  expect(process.isDead()).toBe(true);
  expect(world.provider.effects()).toHaveLength(1);
}

async function expectNotSentAgain(world: World, process: Process): Promise<void> {
  const answer = await process.call(invoice, { ...laterCall, waitMs: hour });
  expect(answer).toMatchObject({ word: 'checking', state: 'unknown', owner: 'operator' });
  await world.advance(aWhile);
  expect(world.provider.arrivals).toHaveLength(1);
  expect((await world.action(answer.actionId)).attempts).toHaveLength(1);
}

/** The last moment at which a resend would still arrive within the window. */
const lastSafe = times.keyWindow - times.inFlight - skewMargin;

overEach(
  (payWorld) => {
    it('FW19 provider forgets our key before recovery → no blind send', () =>
      inWorld(payWorld({}, valid), async (world) => {
        await dieAfterTheEffect(world);
        await world.advance(times.keyWindow + hour);
        await expectNotSentAgain(world, await world.restart());
      }));

    it('FW19 the window would end while the request is under way → no blind send', () =>
      inWorld(payWorld({}, valid), async (world) => {
        await dieAfterTheEffect(world);
        // The wait for the lost attempt begins with the process and ends past the last safe moment.
        await world.advance(lastSafe - times.inFlight + second);
        await expectNotSentAgain(world, await world.restart());
      }));

    it('FW19 the window is still open, with every margin → sent again, and the provider remembers', () =>
      inWorld(payWorld({}, valid), async (world) => {
        await dieAfterTheEffect(world);
        await world.advance(lastSafe - times.inFlight - 10 * second);
        const process = await world.restart();
        const answer = await process.call(invoice, { ...laterCall, waitMs: hour });
        expect(answer).toMatchObject({ state: 'succeeded' });
        expect(world.provider.tally()).toMatchObject([{ requests: 2, effects: 1 }]);
      }));

    it('FW19 the window counts from the first dispatch, not from the last', () =>
      inWorld(
        payWorld({ fault: () => ackLost }, { ...halfAnHour, retry: { attempts: 50 } }),
        async (world) => {
          const process = await world.start();
          await process.call(invoice, { ...firstCall, waitMs: 2 * hour });
          const [first = 0, ...more] = world.provider.arrivals.map(({ monoMs }) => monoMs);
          expect(more.length).toBeGreaterThan(5);
          for (const at of more)
            expect(at - first).toBeLessThan(30 * minute - times.inFlight - skewMargin);
          expect((await world.actions())[0]).toMatchObject({
            status: 'unknown',
            watch: { owner: 'operator' },
          });
        },
      ));

    it('FW19 it was sent again in the window, and its process died each time → the window still counts from the first', () =>
      inWorld(payWorld({}, halfAnHour), async (world) => {
        await dieAfterTheEffect(world);
        await world.advance(15 * minute);
        const again = await world.restart({ diesAt: 'replied' });
        await world.advance(2 * times.inFlight);
        expect(again.isDead()).toBe(true);
        expect(world.provider.arrivals).toHaveLength(2);
        await world.advance(10 * minute);
        const last = await world.restart();
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(2);
        expect(await last.call(invoice, laterCall)).toMatchObject({ owner: 'operator' });
      }));

    it('FW19 sends are held back until the window is over → an operator, no blind send', () =>
      inWorld(payWorld({ fault: onFirst(ackLost) }, halfAnHour), async (world) => {
        let isPaused = false;
        const process = await world.start({ isPaused: () => isPaused });
        await process.call(invoice, { ...firstCall, waitMs: second });
        isPaused = true;
        await world.advance(30 * minute);
        isPaused = false;
        await expectNotSentAgain(world, process);
      }));

    it('FW19 the claim is made in the window, and the dispatch would be after it → no blind send', () => {
      let wake = (): void => undefined;
      const until = new Promise<void>((resolve) => {
        wake = resolve;
      });
      return inWorld(
        payWorld({ fault: onFirst(ackLost) }, { ...halfAnHour, leaseMs: day }),
        async (world) => {
          const isInDoubt = (): boolean => world.provider.arrivals.length > 0;
          const onPoint = (point: string): Promise<void> | undefined =>
            point === 'claimed' && isInDoubt() ? until : undefined;
          const process = await world.start({ onPoint });
          void process.begin(invoice, { ...firstCall, waitMs: second });
          await world.advance(2 * minute);
          expect((await world.actions())[0]?.status).toBe('claimed');
          await world.advance(30 * minute);
          wake();
          await world.advance(2 * hour);
          await expectNotSentAgain(world, process);
        },
      );
    });

    describe('with a lookup beside the key', () => {
      const withLookup = (world?: Partial<WorldOptions>): WorldOptions => ({
        ...payWorld(world),
        tools: (port) => [payTool(port, 'idempotent', { ...valid, lookup: lookUpAt(port) })],
        behaviour: () => payBehaviour('idempotent'),
      });

      it('FW19 after the window it is asked, never sent', () =>
        inWorld(withLookup(), async (world) => {
          await dieAfterTheEffect(world);
          await world.advance(times.keyWindow + hour);
          const process = await world.restart();
          const answer = await process.call(invoice, { ...laterCall, waitMs: hour });
          expect(answer).toMatchObject({ state: 'succeeded' });
          expect(world.provider.arrivals).toHaveLength(1);
        }));
    });
  },
  ['idempotent'],
);
