// What the field cases share: tools at the counting provider, raw text that enters by the strict door,
// and the provider's count, which is the only truth about effects (E).
import { describe, jest } from '@jest/globals';
import { type CallContext, type Outcome } from '@action-ledger/client';
import { type JsonObject, parseJson } from '@action-ledger/domain';
import { executeAt, lookUpAt, type ProviderPort } from '@action-ledger/sandbox';
import { defineTool, type Tool, type ToolDefinition } from '@action-ledger/tools';
import {
  inWorld,
  type Process,
  stores,
  type World,
  type WorldOptions,
} from '../failure-windows/world.ts';

export { sha256 } from '../failure-windows/sha256.ts';
export * from '../failure-windows/world.ts';

// Time is virtual, but the machine may be busy.
jest.setTimeout(60_000);

export const second = 1_000;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** Deadline 30 s, in flight 60 s, lease 40 s, settle 10 s: the defaults of DESIGN.md section 5. */
export const patience = { waitMs: hour };

/** The call of the model in run-1; another id is a new call. */
export function call(id = 'call_1', turn = '1', run = 'run-1'): CallContext {
  return { run, turn, call: id };
}

/** A proposal under a caller's key, as a client sends it that has no calls to name. */
export function keyed(key: string): CallContext {
  return { key };
}

type CaseDefinition<Args> = Pick<ToolDefinition<Args>, 'name' | 'input'> &
  Partial<ToolDefinition<Args>>;

/** A write at the provider; `lookup` unless the case says otherwise. */
export function writeTool<Args>(port: ProviderPort, definition: CaseDefinition<Args>): Tool {
  const { guarantee = 'lookup', keyWindow = '24h' } = definition;
  const whole = {
    guarantee,
    ...(guarantee === 'lookup' ? { lookup: lookUpAt(port) } : {}),
    ...(guarantee === 'idempotent' ? { keyWindow } : {}),
    execute: executeAt(port),
    ...definition,
  };
  return defineTool(whole as ToolDefinition<Args>);
}

/** One world for one test, over memory unless the case is about what a restart finds. */
export function inCase(
  tools: WorldOptions['tools'],
  test: (world: World) => Promise<void>,
  more: Partial<WorldOptions> = {},
): Promise<void> {
  return inWorld({ store: 'memory', tools, ...more }, test);
}

/** Where a restart matters: over every store. */
export function overStores(define: (store: (typeof stores)[number]) => void): void {
  describe.each(stores)('over %s', define);
}

/** Where the log itself answers wrongly: over the double of a server too, as far as real time allows. */
export function overLogs(define: (store: (typeof stores)[number] | 'eventstoredb') => void): void {
  describe.each([...stores, 'eventstoredb'] as const)('over %s', define);
}

/** Raw text of arguments by the strict door; what the door refuses reaches no ledger. */
export async function callText(
  process: Process,
  text: string,
  context: CallContext,
  tool?: string,
): Promise<Outcome<unknown>> {
  const parsed = parseJson(text);
  if (parsed.kind === 'parsed') return process.call(parsed.value as JsonObject, context, tool);
  return {
    word: 'failed-without-effect',
    state: 'refused',
    repeat: false,
    tenant: '',
    tool: tool ?? '',
    code: parsed.code,
    messageForModel: parsed.message,
  };
}

/** E: what the provider has really done, of one tool or of all. */
export function effects({ provider }: World, tool?: string): number {
  return provider.effects(tool === undefined ? {} : { tool }).length;
}

/** How many requests reached the provider, whatever became of them. */
export function requests({ provider }: World): number {
  return provider.arrivals.length;
}

export async function eventTypes(
  world: World,
  actionId: string | undefined,
): Promise<readonly string[]> {
  return (await world.events(actionId)).map(({ type }) => type);
}

/** An answer to a repeat: nothing ran, and it says so. */
export const replayed = { repeat: true, word: 'already-done' } as const;
export const conflict = { word: 'other-arguments', state: 'refused' } as const;
export const invalid = { word: 'failed-without-effect', state: 'refused' } as const;
