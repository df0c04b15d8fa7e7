// One world per test: a provider that counts effects, an event store that outlives its processes, and
// ledgers over it, each in a process of its own with virtual time. Afterwards everything that must
// always hold is checked against the provider's own count.
import { expect } from '@jest/globals';
import { verifyLedger } from '@action-ledger/application';
import { foldAction, unsealActionEvent } from '@action-ledger/codec';
import {
  type Action,
  type ActionEvent,
  actionOfStream,
  checkLedger,
  streamOfAction,
} from '@action-ledger/domain';
import { type EventStore } from '@action-ledger/event-store';
import {
  createProvider,
  type ProviderOptions,
  type ProviderPort,
  type SandboxProvider,
} from '@action-ledger/sandbox';
import { createVirtualRuntime, type VirtualRuntime } from '@action-ledger/testkit';
import { type Tool } from '@action-ledger/tools';
import { type Disk, openDisk, type StoreKind } from './disk.ts';
import { createCrews } from './services.ts';
import { sha256 } from './sha256.ts';
import { type Process, type Shape, startProcess, type StartOptions } from './process.ts';

export { type StoreKind, stores } from './disk.ts';
export { type Outage, type Process, type StartOptions } from './process.ts';

const { FAILURE_WINDOWS: wanted = 'embedded', FAILURE_WINDOWS_SHARE: share = '' } = process.env;
/** Each window once, however many guarantees it applies to. */
export const isShare = share !== '';

const settings = {
  memory: { kind: 'memory', shape: 'one ledger' },
  sqlite: { kind: 'sqlite', shape: 'one ledger' },
  'memory, through services': { kind: 'memory', shape: 'services' },
  'sqlite, through services': { kind: 'sqlite', shape: 'services' },
  eventstoredb: { kind: 'eventstoredb', shape: 'one ledger' },
  'eventstoredb, through services': { kind: 'eventstoredb', shape: 'services' },
  'eventstoredb and Kafka, through services': { kind: 'distributed', shape: 'services' },
} as const satisfies Readonly<Record<string, { readonly kind: StoreKind; readonly shape: Shape }>>;

export type Adapter = keyof typeof settings;

/**
 * Each test runs over every store, in one ledger and through services that have cores of their own. Those
 * over servers take real time: FAILURE_WINDOWS=eventstoredb or distributed runs them, and no others.
 */
export const adapters: readonly Adapter[] = (Object.keys(settings) as readonly Adapter[]).filter(
  (name) => setOf(settings[name].kind) === wanted,
);

function setOf(kind: StoreKind): string {
  return kind === 'memory' || kind === 'sqlite' ? 'embedded' : kind;
}

export const guarantees = ['idempotent', 'lookup', 'natural', 'manual'] as const;

export interface WorldOptions extends Omit<ProviderOptions, 'runtime'> {
  readonly store: Adapter;
  /** Of each process. It reaches the provider through the port, as long as it lives. */
  readonly tools: (port: ProviderPort) => readonly Tool[];
}

export interface World {
  readonly shape: Shape;
  /** Services of all its processes share their groups: which of them does what is not known. */
  readonly sharesGroups: boolean;
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

/** Between two looks whether there is an answer; they grow with the time that has passed. */
const stepMsMin = 200;

export async function openWorld(options: WorldOptions): Promise<World> {
  const { kind, shape } = settings[options.store];
  const real: { underWay?: Disk['underWay'] } = {};
  const time = createVirtualRuntime({ settling: 'quiet', underWay: () => real.underWay?.() });
  const provider = createProvider({ ...options, runtime: time });
  const disk = await openDisk(kind, time);
  real.underWay = disk.underWay;
  const crews = createCrews();
  const processes: Process[] = [];
  const start = async (more: StartOptions = {}): Promise<Process> => {
    const seed = 100 + processes.length;
    const process = await startProcess(
      { ...options, ...more, shape },
      { time, provider, disk, seed, crews, during: (work) => during(time, work) },
    );
    processes.push(process);
    return process;
  };
  const world: Omit<World, 'expectSound'> = {
    shape,
    sharesGroups: disk.log !== undefined,
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
