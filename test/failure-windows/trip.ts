// A trip of three bookings as a workflow: each is undone by a cancellation that names the reservation.
import { expect } from '@jest/globals';
import { z } from 'zod';
import { foldWorkflow, unsealEvent } from '@action-ledger/codec';
import { streamOfWorkflow, type Workflow, workflowIdOf } from '@action-ledger/domain';
import {
  fromOutcome,
  type Ledger,
  type LedgerTool,
  type Step,
  type WorkflowOptions,
  type WorkflowOutcome,
} from '@action-ledger/client';
import {
  executeAt,
  lookUpAt,
  type ProviderAnswer,
  type ProviderPort,
  type ProviderRequest,
} from '@action-ledger/sandbox';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import { minute, second, times } from './pay.ts';
import { sha256 } from './sha256.ts';
import { type Adapter, type Process, type World, type WorldOptions } from './world.ts';

export const parts = ['flight', 'hotel', 'car'] as const;
export type Part = (typeof parts)[number];

const common = {
  timeoutMs: times.timeout,
  inFlightMs: times.inFlight,
  settleMs: times.settle,
  leaseMs: times.lease,
} as const;

type Booking = { readonly trip: string };
type Cancellation = { readonly reservation: string };

export function bookTool(port: ProviderPort, part: Part, more: object = {}): Tool {
  const definition: ToolDefinition<Booking> = {
    name: `book_${part}`,
    input: z.object({ trip: z.string() }),
    guarantee: 'lookup',
    lookup: lookUpAt(port),
    execute: executeAt(port),
    keep: ['outcome.reservation_id'],
    ...common,
    ...more,
  };
  return defineTool(definition);
}

export function cancelTool(port: ProviderPort, part: Part, more: object = {}): Tool {
  const definition: ToolDefinition<Cancellation> = {
    name: `cancel_${part}`,
    input: z.object({ reservation: z.string() }),
    guarantee: 'lookup',
    lookup: lookUpAt(port),
    execute: executeAt(port),
    ...common,
    ...more,
  };
  return defineTool(definition);
}

/** What each reservation is called, so that a cancellation can name it. */
export function answerTrip({ tool, key }: ProviderRequest): ProviderAnswer {
  const result = tool.startsWith('book_')
    ? { reservation_id: `${tool.slice('book_'.length)}-${key.slice(0, 6)}` }
    : { cancelled: true };
  return { kind: 'accepted', result };
}

export function tripWorld(store: Adapter, more: Partial<WorldOptions> = {}): WorldOptions {
  return {
    store,
    tools: (port) => parts.flatMap((part) => [bookTool(port, part), cancelTool(port, part)]),
    answer: answerTrip,
    ...more,
  };
}

export const trip: WorkflowOptions = { id: 'trip-7', run: 'run-1' };

export type TripProgram = (step: Step, ledger: Ledger) => Promise<unknown>;

export async function book(step: Step, ledger: Ledger, part: Part): Promise<unknown> {
  return step(
    `book ${part}`,
    toolOf(ledger, `book_${part}`),
    { trip: 't-7' },
    {
      compensate: {
        tool: toolOf(ledger, `cancel_${part}`),
        arguments: { reservation: fromOutcome('reservation_id') },
      },
    },
  );
}

export const bookAll: TripProgram = async (step, ledger) => {
  const booked = [];
  for (const part of parts) booked.push(await book(step, ledger, part));
  return booked;
};

export function toolOf(ledger: Ledger, name: string): LedgerTool {
  const tool = Object.values(ledger.tools).find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool as LedgerTool;
}

/** Runs the program, and lets time pass until there is an outcome. */
export function runTrip(
  world: World,
  ledger: Ledger,
  program: TripProgram = bookAll,
  options: WorkflowOptions = trip,
): Promise<WorkflowOutcome<unknown>> {
  return world.during(ledger.workflow(options, (step) => program(step, ledger)));
}

/** What was really done, in the order in which it was. */
export function done({ provider }: World): readonly string[] {
  return provider.effects().map(({ tool }) => tool);
}

/** Of the one workflow: its state, as the store holds it. */
export async function workflowOf(world: World, name: string = trip.id ?? ''): Promise<Workflow> {
  const id = workflowIdOf(sha256, 'acme', { kind: 'id', id: name });
  const folded = foldWorkflow(sha256, id, await world.store().readStream(streamOfWorkflow(id)));
  if (folded.kind === 'broken') throw new Error(folded.reason);
  return folded.workflow;
}

export async function workflowEvents(world: World, name?: string): Promise<readonly string[]> {
  const { id } = await workflowOf(world, name);
  const recorded = await world.store().readStream(streamOfWorkflow(id));
  return recorded.map((each) => {
    const { event } = unsealEvent(each);
    const { step, as } = event.data as { readonly step?: string; readonly as?: string };
    return [event.type, step, as].filter((word) => word !== undefined).join(' ');
  });
}

/** Runs it in a process that will die, and lets it die. */
export async function untilDeath(
  world: World,
  process: Process,
  program: TripProgram = bookAll,
): Promise<void> {
  void process.ledger.workflow(trip, (step) => program(step, process.ledger));
  for (let waited = 0; !process.isDead() && waited < 10 * minute; waited += second)
    await world.advance(second);
  expect(process.isDead()).toBe(true);
}

/** Each booking is undone once, and in reverse order. An absolute write may be repeated: it counts once. */
export function expectUndoneInReverse(world: World, booked: readonly Part[]): void {
  expect([...new Set(done(world))]).toEqual([
    ...booked.map((part) => `book_${part}`),
    ...[...booked].reverse().map((part) => `cancel_${part}`),
  ]);
  expect(world.provider.tally().every(({ effects }) => effects <= 1)).toBe(true);
}
