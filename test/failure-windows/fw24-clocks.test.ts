// Clocks differ by minutes between one process and the next, jump back and forth, or stand still. The
// waits that guard a second dispatch are kept by the monotonic clock of whoever judges.
import { describe, expect, it } from '@jest/globals';
import { ackLost, lateArrival, reqLost, slow, tooManyRequests } from '@action-ledger/sandbox';
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
  second,
  times,
} from './pay.ts';
import { inWorld, type Process, type World } from './world.ts';

/** In the last second in which a request can still arrive. */
const lateMs = times.inFlight - second;

/** By the world's own time, which no process sees. */
const arrivals = ({ provider }: World): readonly number[] =>
  provider.arrivals.map(({ monoMs }) => monoMs);

/** The wall clock of the process alone. */
function jump({ runtime }: Process, byMs: number): void {
  runtime.setWall(runtime.clock.wallMs() + byMs);
}

async function expectTimeNeverGoesBack(world: World): Promise<void> {
  const events = await world.store().readAll({ after: 0, max: 10_000 });
  const at = events.map(({ metadata }) => (JSON.parse(metadata) as { at: number }).at);
  expect(at).toEqual([...at].sort((a, b) => a - b));
}

const aheads = [-10 * minute, -30 * second, 30 * second, 10 * minute, day] as const;

overEach((payWorld, guarantee) => {
  /** A resend is judged by a key's window as well, and not at all while the clock is behind. */
  const endsWithOperator = (aheadMs: number): boolean =>
    guarantee === 'manual' || (guarantee === 'idempotent' && (aheadMs < -minute || aheadMs >= day));

  describe.each(aheads)('the next process has its clock %d ms ahead', (wallAheadMs) => {
    it('FW24 clocks differ by minutes → the wait for a late request is not cut short', () =>
      inWorld(
        payWorld({ fault: onFirst(lateArrival(lateMs)) }, { validFor: '30d' }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, firstCall);
          await world.advance(second);
          const restartedAt = world.time.clock.monoMs();
          const next = await world.restart({ wallAheadMs });
          await world.advance(lateMs);
          expect(world.provider.arrivals).toHaveLength(1);
          await next.call(invoice, { ...laterCall, waitMs: minute });
          await world.advance(aWhile);
          const known = endsWithOperator(wallAheadMs) ? 'unknown' : 'succeeded';
          expect((await world.actions())[0]?.status).toBe(known);
          for (const at of arrivals(world).slice(1))
            expect(at - restartedAt).toBeGreaterThanOrEqual(times.inFlight);
          expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
          await expectTimeNeverGoesBack(world);
        },
      ));

    it('FW24 clocks differ by minutes → a request that was lost is sent again after the wait, not before', () =>
      inWorld(payWorld({}, { validFor: '30d' }), async (world) => {
        const process = await world.start({ diesAt: 'dispatched' });
        void process.begin(invoice, firstCall);
        await world.advance(second);
        const restartedAt = world.time.clock.monoMs();
        const next = await world.restart({ wallAheadMs });
        const answer = await next.call(invoice, { ...laterCall, waitMs: hour });
        expect(answer.state).toBe(endsWithOperator(wallAheadMs) ? 'unknown' : 'succeeded');
        const wait = guarantee === 'lookup' ? times.inFlight + times.settle : times.inFlight;
        for (const at of arrivals(world)) expect(at - restartedAt).toBeGreaterThanOrEqual(wait);
        await expectTimeNeverGoesBack(world);
      }));
  });

  const jumps = [
    { how: 'jumps ahead by an hour', steps: [hour] },
    { how: 'jumps back by an hour', steps: [-hour] },
    { how: 'jumps back and forth', steps: [hour, -2 * hour, 3 * hour, -hour] },
    {
      how: 'is set back by half a minute, again and again',
      steps: Array<number>(8).fill(-30 * second),
    },
  ];

  describe.each(jumps)('the clock $how', ({ steps }) => {
    it('FW24 clocks jump back and forth while a request may still arrive → no wait is cut short', () =>
      inWorld(
        payWorld({ fault: onFirst(lateArrival(lateMs)) }, { validFor: '30d' }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, { ...firstCall, waitMs: second });
          for (const step of steps) {
            await world.advance(5 * second);
            jump(process, step);
          }
          await world.advance(lateMs);
          await world.advance(aWhile);
          const [first = 0, ...more] = arrivals(world);
          for (const at of more) expect(at - first).toBeGreaterThanOrEqual(second);
          expect((await world.actions())[0]?.attempts.length).toBeLessThanOrEqual(2);
          expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
          await expectTimeNeverGoesBack(world);
        },
      ));

    it('FW24 … while an attempt runs → its lease ends no earlier for it, one dispatch', () =>
      inWorld(payWorld({ fault: () => slow(25 * second) }, { validFor: '30d' }), async (world) => {
        const process = await world.start();
        const answer = process.begin(invoice, { ...firstCall, waitMs: hour });
        for (const step of steps) {
          await world.advance(2 * second);
          jump(process, step);
        }
        expect(await world.during(answer)).toMatchObject({ word: 'done' });
        await world.advance(aWhile);
        expect(world.provider.arrivals).toHaveLength(1);
        await expectTimeNeverGoesBack(world);
      }));

    it('FW24 … in the undo window → a cancel still helps as long as was promised', () =>
      inWorld(payWorld({}, { undoWindow: '10min', validFor: '30d' }), async (world) => {
        const process = await world.start();
        void process.begin(invoice, { ...firstCall, waitMs: second });
        for (const step of steps) {
          await world.advance(second);
          jump(process, step);
        }
        // Another action makes the ledger look at what is due.
        await process.call({ ...invoice, invoice: '2026-115' }, { ...laterCall, waitMs: second });
        await world.advance(9 * minute - steps.length * second);
        expect(world.provider.arrivals).toHaveLength(0);
        const [action] = await world.actions();
        const actionId = action?.id ?? '';
        expect(action?.status).toBe('planned');
        const seen = { actionId, revisionSeen: action?.revision ?? -1 };
        const cancelled = await process.ledger.cancel({ ...seen, by: 'ada', reason: 'no' });
        expect(cancelled).toMatchObject({ kind: 'done', action: { status: 'cancelled' } });
      }));

    it('FW24 … before a retry that the provider put off → it is not asked earlier', () =>
      inWorld(
        payWorld({ fault: onFirst(tooManyRequests(10 * minute)) }, { validFor: '30d' }),
        async (world) => {
          const process = await world.start();
          void process.begin(invoice, { ...firstCall, waitMs: second });
          for (const step of steps) {
            await world.advance(second);
            jump(process, step);
          }
          await world.advance(aWhile);
          const [first = 0, again = 0] = arrivals(world);
          expect(again - first).toBeGreaterThanOrEqual(10 * minute);
          expect(world.provider.effects()).toHaveLength(1);
        },
      ));
  });

  it('FW24 a clock that went back does not make a vote last longer', () =>
    inWorld(payWorld({}, { approval: { expiresAfter: '10min' } }), async (world) => {
      const process = await world.start();
      const { actionId = '' } = await process.call(invoice, { ...firstCall, by: 'ada' });
      await world.advance(5 * minute);
      jump(process, -hour);
      await world.advance(6 * minute);
      const { status, argumentsHash } = await world.action(actionId);
      expect(status).toBe('expired');
      const late = { actionId, voter: 'olga', vote: 'approve', argumentsHash } as const;
      expect(await process.ledger.vote(late)).toMatchObject({ kind: 'refusal' });
      expect(world.provider.arrivals).toHaveLength(0);
    }));

  it('FW24 a clock that went back does not make old work young', () =>
    inWorld(payWorld({}, { approval: { expiresAfter: '2h' }, validFor: '1h' }), async (world) => {
      const process = await world.start();
      const { actionId = '' } = await process.call(invoice, { ...firstCall, by: 'ada' });
      await world.advance(59 * minute);
      jump(process, -3 * hour);
      await world.advance(2 * minute);
      expect((await world.action(actionId)).status).toBe('expired');
      expect(world.provider.arrivals).toHaveLength(0);
    }));
});

const halfAnHour = { keyWindow: '30min', validFor: '30d' } as const;

overEach(
  (payWorld) => {
    it.each([
      { how: 'stands still', stepMs: -10 * second },
      { how: 'runs at half speed', stepMs: -5 * second },
      { how: 'goes back all the time', stepMs: -20 * second },
    ])('FW24 a clock that $how → a key that the provider has forgotten is not sent', ({ stepMs }) =>
      inWorld(
        payWorld(
          { fault: onFirst(ackLost), behaviour: () => ({ keyWindowMs: 30 * minute }) },
          halfAnHour,
        ),
        async (world) => {
          let isPaused = false;
          const process = await world.start({ isPaused: () => isPaused });
          await process.call(invoice, { ...firstCall, waitMs: second });
          isPaused = true;
          for (let passed = 0; passed < 40 * minute; passed += 10 * second) {
            await world.advance(10 * second);
            jump(process, stepMs);
          }
          isPaused = false;
          await world.advance(10 * minute);
          expect(world.provider.arrivals).toHaveLength(1);
          expect((await world.actions())[0]).toMatchObject({
            status: 'unknown',
            watch: { owner: 'operator' },
          });
        },
      ),
    );

    it('FW24 a clock found behind what is on record → no blind send, whatever it says of the window', () =>
      inWorld(payWorld({ fault: onFirst(reqLost) }, halfAnHour), async (world) => {
        const process = await world.start({ diesAt: 'unknown recorded' });
        void process.begin(invoice, firstCall);
        await world.advance(second);
        const next = await world.restart({ wallAheadMs: -2 * minute });
        await next.call(invoice, { ...laterCall, waitMs: hour });
        expect(world.provider.arrivals).toHaveLength(0);
        expect((await world.actions())[0]).toMatchObject({
          status: 'unknown',
          watch: { owner: 'operator' },
        });
      }));
  },
  ['idempotent'],
);
