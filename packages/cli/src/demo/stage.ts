// What a case is played on: its provider, ledgers in memory, and the record of what happened and what
// was answered. Nothing is told that was not answered by a ledger in this very run.
import {
  createLedger,
  type CreateLedgerOptions,
  type Ledger,
  type Outcome,
} from '@action-ledger/client';
import { type CallOrigin, type JsonObject } from '@action-ledger/domain';
import { createMemoryEventStore } from '@action-ledger/event-store';
import { type Runtime } from '@action-ledger/runtime';
import { executeAt, lookUpAt, type SandboxProvider } from '@action-ledger/sandbox';
import {
  defineTool,
  inputFromJsonSchema,
  type Tool,
  type ToolDefinition,
} from '@action-ledger/tools';
import { type Step } from './step.ts';
import { createMortalStore } from './mortal-store.ts';

export interface Stage {
  readonly provider: SandboxProvider;
  readonly runtime: Runtime;
  /** A tool that sends to this stage's provider; its times are short, so that a demo is. */
  readonly tool: (definition: DemoTool) => Tool;
  /** A ledger over the stage's one event store, closed after the case. */
  readonly open: (
    tools: readonly Tool[],
    options?: { readonly onNotice?: (kind: string) => void },
  ) => Promise<Player>;
  /** A ledger of a process that dies for good as it reaches the point. */
  readonly openMortal: (
    tools: readonly Tool[],
    diesAt: 'dispatched' | 'replied',
  ) => Promise<Player>;
  readonly tell: (happened: string, answered?: string) => void;
  /** Counts as wrong where it does not hold. */
  readonly check: (holds: boolean, what: string) => void;
}

type DemoTool = Partial<Omit<ToolDefinition<JsonObject>, 'execute' | 'lookup' | 'input'>> & {
  readonly name: string;
  /** Fields of type string; those that end in `cents` are integers. */
  readonly fields: readonly string[];
};

export interface Player {
  readonly ledger: Ledger;
  /** A call by the model; its answer is told under what happened. */
  readonly call: (
    happened: string,
    tool: string,
    args: JsonObject,
    from: CallOrigin & { readonly key?: string; readonly by?: string },
  ) => Promise<Outcome>;
}

export interface StageRecord {
  readonly stage: Stage;
  readonly steps: readonly Step[];
  readonly wrong: readonly string[];
  /** Of the first tool that was made. */
  readonly tool: () => string;
  readonly close: () => Promise<void>;
}

/** So generous that a busy machine changes nothing: these cases wait for none of them. */
const calm = { timeoutMs: 5_000, inFlightMs: 10_000, settleMs: 20 } as const;
const drainMs = 1_000;

export function createStage(provider: SandboxProvider, runtime: Runtime): StageRecord {
  const steps: Step[] = [];
  const wrong: string[] = [];
  const names: string[] = [];
  const ledgers: Ledger[] = [];
  const store = createMemoryEventStore();
  const open = createOpen(runtime, steps, wrong);

  const stage: Stage = {
    provider,
    runtime,
    tool: (definition) => {
      names.push(definition.name);
      return demoTool(definition, provider);
    },
    open: async (tools, { onNotice } = {}) => {
      const more: More = {
        // Outlives each ledger: the next one is to find what the one before has written.
        store: { ...store, close: async () => undefined },
        onNotice: ({ kind }) => onNotice?.(kind),
      };
      const player = await open(tools, more);
      ledgers.push(player.ledger);
      return player;
    },
    openMortal: (tools, diesAt) => {
      const mortal = createMortalStore(store);
      const onPoint = (point: string): Promise<void> | undefined => {
        if (point !== diesAt) return undefined;
        mortal.die();
        return new Promise(() => undefined);
      };
      return open(tools, { store: mortal.store, onPoint });
    },
    tell: (happened, answered) => {
      steps.push({ happened, ...(answered === undefined ? {} : { answered }) });
    },
    check: (holds, what) => {
      if (!holds) wrong.push(what);
    },
  };
  return {
    stage,
    steps,
    wrong,
    tool: () => names[0] ?? '',
    close: async () => {
      await Promise.all(ledgers.map((ledger) => ledger.close({ drainMs })));
    },
  };
}

type More = Pick<CreateLedgerOptions<Record<string, Tool>>, 'store' | 'onNotice' | 'onPoint'>;

function createOpen(
  runtime: Runtime,
  steps: Step[],
  wrong: string[],
): (tools: readonly Tool[], more: More) => Promise<Player> {
  const onFault = (where: string, fault: unknown): void => {
    wrong.push(`${where}: ${String(fault)}`);
  };
  return async (tools, more) => {
    const ledger = await createLedger({ tenant: 'demo', tools, runtime, onFault, ...more });
    return { ledger, call: createCall(ledger, tools, steps) };
  };
}

function createCall(ledger: Ledger, tools: readonly Tool[], steps: Step[]): Player['call'] {
  return async (happened, name, args, from) => {
    const step = { happened };
    const place = steps.push(step) - 1;
    const declared = tools.find((tool) => tool.name === name);
    if (declared === undefined) throw new Error(`the case has no tool ${name}`);
    const outcome = await ledger.tool(declared).call(args, from);
    steps[place] = { ...step, answered: outcome.messageForModel };
    return outcome as Outcome;
  };
}

function demoTool({ fields, ...definition }: DemoTool, provider: SandboxProvider): Tool {
  const properties = Object.fromEntries(
    fields.map((field) => [field, { type: field.endsWith('cents') ? 'integer' : 'string' }]),
  );
  const input = inputFromJsonSchema({ type: 'object', properties, required: fields });
  const times = { ...calm, ...definition };
  const { guarantee } = definition;
  return defineTool<JsonObject>({
    ...calm,
    retry: { attempts: 6, backoffMinMs: 1, backoffMaxMs: 20 },
    checks: { intervalMinMs: 10, intervalMaxMs: 40 },
    ...(guarantee === 'idempotent' ? { keyWindow: '24h' } : {}),
    ...definition,
    input,
    execute: executeAt(provider, { inFlightMs: times.inFlightMs }),
    ...(guarantee === 'lookup' ? { lookup: lookUpAt(provider) } : {}),
  });
}
