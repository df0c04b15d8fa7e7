// FW09: the third step of a workflow fails. What was done before is undone once each, in reverse order, by
// actions of their own, wherever the process dies, and whether or not its program comes back.
import { describe, expect, it } from '@jest/globals';
import { type WritePoint } from '@action-ledger/client';
import { declined, type Fault, slow } from '@action-ledger/sandbox';
import { hour, minute, second } from './pay.ts';
import {
  book,
  done,
  expectUndoneInReverse,
  parts,
  runTrip,
  trip,
  tripWorld,
  untilDeath,
  workflowEvents,
  workflowOf,
} from './trip.ts';
import { adapters, inWorld, type World, type WorldOptions } from './world.ts';

const noCars = ({ tool }: { readonly tool: string }): Fault | undefined =>
  tool === 'book_car' ? declined('no cars') : undefined;

/** Where the process of the program can die, and for the how manieth time it passes there. */
const deaths: readonly (readonly [WritePoint, number])[] = [
  ['step settled', 2],
  ['step planned', 3],
  ['dispatched', 3],
  ['replied', 3],
  ['outcome recorded', 3],
  ['step done', 3],
  ['step settled', 3],
  ['compensation planned', 1],
  ['compensation created', 1],
  ['claimed', 1],
  ['dispatched', 4],
  ['sending', 4],
  ['replied', 4],
  ['outcome recorded', 4],
  ['compensation recorded', 1],
  ['compensation planned', 2],
  ['compensation created', 2],
  ['replied', 5],
  ['outcome recorded', 5],
  ['compensation recorded', 2],
];

/** Services claim a booking too by an append of its own. */
function nthIn({ shape }: World, diesAt: WritePoint, nth: number): number {
  return shape === 'services' && diesAt === 'claimed' ? nth + parts.length : nth;
}

async function expectCompensated(world: World): Promise<void> {
  expectUndoneInReverse(world, ['flight', 'hotel']);
  const { status, standing, steps } = await workflowOf(world);
  expect({ status, standing }).toEqual({ status: 'compensated', standing: [] });
  for (const { settled, compensated } of steps.slice(0, 2)) {
    const original = await world.action(settled?.action);
    expect(original).toMatchObject({ status: 'compensated', compensatedBy: compensated?.by });
    const undo = await world.action(compensated?.by);
    expect(undo).toMatchObject({ status: 'succeeded', compensates: original.id });
  }
}

describe.each(adapters)('over %s', (store) => {
  const withoutCars = (): WorldOptions => tripWorld(store, { fault: noCars });

  it('FW09 third step fails → the finished steps are compensated once each, in reverse, auditable', () =>
    inWorld(withoutCars(), async (world) => {
      const { ledger } = await world.start();
      const outcome = await runTrip(world, ledger);
      expect(outcome).toMatchObject({
        status: 'compensated',
        word: 'failed-without-effect',
        repeat: false,
        standing: [],
        reason: 'step "book car" ended without effect: failed: no cars',
      });
      expect(outcome.messageForModel).toBe(
        'Failed without effect, you may change it and try again (step "book car" ended without effect: failed: no cars; undone: "book hotel", "book flight").',
      );
      await expectCompensated(world);
      expect(await workflowEvents(world)).toEqual([
        'WorkflowStarted',
        'StepPlanned book flight',
        'StepSettled book flight succeeded',
        'StepPlanned book hotel',
        'StepSettled book hotel succeeded',
        'StepPlanned book car',
        'StepSettled book car without effect',
        'CompensationStarted',
        'StepCompensated book hotel compensated',
        'StepCompensated book flight compensated',
        'WorkflowEnded compensated',
      ]);
      expect(await runTrip(world, ledger)).toMatchObject({ status: 'compensated', repeat: true });
      expect(done(world)).toHaveLength(4);
    }));

  it.each(deaths)(
    'FW09 killed at "%s" (%i) → its program comes back, undone once each',
    (diesAt, nth) =>
      inWorld(withoutCars(), async (world) => {
        await untilDeath(world, await world.start({ diesAt, nth: nthIn(world, diesAt, nth) }));
        const { ledger } = await world.restart();
        const outcome = await runTrip(world, ledger, undefined, { ...trip, waitMs: hour });
        expect(outcome).toMatchObject({ status: 'compensated', word: 'failed-without-effect' });
        await expectCompensated(world);
      }),
  );

  it.each(deaths.slice(1))(
    'FW09 killed at "%s" (%i), and its program never comes back → undone all the same',
    (diesAt, nth) =>
      inWorld(withoutCars(), async (world) => {
        await untilDeath(world, await world.start({ diesAt, nth: nthIn(world, diesAt, nth) }));
        await world.restart();
        await world.advance(10 * minute);
        await expectCompensated(world);
      }),
  );

  it('FW09 killed again at each point on the way back → undone once each in the end', () =>
    inWorld(tripWorld(store, { fault: noCars }), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'step settled', nth: 3 }));
      for (const [diesAt] of deaths) {
        await world.restart({ diesAt });
        await world.advance(3 * minute);
      }
      await world.restart();
      await world.advance(10 * minute);
      await expectCompensated(world);
    }));

  it('FW09 undone by a person while a step is recorded and its action is not → that is never sent', () =>
    inWorld(tripWorld(store), async (world) => {
      await untilDeath(world, await world.start({ diesAt: 'step planned', nth: 3 }));
      // Nothing can be created: the half stays half until the person comes.
      const { ledger } = await world.restart({ isPaused: () => true });
      await world.advance(minute);
      const { revision } = await workflowOf(world);
      const asked = { by: 'olga', reason: 'enough', revisionSeen: revision };
      await ledger.workflows.compensate('trip-7', asked);
      await world.advance(minute);
      const next = await world.restart();
      await world.advance(minute);
      expectUndoneInReverse(world, ['flight', 'hotel']);
      const { status, steps } = await workflowOf(world);
      expect(status).toBe('compensated');
      expect(await world.action(steps[2]?.settled?.action)).toMatchObject({
        status: 'cancelled',
        ending: { reason: 'its workflow was undone before it was sent' },
      });
      expect(await runTrip(world, next.ledger)).toMatchObject({ status: 'compensated' });
    }));

  it('FW09 the program throws while a step is under way → that one is waited for, then all are undone', () =>
    inWorld(
      tripWorld(store, {
        fault: ({ tool }) => (tool === 'book_car' ? slow(25 * second) : undefined),
      }),
      async (world) => {
        const { ledger } = await world.start();
        const running = ledger.workflow({ ...trip, waitMs: hour }, async (step) => {
          await book(step, ledger, 'flight');
          book(step, ledger, 'car').catch(() => undefined);
          await new Promise<void>((resolve) => {
            world.time.timers.after(5 * second, resolve);
          });
          throw new Error('the weather');
        });
        await world.advance(20 * second);
        expect(done(world)).toEqual(['book_flight']);
        expect(await world.during(running)).toMatchObject({
          status: 'compensated',
          reason: 'the weather',
        });
        expectUndoneInReverse(world, ['flight', 'car']);
      },
    ));
});
