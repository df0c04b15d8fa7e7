// Declared tools as the ledger runs them: each sends its attempts to the sandbox provider and looks
// them up there. The guarantee decides what the provider offers, so that each is really needed.
import { createHash } from 'node:crypto';
import { type JsonObject, type JsonValue } from '@action-ledger/domain';
import { inputFromJsonSchema, type ToolDefinition } from '@action-ledger/tools';
import { type ToolBehaviour } from '../provider/behaviour.ts';
import { executeAt, lookUpAt } from '../provider/connector.ts';
import { type ProviderPort } from '../provider/wire.ts';
import { distinctTools, type DeclaredTool, type DeclaredTools } from './declare-tools.ts';

/** How long a sandbox may keep anybody waiting: every wait together stays within 200 ms. */
export const sandboxTimes = {
  timeoutMs: 100,
  inFlightMs: 150,
  settleMs: 40,
  lookupLagMs: 10,
  /** A late request lands after so long, still within the in-flight bound. */
  lateByMs: 120,
  keyWindowMs: 24 * 3_600_000,
} as const;

/**
 * What is to be registered with the ledger.
 * @param pace so many times longer every deadline is: for processes that share a machine with many others
 */
export function sandboxTools(
  declared: DeclaredTools,
  provider: ProviderPort,
  pace = 1,
): readonly ToolDefinition<JsonObject, JsonValue>[] {
  return distinctTools(declared).map((tool) => sandboxTool(tool, provider, pace));
}

export function sandboxTool(
  tool: DeclaredTool,
  provider: ProviderPort,
  pace = 1,
): ToolDefinition<JsonObject, JsonValue> {
  const { keyWindowMs } = sandboxTimes;
  const { timeoutMs, inFlightMs, settleMs } = paced(pace);
  const { name, description, scope, free, sets, guarantee, undoneBy, keep } = tool;
  // Nothing settles a `manual` doubt by itself, so that none may come from a busy machine alone: it
  // has the usual deadline, and only the provider's silence leads to it.
  const times = guarantee === 'manual' ? {} : { timeoutMs, inFlightMs, settleMs };
  return {
    name,
    description,
    input: inputFromJsonSchema(tool.parameters),
    ...(tool.identity === 'all' ? {} : { identity: tool.identity }),
    free,
    sets,
    keep,
    scope,
    guarantee,
    ...(guarantee === 'idempotent' ? { keyWindow: keyWindowMs } : {}),
    undoneBy,
    ...times,
    ...(hasUndoWindow(name) ? { undoWindow: undoWindowMs } : {}),
    retry: { attempts: 10, backoffMinMs: 1, backoffMaxMs: 20 },
    checks: { intervalMinMs: 10, intervalMaxMs: 50 },
    execute: executeAt(provider),
    ...(guarantee === 'lookup' ? { lookup: lookUpAt(provider) } : {}),
  };
}

function paced(pace: number): Record<'timeoutMs' | 'inFlightMs' | 'settleMs', number> {
  const { timeoutMs, inFlightMs, settleMs } = sandboxTimes;
  return {
    timeoutMs: timeoutMs * pace,
    inFlightMs: inFlightMs * pace,
    settleMs: settleMs * pace,
  };
}

const undoWindowMs = 1;

/** An eighth of the names: their actions go the longer way, planned, claimed and then dispatched. */
function hasUndoWindow(tool: string): boolean {
  const [, byte = 0] = createHash('sha256').update(tool, 'utf8').digest();
  return byte % 8 === 0;
}

/** What the provider offers for each tool, by the ledger's names. */
export function sandboxBehaviour(declared: DeclaredTools): (tool: string) => ToolBehaviour {
  const byName = new Map(distinctTools(declared).map((tool) => [tool.name, behaviourOf(tool)]));
  return (tool) => byName.get(tool) ?? {};
}

function behaviourOf({ name, guarantee, identity }: DeclaredTool): ToolBehaviour {
  switch (guarantee) {
    case 'idempotent':
      return { keyWindowMs: sandboxTimes.keyWindowMs };
    case 'lookup':
      return { lookupLagMs: sandboxTimes.lookupLagMs };
    case 'natural':
      return { entity: (args) => entityName(name, identity, args) };
    case 'manual':
      return {};
  }
}

function entityName(tool: string, identity: DeclaredTool['identity'], args: JsonObject): string {
  const fields = identity === 'all' ? Object.keys(args).sort() : identity;
  return JSON.stringify([tool, ...fields.map((field) => args[field] ?? null)]);
}
