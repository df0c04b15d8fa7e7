// A request is held up on the way and lands after its sender has given up or died.
import { expect, it } from '@jest/globals';
import { lateArrival } from '@action-ledger/sandbox';
import { aWhile, firstCall, hour, invoice, onFirst, overEach, second, times } from './pay.ts';
import { inWorld, type World } from './world.ts';

/** In the last second in which a request can still arrive. */
const lateMs = times.inFlight - second;

const dispatchTimes = async (world: World): Promise<readonly number[]> =>
  (await world.actions()).flatMap(({ attempts }) => attempts.map((each) => each.dispatchedAt));

overEach((payWorld, guarantee) => {
  it('FW18 the request arrives late, after its sender died → no second dispatch before the in-flight bound', () =>
    inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
      const process = await world.start();
      void process.begin(invoice, firstCall);
      await world.advance(second);
      const next = await world.restart();
      const restartedAt = world.time.clock.wallMs();
      await world.advance(lateMs);
      expect(world.provider.effects()).toHaveLength(1);
      expect(await dispatchTimes(world)).toHaveLength(1);
      const answer = await next.call(invoice, { ...firstCall, waitMs: hour });
      expect(answer.state).toBe(guarantee === 'manual' ? 'unknown' : 'succeeded');
      for (const at of (await dispatchTimes(world)).slice(1))
        expect(at - restartedAt).toBeGreaterThanOrEqual(times.inFlight);
      expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
    }));

  it('FW18 its sender lives, and has heard that the connection broke → the same', () =>
    inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
      const process = await world.start();
      const answer = await process.call(invoice, { ...firstCall, waitMs: hour });
      expect(answer.state).toBe(guarantee === 'manual' ? 'unknown' : 'succeeded');
      await world.advance(times.inFlight);
      const [first = 0, ...more] = await dispatchTimes(world);
      for (const at of more) expect(at - first).toBeGreaterThanOrEqual(times.inFlight);
      expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
    }));

  it('FW18 each process that dies in the wait makes the next one wait in full', () =>
    inWorld(payWorld({ fault: onFirst(lateArrival(lateMs)) }), async (world) => {
      const process = await world.start();
      void process.begin(invoice, firstCall);
      for (let deaths = 0; deaths < 4; deaths += 1) {
        await world.advance(times.inFlight - 5 * second);
        expect(await dispatchTimes(world)).toHaveLength(1);
        await world.restart();
      }
      await world.advance(times.inFlight - 5 * second);
      expect(await dispatchTimes(world)).toHaveLength(1);
      await world.advance(aWhile);
      expect(world.provider.tally()).toMatchObject([{ effects: 1 }]);
    }));
});
