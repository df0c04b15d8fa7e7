// The third step of a workflow fails: what was done before is undone once each, in reverse order, by
// actions of their own. FW09, with the death of the process at every point of it.
import { describe, expect, it } from '@jest/globals';
import { declined } from '@action-ledger/sandbox';
import { done, runTrip, tripWorld } from './trip.ts';
import { adapters, inWorld, type WorldOptions } from './world.ts';

describe.each(adapters)('over %s', (store) => {
  const withoutCars = (): WorldOptions =>
    tripWorld(store, {
      fault: ({ tool }) => (tool === 'book_car' ? declined('no cars') : undefined),
    });

  it('FW09 third step fails → the finished steps are compensated once each, in reverse, auditable', () =>
    inWorld(withoutCars(), async (world) => {
      const { ledger } = await world.start();
      const outcome = await runTrip(world, ledger);
      expect(done(world)).toEqual(['book_flight', 'book_hotel', 'cancel_hotel', 'cancel_flight']);
      expect(outcome).toMatchObject({
        status: 'compensated',
        word: 'failed-without-effect',
        standing: [],
      });
    }));
});
