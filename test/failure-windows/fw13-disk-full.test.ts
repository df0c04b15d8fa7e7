// The disk is full from a named point of the write path on, until there is room again: what was asked for
// comes to its end, and nothing is done twice.
import { expect, it } from '@jest/globals';
import { type WritePoint, writePoints } from '@action-ledger/client';
import { ackLost, declined, type ProviderPort } from '@action-ledger/sandbox';
import { type Tool } from '@action-ledger/tools';
import { minute, second } from './pay.ts';
import {
  book,
  bookTool,
  cancelTool,
  done,
  runTrip,
  toolOf,
  trip,
  type TripProgram,
  tripWorld,
} from './trip.ts';
import { inWorld, type WorldOptions } from './world.ts';

interface Story {
  readonly program: TripProgram;
  readonly status: 'completed' | 'compensated';
  readonly effects: readonly string[];
}

/** The flight's response is lost, and there are no cars. */
const fault: NonNullable<WorldOptions['fault']> = ({ tool, attempt }) => {
  if (tool === 'book_car') return declined('no cars');
  return tool === 'book_flight' && attempt === 1 ? ackLost : undefined;
};

const undoneByItself: Story = {
  program: async (step, ledger) => {
    await book(step, ledger, 'flight');
    await book(step, ledger, 'car');
  },
  status: 'compensated',
  effects: ['book_flight', 'cancel_flight'],
};

const givenUp: Story = {
  ...undoneByItself,
  program: async (step, ledger) => {
    await book(step, ledger, 'flight');
    throw new Error('no more of it');
  },
};

const undoneByHand: Story = {
  program: async (step, ledger) => {
    const { reservation_id: reservation } = (await book(step, ledger, 'flight')) as {
      readonly reservation_id: string;
    };
    const byHand = { compensate: 'not needed' } as const;
    await step('cancel it', toolOf(ledger, 'cancel_flight'), { reservation }, byHand);
  },
  status: 'completed',
  effects: ['book_flight', 'cancel_flight'],
};

/** Of those that are not passed where a step fails. */
const others: Partial<Record<WritePoint, Story>> = {
  planned: undoneByHand,
  'undo recorded': undoneByHand,
  'compensation started': givenUp,
  'workflow ended': undoneByHand,
};

const toolsOf = (port: ProviderPort): readonly Tool[] => [
  bookTool(port, 'flight', {
    undoneBy: [
      { tool: 'cancel_flight', match: { 'arguments.reservation': 'outcome.reservation_id' } },
    ],
  }),
  // Planned by an append of its own.
  cancelTool(port, 'flight', { undoWindow: 5 }),
  bookTool(port, 'car'),
  cancelTool(port, 'car'),
];

it.each(writePoints)('FW13 the disk is full from "%s" on, for a minute → all of it once', (at) => {
  const { program, status, effects } = others[at] ?? undoneByItself;
  return inWorld(tripWorld('sqlite', { tools: toolsOf, fault }), async (world) => {
    const met: WritePoint[] = [];
    const process = await world.start({
      onPoint: (point) => {
        if (met.length > 0 || point !== at) return;
        met.push(point);
        process.outage('full');
      },
    });
    const { ledger } = process;
    const first = ledger.workflow(trip, (step) => program(step, ledger)).catch(() => undefined);
    for (let waited = 0; met.length === 0 && waited < 5 * minute; waited += second)
      await world.advance(second);
    expect(met).toEqual([at]);
    await world.advance(minute);
    process.outage('none');
    await world.advance(5 * minute);
    await world.during(first);
    expect(await runTrip(world, ledger, program)).toMatchObject({ status });
    expect(done(world)).toEqual(effects);
  });
});
