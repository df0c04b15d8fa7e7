// Tools that the programs of a run carry out themselves: one of every guarantee. Declared once for all, and
// given to each program over its own line to the provider.
import { z } from 'zod';
import { executeAt, lookUpAt, type ProviderPort } from '@action-ledger/sandbox';
import { type JsonObject } from '@action-ledger/domain';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';

const second = 1_000;
const minute = 60 * second;
const text = z.string();

/** By name, with the tool of the ledger's own that takes the same arguments. */
export const programTools = {
  transfer: 'refund',
  parcel: 'ticket',
  limit: 'quota',
  letter: 'mail',
} as const;

export type ProgramTool = keyof typeof programTools;

export const programToolNames = ['transfer', 'parcel', 'parcel', 'limit', 'letter'] as const;

export function isOfPrograms(tool: string): tool is ProgramTool {
  return Object.hasOwn(programTools, tool);
}

let declared: readonly Tool[] | undefined;

export function toolsOfProgram(port: ProviderPort): readonly Tool[] {
  const [execute, lookup] = [executeAt(port), lookUpAt(port)];
  return (declared ??= declareTools()).map((tool) =>
    Object.freeze({ ...tool, execute, lookup: tool.lookup && lookup }),
  );
}

function declareTools(): readonly Tool[] {
  const nowhere = (): never => {
    throw new Error('a tool of no program');
  };
  const declare = (name: ProgramTool, more: object): Tool =>
    defineTool({ name, execute: nowhere, ...more } as unknown as ToolDefinition<JsonObject>);
  return [
    declare('transfer', {
      input: z.object({ invoice: text, cents: z.int() }),
      guarantee: 'idempotent',
      keyWindow: 9 * minute,
      validFor: 45 * minute,
      retry: { attempts: 6, backoffMinMs: 4 * minute, backoffMaxMs: 8 * minute },
    }),
    declare('parcel', {
      input: z.object({ about: text, body: text }),
      identity: ['about'],
      guarantee: 'lookup',
      lookup: nowhere,
      validFor: 20 * minute,
      // Calls that take long extend it.
      leaseMs: 12 * second,
    }),
    declare('limit', {
      input: z.object({ account: text, seats: z.int() }),
      identity: ['account'],
      scope: 'tenant',
      load: { oneAtATime: ['account'] },
      guarantee: 'natural',
      validFor: 30 * minute,
      retry: { backoffMinMs: 20 * second, backoffMaxMs: 3 * minute },
    }),
    declare('letter', {
      input: z.object({ about: text, body: text }),
      free: ['body'],
      guarantee: 'manual',
      approval: { expiresAfter: 10 * minute },
      validFor: 15 * minute,
    }),
  ];
}
