// A ledger in memory with tools that only callers have: what they declare, propose, take and report, at
// a time that moves when a test says so.
import { type Action, type JsonObject } from '@action-ledger/domain';
import { createMemoryEventStore, type EventStore } from '@action-ledger/event-store';
import { callerDeclaration, defineTool, type ToolDefinition } from '@action-ledger/tools';
import { createLedger, type CreateLedgerOptions, type Ledger } from '@action-ledger/client';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { z } from 'zod';
import {
  type CallerDoor,
  type HandedOut,
  type OutcomeRequest,
  type Proposed,
  type Work,
  type WorkRequest,
} from '../src/index.ts';

type Changes = Partial<ToolDefinition<{ invoice: string; cents: number }>>;

/** As a caller declares it, with its functions left at home. */
export function paying(changes: Changes = {}, canLookUp = true): JsonObject {
  return callerDeclaration(
    defineTool({
      name: 'pay',
      input: z.object({ invoice: z.string(), cents: z.int() }),
      identity: ['invoice'],
      guarantee: 'idempotent',
      keyWindow: '24h',
      execute: () => null,
      ...(canLookUp ? { lookup: () => ({ verdict: 'absent' }) } : {}),
      ...changes,
    }),
  );
}

/** One that the ledger itself carries out. */
const ownTool = defineTool({
  name: 'greet',
  input: z.object({ whom: z.string() }),
  guarantee: 'manual',
  execute: ({ beforeSend }) => {
    beforeSend();
    return 'greeted';
  },
});

export interface CallerWorld {
  readonly runtime: VirtualRuntime;
  readonly store: EventStore;
  readonly ledger: () => Ledger;
  readonly callers: () => CallerDoor;
  /** Proposes to pay invoice `A`, to be carried out by `worker`. */
  readonly propose: (worker: string, changes?: JsonObject, call?: string) => Promise<Proposed>;
  /** As `propose`, of what is not to be carried out by whoever proposes it. */
  readonly leave: (changes?: JsonObject) => Promise<string>;
  readonly outcome: (
    of: Handed,
    changes?: Partial<OutcomeRequest>,
  ) => ReturnType<CallerDoor['outcome']>;
  readonly work: (changes?: Partial<WorkRequest>) => Promise<readonly Work[]>;
  readonly action: (actionId: string) => Promise<Action>;
  readonly typesOf: (actionId: string) => Promise<readonly string[]>;
  /** The process of the ledger ends, and another opens its store. */
  readonly restart: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Of a dispatch in a caller's hands. */
export interface Handed {
  readonly actionId: string;
  readonly worker: string;
  readonly dispatch: HandedOut;
}

export const succeeded = {
  kind: 'succeeded',
  result: { refund: 'r-77' },
  externalId: 'r-77',
} as const;

export async function callerWorld(
  declarations: readonly JsonObject[] = [paying()],
  options: Pick<CreateLedgerOptions<never>, 'onNotice' | 'pauseOnBurst'> = {},
): Promise<CallerWorld> {
  const runtime = createVirtualRuntime();
  const memory = createMemoryEventStore();
  const store = { ...memory, close: async () => undefined };
  const open = (): Promise<Ledger> =>
    createLedger({ store, runtime, tools: { ownTool }, ...options });
  let ledger = await open();
  await ledger.callers.register({ tenant: 'default', by: 'agent', declarations });
  const asked = (changes = {}, call = 'c-1'): Parameters<CallerDoor['propose']>[0] => ({
    tool: 'pay',
    tenant: 'default',
    arguments: { invoice: 'A', cents: 500, ...changes },
    origin: { run: 'r-1', call },
    waitMs: 0,
    execute: { worker: '' },
  });
  const load = async (actionId: string): Promise<Action> => {
    const loaded = await ledger.load(actionId);
    if (loaded.kind === 'broken') throw new Error(`${actionId} is broken`);
    return loaded.action;
  };
  return {
    runtime,
    store,
    ledger: () => ledger,
    callers: () => ledger.callers,
    propose: (worker, changes, call) =>
      ledger.callers.propose({ ...asked(changes, call), execute: { worker } }),
    leave: async (changes) => {
      const { actionId = '' } = await ledger.propose(asked(changes));
      await runtime.advance(0);
      return actionId;
    },
    outcome: ({ actionId, worker, dispatch: { claim, attempt } }, changes = {}) =>
      ledger.callers.outcome({ actionId, worker, claim, attempt, outcome: succeeded, ...changes }),
    work: (changes = {}) =>
      ledger.callers.work({
        tenant: 'default',
        tools: ['pay'],
        holding: [],
        max: 10,
        waitMs: 0,
        ...changes,
      }),
    action: load,
    typesOf: async (actionId) => {
      const events = await store.readStream(`action-${actionId}`);
      return events.map(({ type }) => type);
    },
    restart: async () => {
      await ledger.close();
      ledger = await open();
      await runtime.advance(0);
    },
    close: () => ledger.close(),
  };
}

/** Proposes, and expects to be handed the dispatch. */
export async function handed(
  world: CallerWorld,
  worker: string,
  changes?: JsonObject,
): Promise<Handed> {
  return { worker, ...given(await world.propose(worker, changes)) };
}

function given({ answer: { actionId }, dispatch }: Proposed): Omit<Handed, 'worker'> {
  if (actionId === undefined || dispatch === undefined) throw new Error('no dispatch');
  return { actionId, dispatch };
}
