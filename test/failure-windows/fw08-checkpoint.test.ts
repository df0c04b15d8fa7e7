// FW08: a workflow is replayed from a checkpoint before a tool call, or run again after a crash. What its
// steps have done is answered from the record; a program that has changed is stopped before it sends.
import { describe, expect, it } from '@jest/globals';
import { type WritePoint } from '@action-ledger/client';
import { hour, minute } from './pay.ts';
import {
  book,
  bookAll,
  done,
  runTrip,
  toolOf,
  trip,
  tripWorld,
  untilDeath,
  workflowEvents,
  workflowOf,
} from './trip.ts';
import { adapters, inWorld } from './world.ts';

const patient = { ...trip, waitMs: hour };
const allBooked = ['book_flight', 'book_hotel', 'book_car'];

const deaths: readonly (readonly [WritePoint, number])[] = [
  ['workflow started', 1],
  ['step planned', 1],
  ['before plan', 1],
  ['dispatched', 1],
  ['sending', 2],
  ['replied', 2],
  ['outcome recorded', 2],
  ['step done', 2],
  ['step settled', 2],
  ['step planned', 3],
  ['step settled', 3],
  ['workflow ended', 1],
];

describe.each(adapters)('over %s', (store) => {
  it.each(deaths)(
    'FW08 killed at "%s" (%i), run again from its beginning → recorded outcomes, each step done once',
    (diesAt, nth) =>
      inWorld(tripWorld(store), async (world) => {
        await untilDeath(world, await world.start({ diesAt, nth }));
        const before = done(world);
        const { ledger } = await world.restart();
        const outcome = await runTrip(world, ledger, bookAll, patient);
        expect(outcome).toMatchObject({ status: 'completed', tenant: 'acme', name: 'trip-7' });
        expect(done(world)).toEqual(allBooked);
        expect(done(world).slice(0, before.length)).toEqual(before);
        const again = await runTrip(world, ledger, bookAll, patient);
        expect(again).toMatchObject({ word: 'already-done', repeat: true, result: outcome.result });
        expect(done(world)).toEqual(allBooked);
      }),
  );

  it('FW08 replayed from a checkpoint before a tool call, by another run and with a longer program → only what is new is done', () =>
    inWorld(tripWorld(store), async (world) => {
      const { ledger } = await world.start();
      // Its process ends after two steps: nobody completes it.
      void ledger.workflow(trip, async (step) => {
        await book(step, ledger, 'flight');
        await book(step, ledger, 'hotel');
        return new Promise(() => undefined);
      });
      await world.advance(minute);
      const next = await world.restart();
      const program = (): Promise<unknown> =>
        runTrip(world, next.ledger, bookAll, { ...patient, run: 'run-2' });
      expect(await program()).toMatchObject({ status: 'completed' });
      expect(done(world)).toEqual(allBooked);
      expect(
        (await workflowEvents(world)).filter((event) => event.startsWith('StepPlanned')),
      ).toHaveLength(3);
    }));

  it('FW08 two processes run it at once → each step is done once, both are told the same', () =>
    inWorld(tripWorld(store), async (world) => {
      const { ledger } = await world.start();
      const outcomes = await world.during(
        Promise.all([1, 2].map(() => ledger.workflow(trip, (step) => bookAll(step, ledger)))),
      );
      expect(done(world)).toEqual(allBooked);
      const [first, second] = outcomes;
      expect(first).toMatchObject({ status: 'completed' });
      expect(second?.result).toEqual(first?.result);
    }));

  it('FW08 other arguments on replay → a conflict that says what differs, nothing is sent', () =>
    inWorld(tripWorld(store), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'step settled', nth: 2 }));
      const { ledger } = await world.restart();
      const changed = await runTrip(world, ledger, async (step) => {
        await book(step, ledger, 'flight');
        const hotel = toolOf(ledger, 'book_hotel');
        return step('book hotel', hotel, { trip: 't-8' }, { compensate: 'impossible' });
      });
      expect(changed).toMatchObject({
        word: 'other-arguments',
        status: 'refused',
        code: 'workflow.differs',
        differs: [{ path: 'arguments.trip' }, { path: 'compensation' }],
      });
      expect(changed.messageForModel).toMatch(
        /^This key was used for different arguments \(.*differs: arguments\.trip, compensation\)\.$/,
      );
      expect(done(world)).toEqual(['book_flight', 'book_hotel']);
      expect(await runTrip(world, ledger)).toMatchObject({ status: 'completed' });
    }));

  it('FW08 a step that is renamed, left out or put between → a conflict, nothing is sent', () =>
    inWorld(tripWorld(store), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'step settled', nth: 2 }));
      const { ledger } = await world.restart();
      const renamed = await runTrip(world, ledger, async (step) => {
        await book(step, ledger, 'flight');
        return step(
          'reserve hotel',
          toolOf(ledger, 'book_hotel'),
          { trip: 't-7' },
          { compensate: 'not needed' },
        );
      });
      const left = await runTrip(world, ledger, (step) => book(step, ledger, 'flight'));
      for (const outcome of [renamed, left])
        expect(outcome).toMatchObject({
          code: 'workflow.differs',
          differs: [{ path: 'steps', note: expect.stringContaining('"book hotel" before') }],
        });
      expect(done(world)).toEqual(['book_flight', 'book_hotel']);
      expect(await workflowOf(world)).toMatchObject({ status: 'running' });
    }));

  it('FW08 branches that were recorded in another order than they are asked for again → go on', () =>
    inWorld(tripWorld(store), async (world) => {
      const branches =
        (ledger: Parameters<typeof bookAll>[1]) => async (step: Parameters<typeof bookAll>[0]) => {
          const late = async (): Promise<unknown> => {
            await book(step, ledger, 'flight');
            return book(step, ledger, 'car');
          };
          await Promise.all([late(), book(step, ledger, 'hotel')]);
        };
      const first = await world.start({ diesAt: 'step settled', nth: 2 });
      await untilDeath(world, first, branches(first.ledger));
      const { ledger } = await world.restart();
      expect(await runTrip(world, ledger, branches(ledger), patient)).toMatchObject({
        status: 'completed',
      });
      expect([...done(world)].sort()).toEqual([...allBooked].sort());
    }));

  it('FW08 its program does not come back → a person is told, once a day, and it goes on when it does', () =>
    inWorld(tripWorld(store), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'step settled', nth: 2 }));
      const next = await world.restart();
      await world.advance(23 * hour);
      expect(next.notices).toEqual([]);
      await world.advance(2 * hour);
      expect(next.notices).toMatchObject([{ kind: 'workflow needs a person' }]);
      expect(await workflowOf(world)).toMatchObject({
        status: 'running',
        watch: { owner: 'operator' },
      });
      await world.advance(24 * hour);
      expect(next.notices).toHaveLength(2);
      expect(await runTrip(world, next.ledger, bookAll, patient)).toMatchObject({
        status: 'completed',
      });
      expect(done(world)).toEqual(allBooked);
    }));
});
