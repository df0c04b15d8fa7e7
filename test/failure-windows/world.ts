// One world per test: a provider that counts effects, an event store that outlives its processes, and
// ledgers over it, each in a process of its own with virtual time. Afterwards everything that must
// always hold is checked against the provider's own count.
import { mkdtempSync, rmSync } from 'node:fs';
import { hash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import {
  type CallContext,
  createLedger,
  type Ledger,
  type Notice,
  type Outcome,
  type WritePoint,
} from '@action-ledger/client';
import { verifyLedger } from '@action-ledger/application';
import { foldAction, unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  actionOfStream,
  checkLedger,
  type JsonObject,
  streamOfAction,
} from '@action-ledger/domain';
import { createMemoryEventStore, type EventStore, StoreFault } from '@action-ledger/event-store';
import { openSqliteEventStore, restoreBackup } from '@action-ledger/event-store-sqlite';
import { createSystemRuntime } from '@action-ledger/runtime';
import {
  createProvider,
  type ProviderOptions,
  type ProviderPort,
  type SandboxProvider,
} from '@action-ledger/sandbox';
import {
  createFaultScript,
  createFaultyEventStore,
  createVirtualRuntime,
  type FaultPlan,
  type FaultScript,
  type VirtualRuntime,
} from '@action-ledger/testkit';
import { type Tool } from '@action-ledger/tools';
import { createLife, type Life, mortalPort, mortalRuntime, mortalStore, never } from './mortal.ts';

export const adapters = ['memory', 'sqlite'] as const;
export type Adapter = (typeof adapters)[number];
export const guarantees = ['idempotent', 'lookup', 'natural', 'manual'] as const;

export interface WorldOptions extends Omit<ProviderOptions, 'runtime'> {
  readonly store: Adapter;
  /** Of each process. It reaches the provider through the port, as long as it lives. */
  readonly tools: (port: ProviderPort) => readonly Tool[];
}

export interface StartOptions {
  /** It dies as it reaches the point for the nth time (default the first). */
  readonly diesAt?: WritePoint;
  readonly nth?: number;
  readonly wallAheadMs?: number;
  readonly tools?: WorldOptions['tools'];
  readonly isPaused?: () => boolean;
  /** Where days pass: sweeps of seconds would only cost time. Default: as in DESIGN.md. */
  readonly sweepMs?: number;
  readonly onPoint?: (point: WritePoint, actionId: string) => void | Promise<void>;
  /** Faults of the store, scripted from the start. */
  readonly script?: (script: FaultScript) => void;
}

export type Outage = 'none' | 'appends' | 'all';

export interface Process {
  readonly ledger: Ledger;
  readonly runtime: VirtualRuntime;
  /** What goes wrong between this process and the store, append by append. */
  readonly script: FaultScript;
  /** What the store refuses from now on. */
  readonly outage: (what: Outage) => void;
  readonly notices: readonly Notice[];
  readonly faults: readonly string[];
  readonly isDead: () => boolean;
  readonly die: () => void;
  /** Begins a call. Time passes only when the test says so. */
  readonly begin: (
    args: JsonObject,
    context: CallContext,
    tool?: string,
  ) => Promise<Outcome<unknown>>;
  /** Calls, and lets time pass until there is an answer. */
  readonly call: (
    args: JsonObject,
    context: CallContext,
    tool?: string,
  ) => Promise<Outcome<unknown>>;
}

export interface World {
  readonly provider: SandboxProvider;
  /** The provider's own clock, and the passing of time. */
  readonly time: VirtualRuntime;
  readonly store: () => EventStore;
  /** Another process over the store. The ones before go on: each is a worker that was taken for dead. */
  readonly start: (options?: StartOptions) => Promise<Process>;
  /** Every process so far dies without a word; another one opens the store. */
  readonly restart: (options?: StartOptions) => Promise<Process>;
  /** Of the store as it is now. */
  readonly backup: () => Promise<void>;
  /** Every process so far dies, and the last backup takes the store's place. */
  readonly goBack: () => Promise<void>;
  readonly advance: (ms: number) => Promise<void>;
  /** Lets time pass until the work is done. */
  readonly during: <Result>(work: Promise<Result>, withinMs?: number) => Promise<Result>;
  readonly action: (actionId: string | undefined) => Promise<Action>;
  readonly actions: () => Promise<readonly Action[]>;
  readonly events: (actionId: string | undefined) => Promise<readonly ActionEvent[]>;
  /** Fails where an invariant is broken, or the provider's count contradicts the record. */
  readonly expectSound: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');
const tenant = 'acme';
/** Between two looks whether there is an answer; they grow with the time that has passed. */
const stepMsMin = 200;

export async function openWorld(options: WorldOptions): Promise<World> {
  const time = createVirtualRuntime();
  const provider = createProvider({ ...options, runtime: time });
  const disk = await openDisk(options.store, time);
  const processes: Process[] = [];
  const start = async (more: StartOptions = {}): Promise<Process> => {
    const seed = 100 + processes.length;
    const process = await startProcess({ ...options, ...more }, { time, provider, disk, seed });
    processes.push(process);
    return process;
  };
  const world: Omit<World, 'expectSound'> = {
    provider,
    time,
    store: disk.store,
    start,
    restart: async (more) => {
      for (const process of processes) process.die();
      await time.settle();
      await disk.reopen();
      return start(more);
    },
    backup: disk.backup,
    goBack: async () => {
      for (const process of processes) process.die();
      await time.settle();
      await disk.goBack();
    },
    advance: (ms) => time.advance(ms),
    during: (work, withinMs) => during(time, work, withinMs),
    action: async (actionId) => fold(disk.store(), actionId ?? ''),
    actions: () => allActions(disk.store()),
    events: async (actionId) => {
      const stored = await disk.store().readStream(streamOfAction(actionId ?? ''));
      return stored.map((event) => unsealActionEvent(event).event);
    },
    close: async () => {
      for (const process of processes) process.die();
      await disk.close();
    },
  };
  return { ...world, expectSound: () => expectSound(world) };
}

/** Opens a world for the test and closes it after. */
export async function inWorld(
  options: WorldOptions,
  test: (world: World) => Promise<void>,
): Promise<void> {
  const world = await openWorld(options);
  try {
    await test(world);
    await world.expectSound();
  } finally {
    await world.close();
  }
}

interface Disk {
  readonly store: () => EventStore;
  /** As the next process finds it. */
  readonly reopen: () => Promise<void>;
  readonly backup: () => Promise<void>;
  readonly goBack: () => Promise<void>;
  readonly close: () => Promise<void>;
}

async function openDisk(adapter: Adapter, { clock }: VirtualRuntime): Promise<Disk> {
  if (adapter === 'memory') {
    let store = createMemoryEventStore();
    let copy = store.events();
    return {
      store: () => store,
      reopen: async () => {
        store = createMemoryEventStore({ events: store.events() });
      },
      backup: async () => {
        copy = store.events();
      },
      goBack: async () => {
        store = createMemoryEventStore({ events: copy, mark: store.events().length });
      },
      close: async () => undefined,
    };
  }
  const folder = mkdtempSync(join(tmpdir(), 'failure-window-'));
  const path = join(folder, 'ledger.db');
  const copy = join(folder, 'copy.db');
  const runtime = { ...createSystemRuntime(), clock };
  const open = (): ReturnType<typeof openSqliteEventStore> =>
    openSqliteEventStore({ path, runtime });
  let store = await open();
  return {
    store: () => store,
    reopen: async () => {
      await store.close();
      store = await open();
    },
    backup: async () => {
      await store.backup(copy, { overwrite: true });
    },
    goBack: async () => {
      await store.close();
      await restoreBackup({ from: copy, path, runtime });
      store = await open();
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Surroundings {
  readonly time: VirtualRuntime;
  readonly provider: SandboxProvider;
  readonly disk: Disk;
  readonly seed: number;
}

async function startProcess(
  options: WorldOptions & StartOptions,
  { time, provider, disk, seed }: Surroundings,
): Promise<Process> {
  const { wallAheadMs = 0, isPaused, sweepMs } = options;
  const life = createLife();
  const script = createFaultScript();
  const outage = createOutage();
  const runtime = time.fork({ wallAheadMs, seed });
  const notices: Notice[] = [];
  const faults: string[] = [];
  options.script?.(script);
  const tools = options.tools(mortalPort(life, provider));
  const ledger = await createLedger({
    store: mortalStore(
      life,
      createFaultyEventStore(createFaultyEventStore(disk.store(), script), outage.plan),
    ),
    runtime: mortalRuntime(life, runtime),
    tools,
    tenant,
    ...(sweepMs === undefined ? {} : { sweepMs }),
    onNotice: (notice) => notices.push(notice),
    onFault: (where, fault) => faults.push(`${where}: ${String(fault)}`),
    onPoint: deathAt(life, options),
    ...(isPaused === undefined ? {} : { isPaused }),
  });
  const begin: Process['begin'] = (args, context, name) => {
    const tool = tools.find((each) => each.name === (name ?? tools[0]?.name));
    if (tool === undefined) throw new Error(`no tool ${String(name)}`);
    return ledger.tool(tool).call(args, context);
  };
  return {
    ledger,
    runtime,
    script,
    outage: outage.set,
    notices,
    faults,
    isDead: life.isDead,
    die: life.die,
    begin,
    call: (...call) => during(time, begin(...call)),
  };
}

function createOutage(): { readonly plan: FaultPlan; readonly set: (what: Outage) => void } {
  let now: Outage = 'none';
  const away = (): StoreFault =>
    new StoreFault('store.unavailable', 'safe', 'The event store is away (injected).');
  return {
    plan: {
      beforeAppend: () => {
        if (now !== 'none') throw away();
      },
      beforeRead: () => {
        if (now === 'all') throw away();
      },
    },
    set: (what) => {
      now = what;
    },
  };
}

function deathAt(
  life: Life,
  { diesAt, nth = 1, onPoint }: StartOptions,
): NonNullable<StartOptions['onPoint']> {
  let passed = 0;
  return (point, actionId) => {
    if (life.isDead()) return dead(point);
    if (point !== diesAt) return onPoint?.(point, actionId);
    passed += 1;
    if (passed < nth) return onPoint?.(point, actionId);
    life.die();
    return dead(point);
  };
}

/** `sending` is passed within the send itself: there the end of the process is an exception. */
function dead(point: WritePoint): Promise<void> {
  if (point === 'sending') throw new Error('the process is dead');
  return never();
}

/** So long a test waits for anything, in virtual ms. */
const withinMsUsual = 3 * 60 * 60 * 1_000;

async function during<Result>(
  time: VirtualRuntime,
  work: Promise<Result>,
  withinMs = withinMsUsual,
): Promise<Result> {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  work.then(over, over);
  await time.settle();
  for (let waited = 0; waited < withinMs && !isDone();) {
    const stepMs = Math.max(stepMsMin, Math.round(waited / 50));
    await time.advance(stepMs);
    waited += stepMs;
  }
  if (!isDone()) throw new Error(`nothing came of it within ${withinMs} ms`);
  return work;
  function isDone(): boolean {
    return isOver;
  }
}

async function fold(store: EventStore, actionId: string): Promise<Action> {
  const stream = streamOfAction(actionId);
  const folded = foldAction(sha256, stream, await store.readStream(stream));
  if (folded.kind === 'broken') throw new Error(`${stream} is broken: ${folded.reason}`);
  return folded.action;
}

async function allActions(store: EventStore): Promise<readonly Action[]> {
  const events = await store.readAll({ after: 0, max: 100_000 });
  const ids = new Set(events.map(({ stream }) => actionOfStream(stream) ?? ''));
  ids.delete('');
  return Promise.all([...ids].map((id) => fold(store, id)));
}

type Checkable = Pick<World, 'store' | 'time' | 'provider' | 'actions'>;

async function expectSound(world: Checkable): Promise<void> {
  await world.time.settle();
  const { brokenInvariants } = await verifyLedger(world.store(), { sha256 });
  expect(brokenInvariants).toEqual([]);
  const actions = await world.actions();
  const tallies = world.provider.tally();
  const now = Math.max(world.time.clock.wallMs(), ...actions.map(({ updatedAt }) => updatedAt));
  expect(checkLedger(actions, { now, provider: tallies })).toEqual([]);
  expect(actions.flatMap((action) => lostOrFound(world, action))).toEqual([]);
}

/** A success without effect, or an effect that nobody knows of or looks after. */
function lostOrFound({ provider }: Checkable, action: Action): readonly string[] {
  const { id, status, downstreamKey, outcome } = action;
  if (downstreamKey === undefined) return [];
  const effects = provider.tallyOf(action.tenant, downstreamKey)?.effects ?? 0;
  if (effects > 0 && !isAccountedFor(action)) return [`${id} is ${status}, but had its effect`];
  if (effects === 0 && outcome !== undefined) return [`${id} is ${status}, but had no effect`];
  return [];
}

function isAccountedFor({ status, outcome, claim, watch, guarantee, ending }: Action): boolean {
  if (outcome !== undefined) return true;
  if (status === 'unknown') return watch !== undefined;
  if (status === 'dispatched' || status === 'claimed') return claim !== undefined;
  if (status === 'superseded') return guarantee === 'natural';
  return status === 'failed' && ending?.stands === true;
}
