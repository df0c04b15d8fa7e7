// The tool of the windows: a payment of an invoice, once per guarantee, with the times of DESIGN.md
// section 5. For `natural` it sets what is paid for the invoice, so other cents are a later value.
import { describe } from '@jest/globals';
import { z } from 'zod';
import { type Guarantee } from '@action-ledger/domain';
import {
  executeAt,
  type Fault,
  type LookupFault,
  lookUpAt,
  type ProviderPort,
  type ToolBehaviour,
} from '@action-ledger/sandbox';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import { adapters, guarantees, isShare, type WorldOptions } from './world.ts';

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Longer than every wait and backoff of the payment: what has not happened by then was not due. */
export const aWhile = 10 * minute;

/** Of the payment, in ms. */
export const times = {
  timeout: 30 * second,
  inFlight: 60 * second,
  settle: 10 * second,
  lease: 40 * second,
  keyWindow: day,
} as const;

export type PayArguments = {
  readonly invoice: string;
  readonly cents: number;
  readonly note?: string;
};
type PayDefinition = Partial<ToolDefinition<PayArguments>>;

export function payTool(
  provider: ProviderPort,
  guarantee: Guarantee,
  more: PayDefinition = {},
): Tool {
  const definition: ToolDefinition<PayArguments> = {
    name: 'pay',
    input: z.object({
      invoice: z.string(),
      cents: z.int(),
      note: z.string().optional(),
    }) as unknown as ToolDefinition<PayArguments>['input'],
    identity: ['invoice'],
    free: ['note'],
    guarantee,
    timeoutMs: times.timeout,
    inFlightMs: times.inFlight,
    settleMs: times.settle,
    leaseMs: times.lease,
    ...(guarantee === 'idempotent' ? { keyWindow: times.keyWindow } : {}),
    ...(guarantee === 'lookup' ? { lookup: lookUpAt(provider) } : {}),
    execute: executeAt(provider),
    ...more,
  };
  return defineTool(definition);
}

/** What the provider offers for the payment. */
export function payBehaviour(guarantee: Guarantee): ToolBehaviour {
  switch (guarantee) {
    case 'idempotent':
      return { keyWindowMs: times.keyWindow };
    case 'natural':
      return { entity: ({ invoice: of }) => JSON.stringify(of) };
    case 'lookup':
    case 'manual':
      return {};
  }
}

export const invoice = { invoice: '2026-114', cents: 48_000 };
/** The call of the model, the same call delivered again, and later calls of its own. */
export const firstCall = { run: 'run-1', turn: '1', call: 'call_1' };
export const laterCall = { run: 'run-1', turn: '2', call: 'call_2' };

/** A world of payments under the guarantee; `tool` and `world` change what the window needs. */
export type PayWorld = (world?: Partial<WorldOptions>, tool?: PayDefinition) => WorldOptions;

/** The same windows over every adapter and for every guarantee that they apply to; a share: for one of them. */
export function overEach(
  define: (payWorld: PayWorld, guarantee: Guarantee) => void,
  applyTo: readonly Guarantee[] = guarantees,
): void {
  describe.each(adapters)('over %s', (store) => {
    describe.each(isShare ? applyTo.slice(0, 1) : applyTo)('a %s tool', (guarantee) => {
      define(
        (world, tool) => ({
          store,
          tools: (port) => [payTool(port, guarantee, tool)],
          behaviour: () => payBehaviour(guarantee),
          ...world,
        }),
        guarantee,
      );
    });
  });
}

/** The first request (or lookup) meets the fault, the others none. */
export function onFirst<Kind extends Fault | LookupFault>(fault: Kind): () => Kind | undefined {
  let requests = 0;
  return () => {
    requests += 1;
    return requests === 1 ? fault : undefined;
  };
}
