// Workflows and what undoes them: undos that overtake, undo another's work, are lost, or are stopped.
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { fromOutcome, type Ledger, type Step, type WorkflowOutcome } from '@action-ledger/client';
import { ackLost, declined, type Fault, slow } from '@action-ledger/sandbox';
import {
  answerTrip,
  book,
  bookAll,
  bookTool,
  cancelTool,
  done,
  expectUndoneInReverse,
  runTrip,
  toolOf,
  trip,
  type TripProgram,
  tripWorld,
  workflowEvents,
  workflowOf,
} from '../failure-windows/trip.ts';
import { type Process } from '../failure-windows/process.ts';
import { hour, inWorld, minute, overStores, second, type World, writeTool } from './case.ts';

const patient = { ...trip, waitMs: hour };

/** Charges a cart, in whatever run: one charge per cart of the tenant. Then ships, which may be refused. */
const shop = (store: 'memory' | 'sqlite', fault: (tool: string) => Fault | undefined) => ({
  ...tripWorld(store),
  tools: (port: Parameters<typeof writeTool>[0]) => [
    writeTool(port, {
      name: 'charge',
      input: z.object({ cart: z.string(), cents: z.int() }),
      identity: ['cart'],
      scope: 'tenant',
      compensate: {
        tool: 'refund',
        arguments: ({ result }) => ({ charge: (result as { readonly id: string }).id }),
      },
    }),
    writeTool(port, { name: 'refund', input: z.object({ charge: z.string() }) }),
    writeTool(port, { name: 'ship', input: z.object({ to: z.string() }) }),
  ],
  answer: ({ tool }: { readonly tool: string }) =>
    ({ kind: 'accepted', result: { id: `${tool}-1` } }) as const,
  fault: ({ tool }: { readonly tool: string }) => fault(tool),
});

async function order(step: Step, ledger: Ledger, to: string): Promise<void> {
  await step('charge', toolOf(ledger, 'charge'), { cart: 'c-1', cents: 500 });
  await step('ship', toolOf(ledger, 'ship'), { to }, { compensate: 'impossible' });
}

function runOrder(world: World, ledger: Ledger, run: string): Promise<WorkflowOutcome<unknown>> {
  return world.during(ledger.workflow({ run }, (step) => order(step, ledger, run)));
}

overStores((store) => {
  it('F089 undo overtakes the original: the booking lands late → it is waited for, booked and cancelled once', () =>
    inWorld(
      tripWorld(store, {
        fault: ({ tool }) => (tool === 'book_hotel' ? slow(10 * second) : undefined),
      }),
      async (world) => {
        const { ledger } = await world.start();
        // The program gives up after 5 s, while the booking is under way.
        const running = ledger.workflow({ ...trip, waitMs: 5 * second }, (step) =>
          book(step, ledger, 'hotel'),
        );
        expect(await world.during(running)).toMatchObject({
          status: 'running',
          word: 'in-progress',
          waitingFor: { step: 'book hotel' },
        });
        const { revision } = await workflowOf(world);
        const asked = { by: 'olga', reason: 'too slow', revisionSeen: revision };
        await ledger.workflows.compensate('trip-7', asked);
        await world.advance(second);
        expect(await workflowOf(world)).toMatchObject({ status: 'compensating' });
        expect(done(world)).toEqual([]);
        await world.advance(minute);
        expectUndoneInReverse(world, ['hotel']);
        expect(await workflowOf(world)).toMatchObject({ status: 'compensated', standing: [] });
      },
    ));

  it("F091 loser's compensation undoes the winner: two runs share a charge → it stays, and says whose it is", () =>
    inWorld(
      shop(store, () => undefined),
      async (world) => {
        const { ledger } = await world.start();
        expect(await runOrder(world, ledger, 'r1')).toMatchObject({ status: 'completed' });
        const lost = await world.during(
          ledger.workflow({ run: 'r2' }, async (step) => {
            await step('charge', toolOf(ledger, 'charge'), { cart: 'c-1', cents: 500 });
            throw new Error('no stock');
          }),
        );
        const owner = ledger.list({ tool: 'charge', limit: 2 }).map(({ action }) => action);
        expect(owner).toHaveLength(1);
        expect(lost).toMatchObject({
          status: 'compensated',
          word: 'refused',
          standing: [
            {
              step: 'charge',
              why: `it belongs to ${String(owner[0])}, which this workflow did not create`,
            },
          ],
        });
        expect(done(world)).toEqual(['charge', 'ship']);
      },
    ));

  it('F093 fire-and-forget refund; swallowed error: killed before the refund, which then is refused twice → one refund, from the record', () => {
    let refunds = 0;
    const fault = (tool: string): Fault | undefined => {
      if (tool === 'ship') return declined('no carrier');
      if (tool !== 'refund') return undefined;
      refunds += 1;
      return refunds <= 2 ? { instead: { status: 503, error: 'try later' } } : undefined;
    };
    return inWorld(shop(store, fault), async (world) => {
      const dying = await world.start({ diesAt: 'compensation planned' });
      void dying.ledger.workflow({ run: 'r1' }, (step) => order(step, dying.ledger, 'r1'));
      for (let waited = 0; !dying.isDead() && waited < hour; waited += second)
        await world.advance(second);
      await world.restart();
      await world.advance(10 * minute);
      expect(done(world)).toEqual(['charge', 'refund']);
      const [charge] = (await world.actions()).filter(({ tool }) => tool === 'charge');
      const refund = await world.action(charge?.compensatedBy);
      expect(charge?.status).toBe('compensated');
      expect(refund).toMatchObject({ status: 'succeeded', arguments: { charge: 'charge-1' } });
    });
  });

  it('F097 cancel stops the undo: a second cancel arrives during the undo → adds nothing, both are undone once', () =>
    inWorld(
      tripWorld(store, {
        fault: ({ tool }) => (tool === 'cancel_hotel' ? slow(20 * second) : undefined),
      }),
      async (world) => {
        const { ledger } = await world.start();
        void ledger.workflow(patient, async (step) => {
          await book(step, ledger, 'flight');
          await book(step, ledger, 'hotel');
          return new Promise(() => undefined);
        });
        await world.advance(minute);
        const cancel = async (reason: string): Promise<unknown> => {
          const { revision } = await workflowOf(world);
          const asked = { by: 'olga', reason, revisionSeen: revision };
          return ledger.workflows.compensate('trip-7', asked);
        };
        expect(await cancel('changed my mind')).toMatchObject({ status: 'compensating' });
        await world.advance(5 * second);
        expect(await cancel('really')).toMatchObject({ status: 'compensating' });
        await world.advance(2 * minute);
        expectUndoneInReverse(world, ['flight', 'hotel']);
        const { status, compensation } = await workflowOf(world);
        expect({ status, reason: compensation?.reason }).toEqual({
          status: 'compensated',
          reason: 'changed my mind',
        });
        const events = await workflowEvents(world);
        expect(events.filter((event) => event === 'CompensationStarted')).toHaveLength(1);
      },
    ));
});

describe('of the same kinds', () => {
  it.each<[string, (world: World, process: Process) => Promise<unknown>]>([
    ['', async () => undefined],
    [', its process dying just then', (world) => world.restart()],
    [
      ', the store being away just then',
      async (world, { outage }) => {
        outage('appends');
        await world.advance(20 * second);
        outage('none');
      },
    ],
  ])(
    'F089 the original turns out a success after the workflow was undone%s → it is undone as well',
    (_, meanwhile) => {
      // A definite no that was none: the car is booked all the same.
      const fault = ({ tool }: { readonly tool: string }): Fault | undefined =>
        tool === 'book_car' ? { reply: { status: 422, error: 'no cars' } } : undefined;
      return inWorld(tripWorld('memory', { fault }), async (world) => {
        const process = await world.start();
        const { ledger } = process;
        expect(await runTrip(world, ledger)).toMatchObject({ status: 'compensated' });
        const { steps } = await workflowOf(world);
        const car = steps[2]?.settled?.action ?? '';
        const { downstreamKey = '' } = await world.action(car);
        const data = answerTrip({ tool: 'book_car', key: downstreamKey } as never);
        const result = data.kind === 'accepted' ? data.result : null;
        const externalId = world.provider.effects({ tool: 'book_car' })[0]?.id ?? '';
        const report = { source: 'webhook', claims: 'success', proven: true } as const;
        await ledger.report(car, { ...report, externalId, data: result });
        await meanwhile(world, process);
        await world.advance(minute);
        expect(await workflowOf(world)).toMatchObject({ status: 'compensated', standing: [] });
        expect(done(world).slice(-2)).toEqual(['cancel_flight', 'cancel_car']);
      });
    },
  );

  it('F089 what failed to be compensated is undone by a call of its own → it is not undone a second time', () => {
    let isRefusing = true;
    const options = tripWorld('memory', {
      tools: (port) => [
        bookTool(port, 'car', {
          undoneBy: [
            { tool: 'cancel_car', match: { 'arguments.reservation': 'outcome.reservation_id' } },
          ],
        }),
        cancelTool(port, 'car'),
      ],
      fault: ({ tool }) =>
        tool === 'cancel_car' && isRefusing ? declined('not refundable') : undefined,
    });
    return inWorld(options, async (world) => {
      const { ledger, call } = await world.start();
      const program: TripProgram = async (step) => {
        await book(step, ledger, 'car');
        throw new Error('no longer wanted');
      };
      expect(await runTrip(world, ledger, program)).toMatchObject({
        status: 'compensation_failed',
      });
      isRefusing = false;
      const { steps } = await workflowOf(world);
      const car = steps[0]?.settled?.action ?? '';
      const { outcome } = await world.action(car);
      const { reservation_id: reservation = '' } = outcome?.result as Record<string, string>;
      const told = await call({ reservation }, { run: 'run-2' }, 'cancel_car');
      expect(await world.action(car)).toMatchObject({ undoneBy: told.actionId });
      const { revision: revisionSeen } = await workflowOf(world);
      const asked = { by: 'olga', reason: 'it was called off', revisionSeen };
      await ledger.workflows.compensate('trip-7', asked);
      await world.advance(minute);
      expect(await workflowOf(world)).toMatchObject({ status: 'compensated' });
      expect(done(world)).toEqual(['book_car', 'cancel_car']);
    });
  });

  it('F089 the undo of a step after it fails, while the one of a step is under way → what becomes of that is told all the same', () => {
    const late = declined('not refundable');
    const faults: Readonly<Record<string, Fault>> = {
      book_hotel: { reply: { status: 422, error: 'no rooms' } },
      cancel_hotel: late,
      cancel_flight: { ...late, arriveAfterMs: 20 * second },
    };
    return inWorld(tripWorld('memory', { fault: ({ tool }) => faults[tool] }), async (world) => {
      const { ledger } = await world.start();
      void ledger.workflow(patient, async (step) => {
        await book(step, ledger, 'flight');
        await book(step, ledger, 'hotel');
      });
      await world.advance(5 * second);
      const { steps } = await workflowOf(world);
      const [flight = '', hotel = ''] = steps.map(({ settled }) => settled?.action ?? '');
      expect(await world.action(flight)).toMatchObject({ status: 'compensating' });
      const externalId = world.provider.effects({ tool: 'book_hotel' })[0]?.id ?? '';
      const { downstreamKey: key = '' } = await world.action(hotel);
      const booked = answerTrip({ tool: 'book_hotel', key } as never);
      const data = booked.kind === 'accepted' ? booked.result : null;
      const report = { source: 'webhook', claims: 'success', proven: true } as const;
      await ledger.report(hotel, { ...report, externalId, data });
      await world.advance(5 * second);
      expect(await workflowOf(world)).toMatchObject({ status: 'compensation_failed' });
      await world.advance(10 * minute);
      expect(await world.action(flight)).toMatchObject({
        status: 'compensation_failed',
        watch: { owner: 'operator' },
      });
      expect(await workflowOf(world)).toMatchObject({
        status: 'compensation_failed',
        steps: [{ compensated: { as: 'failed' } }, { compensated: { as: 'failed' } }],
      });
    });
  });

  it('F093 a step that does not say how it is undone is not sent', () =>
    inWorld(tripWorld('memory'), async (world) => {
      const { ledger } = await world.start();
      const outcome = await runTrip(world, ledger, (step) =>
        step('book car', toolOf(ledger, 'book_car'), { trip: 't-7' }),
      );
      expect(outcome).toMatchObject({
        word: 'refused',
        status: 'refused',
        code: 'workflow.compensation-missing',
      });
      expect(await world.actions()).toEqual([]);
    }));

  it.each([
    ['no such tool', { tool: { name: 'nobody' }, arguments: {} }],
    ['arguments that do not fit', { tool: { name: 'cancel_car' }, arguments: { reservation: 7 } }],
    ['a word that is none', 'sometimes'],
  ])('F093 a compensation with %s is refused before its step is sent', (_, compensate) =>
    inWorld(tripWorld('memory'), async (world) => {
      const { ledger } = await world.start();
      const outcome = await runTrip(world, ledger, (step) =>
        step(
          'book car',
          toolOf(ledger, 'book_car'),
          { trip: 't-7' },
          {
            compensate: compensate as never,
          },
        ),
      );
      expect(outcome).toMatchObject({ code: 'workflow.compensation-invalid' });
      expect(done(world)).toEqual([]);
    }),
  );

  it('F093 what is to undo it is not in its outcome → it stays, with an owner, and nothing is guessed', () =>
    inWorld(tripWorld('memory'), async (world) => {
      const { ledger } = await world.start();
      const outcome = await runTrip(world, ledger, async (step) => {
        await step(
          'book car',
          toolOf(ledger, 'book_car'),
          { trip: 't-7' },
          {
            compensate: {
              tool: toolOf(ledger, 'cancel_car'),
              arguments: { reservation: fromOutcome('nowhere') },
            },
          },
        );
        throw new Error('the weather');
      });
      expect(outcome).toMatchObject({
        status: 'compensation_failed',
        owner: 'operator',
        standing: [{ why: '"outcome.nowhere" is not in what the step brought about' }],
      });
      expect(done(world)).toEqual(['book_car']);
    }));

  it('F093 a step that may fail fails nothing; an e-mail that cannot be undone is named at the end', () =>
    inWorld(
      tripWorld('memory', {
        fault: ({ tool }) => (tool === 'book_hotel' ? declined('no rooms') : undefined),
      }),
      async (world) => {
        const { ledger } = await world.start();
        const outcome = await runTrip(world, ledger, async (step) => {
          const options = { compensate: 'impossible' } as const;
          await step('send mail', toolOf(ledger, 'book_car'), { trip: 'a mail' }, options);
          const hotel = await step.mayFail(
            'book hotel',
            toolOf(ledger, 'book_hotel'),
            { trip: 't-7' },
            { compensate: 'not needed' },
          );
          expect(hotel).toMatchObject({ state: 'failed', reason: 'no rooms' });
          await book(step, ledger, 'flight');
          throw new Error('the weather');
        });
        expect(outcome).toMatchObject({
          status: 'compensated',
          word: 'refused',
          standing: [{ step: 'send mail', why: 'it cannot be undone' }],
          thrown: expect.objectContaining({ message: 'the weather' }),
        });
        expect(outcome.messageForModel).toBe(
          'Refused, do not retry (the weather; undone: "book flight"; "send mail" stands: it cannot be undone).',
        );
        expect(done(world)).toEqual(['book_car', 'book_flight', 'cancel_flight']);
      },
    ));

  it('F095 failed attempt erases its key: the reply of a refund is lost → the same key, looked up, once', () => {
    let lost = 0;
    const fault = ({ tool }: { readonly tool: string }): Fault | undefined => {
      if (tool === 'book_car') return declined('no cars');
      return tool === 'cancel_hotel' && ++lost === 1 ? ackLost : undefined;
    };
    return inWorld(tripWorld('memory', { fault }), async (world) => {
      const { ledger } = await world.start();
      expect(await runTrip(world, ledger, bookAll, patient)).toMatchObject({
        status: 'compensated',
      });
      expectUndoneInReverse(world, ['flight', 'hotel']);
      const keys = world.provider.arrivals
        .filter(({ request }) => request.tool === 'cancel_hotel')
        .map(({ request }) => request.key);
      expect(new Set(keys).size).toBe(1);
    });
  });

  it('F097 undone from a step on, when it was completed: the earlier one stays', () =>
    inWorld(tripWorld('memory'), async (world) => {
      const { ledger } = await world.start();
      expect(await runTrip(world, ledger)).toMatchObject({ status: 'completed' });
      const { revision } = await workflowOf(world);
      const asked = {
        by: 'olga',
        reason: 'only the flight',
        from: 'book hotel',
        revisionSeen: revision,
      };
      await ledger.workflows.compensate('trip-7', asked);
      await world.advance(minute);
      expect(await workflowOf(world)).toMatchObject({
        status: 'compensated',
        standing: [{ step: 'book flight' }],
      });
      expect(done(world).slice(3)).toEqual(['cancel_car', 'cancel_hotel']);
    }));

  it('F091 an edit of a step that waits for approval is the step: its outcome counts, and it is undone', () =>
    inWorld(
      tripWorld('memory', {
        tools: (port) => [
          ...tripWorld('memory')
            .tools(port)
            .filter(({ name }) => name !== 'book_hotel'),
          writeTool(port, {
            name: 'book_hotel',
            input: z.object({ trip: z.string() }),
            approval: true,
          }),
        ],
      }),
      async (world) => {
        const { ledger } = await world.start();
        const program = async (step: Step): Promise<unknown> => {
          await book(step, ledger, 'flight');
          await book(step, ledger, 'hotel');
          throw new Error('the weather');
        };
        const waiting = await runTrip(world, ledger, program);
        expect(waiting).toMatchObject({ word: 'waiting-for-approval', status: 'running' });
        const actionId = waiting.waitingFor?.answer.actionId ?? '';
        const { revision } = await world.action(actionId);
        const edit = { actionId, by: 'olga', reason: 'cheaper', revisionSeen: revision, waitMs: 0 };
        const edited = await world.during(ledger.edit({ ...edit, arguments: { trip: 't-8' } }));
        const { argumentsHash, id } = await world.action(edited.actionId);
        expect(await world.action(id)).toMatchObject({ workflow: { step: 'book hotel' } });
        await ledger.vote({ actionId: id, voter: 'olga', vote: 'approve', argumentsHash });
        await world.advance(minute);
        expect(await workflowOf(world)).toMatchObject({
          status: 'running',
          steps: [{}, { settled: { as: 'succeeded', action: id, owned: true } }],
        });
        expect(await runTrip(world, ledger, program)).toMatchObject({ status: 'compensated' });
        expectUndoneInReverse(world, ['flight', 'hotel']);
      },
    ));

  it('F093 killed with a program that never returns, told to undo what is left → undone after a day', () =>
    inWorld(tripWorld('memory'), async (world) => {
      const process = await world.start({ diesAt: 'step settled', nth: 2 });
      void process.ledger.workflow({ ...trip, whenAbandoned: 'compensate' }, (step) =>
        bookAll(step, process.ledger),
      );
      await world.advance(minute);
      expect(process.isDead()).toBe(true);
      await world.restart();
      await world.advance(25 * hour);
      expectUndoneInReverse(world, ['flight', 'hotel']);
    }));

  it('F093 the store is away as steps settle → the program is told to come back, and all is done once', () =>
    inWorld(tripWorld('memory'), async (world) => {
      const { ledger, outage } = await world.start();
      let booked = 0;
      const first = await world.during(
        ledger.workflow(trip, async (step) => {
          await book(step, ledger, 'flight');
          booked += 1;
          outage('all');
          await book(step, ledger, 'hotel');
        }),
      );
      expect(booked).toBe(1);
      expect(first).toMatchObject({ word: 'checking', code: 'ledger.store-unavailable' });
      outage('none');
      await world.advance(minute);
      expect(await runTrip(world, ledger, bookAll, patient)).toMatchObject({ status: 'completed' });
      expect(done(world)).toEqual(['book_flight', 'book_hotel', 'book_car']);
    }));
});
