// The work of the crash tests: numbered jobs, each with its tool, arguments and call, so that any process
// can deliver any of them again. Times are short, because they really pass.
import { z } from 'zod';
import { type Guarantee, type JsonObject } from '@action-ledger/domain';
import { executeAt, lookUpAt, type ProviderPort, type ToolBehaviour } from '@action-ledger/sandbox';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';

export const times = { timeoutMs: 300, inFlightMs: 600, settleMs: 50, leaseMs: 400 } as const;
/** For a process of which no attempt may end by its deadline. */
const patientTimes = { timeoutMs: 20_000, inFlightMs: 21_000, settleMs: 50, leaseMs: 21_000 };
const keyWindowMs = 24 * 3_600_000;

export interface Job {
  readonly number: number;
  readonly tool: string;
  readonly args: JsonObject;
}

/** In turn every guarantee, at once and after an undo window, and a booking that is cancelled. */
const kinds = [
  'pay-idempotent',
  'pay-lookup',
  'book',
  'pay-natural',
  'pay-later',
  'pay-lookup',
  'pay-idempotent',
  'book',
  'pay-later',
  'pay-manual',
] as const;

export function jobOf(number: number): Job {
  const tool = kinds[number % kinds.length] ?? 'pay-lookup';
  const args = tool === 'book' ? { trip: `t${number}` } : { invoice: `i${number}`, cents: number };
  return { number, tool, args };
}

export function callOf(number: number): {
  readonly run: string;
  readonly turn: string;
  readonly call: string;
} {
  return { run: `run-${number}`, turn: '1', call: 'call_1' };
}

type Definition = Partial<ToolDefinition<JsonObject>>;

export function toolsOf(port: ProviderPort, isPatient = false): readonly Tool[] {
  const taken = isPatient ? patientTimes : times;
  const connector = { inFlightMs: taken.inFlightMs };
  const tool = (name: string, guarantee: Guarantee, more: Definition): Tool => {
    const definition: ToolDefinition<JsonObject> = {
      name,
      guarantee,
      ...taken,
      input: z.object({ invoice: z.string(), cents: z.int() }),
      identity: ['invoice'],
      retry: { attempts: 50, backoffMinMs: 5, backoffMaxMs: 50 },
      checks: { intervalMinMs: 30, intervalMaxMs: 200, checksMax: 200 },
      ...(guarantee === 'idempotent' ? { keyWindow: keyWindowMs } : {}),
      ...(guarantee === 'lookup' ? { lookup: lookUpAt(port) } : {}),
      execute: executeAt(port, connector),
      ...more,
    };
    return defineTool(definition);
  };
  return [
    tool('pay-idempotent', 'idempotent', {}),
    tool('pay-lookup', 'lookup', {}),
    tool('pay-natural', 'natural', {}),
    tool('pay-manual', 'manual', {}),
    tool('pay-later', 'lookup', { undoWindow: 5 }),
    tool('book', 'lookup', {
      input: z.object({ trip: z.string() }),
      identity: ['trip'],
      keep: ['outcome.reservation_id'],
      undoneBy: [
        { tool: 'unbook', match: { 'arguments.reservation_id': 'outcome.reservation_id' } },
      ],
    }),
    tool('unbook', 'idempotent', {
      input: z.object({ reservation_id: z.string() }),
      identity: ['reservation_id'],
    }),
  ];
}

/** What the provider offers for each of them. */
export function behaviourOf(tool: string): ToolBehaviour {
  switch (tool) {
    case 'pay-idempotent':
    case 'unbook':
      return { keyWindowMs };
    case 'pay-natural':
      return { entity: ({ invoice }) => JSON.stringify(invoice) };
    default:
      return {};
  }
}
