// One process over the store, with virtual time of its own: everything in one ledger, or a ledger that only
// records and the services beside it. It can die at any point, as a whole.
import {
  type CallContext,
  createLedger,
  type Ledger,
  type Notice,
  type Outcome,
  type WritePoint,
} from '@action-ledger/client';
import { type JsonObject } from '@action-ledger/domain';
import { StoreFault } from '@action-ledger/event-store';
import { type ProviderPort, type SandboxProvider } from '@action-ledger/sandbox';
import {
  createFaultScript,
  createFaultyEventStore,
  type FaultPlan,
  type FaultScript,
  type VirtualRuntime,
} from '@action-ledger/testkit';
import { type Tool } from '@action-ledger/tools';
import { type Disk } from './disk.ts';
import { createLife, type Life, mortalPort, mortalRuntime, mortalStore, never } from './mortal.ts';
import { type Crews, startServices } from './services.ts';

export interface StartOptions {
  /** It dies as it reaches the point for the nth time (default the first). */
  readonly diesAt?: WritePoint;
  readonly nth?: number;
  readonly wallAheadMs?: number;
  readonly tools?: ProcessOptions['tools'];
  readonly isPaused?: () => boolean;
  /** Where days pass: sweeps of seconds would only cost time. */
  readonly sweepMs?: number;
  readonly onPoint?: (point: WritePoint, actionId: string) => void | Promise<void>;
  /** Faults of the store, scripted from the start. */
  readonly script?: (script: FaultScript) => void;
}

/** `full`: appends, for want of room. */
export type Outage = 'none' | 'appends' | 'full' | 'all';

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

export interface Surroundings {
  readonly time: VirtualRuntime;
  readonly provider: SandboxProvider;
  readonly disk: Disk;
  readonly seed: number;
  readonly crews: Crews;
  /** Lets time pass until the work is done. */
  readonly during: <Result>(work: Promise<Result>) => Promise<Result>;
}

/** `one ledger`: it does everything. `services`: it only records, and services of their own do the rest. */
export type Shape = 'one ledger' | 'services';

export interface ProcessOptions extends StartOptions {
  readonly shape: Shape;
  readonly tools: (port: ProviderPort) => readonly Tool[];
}

const tenant = 'acme';

/** One ledger sweeps as in DESIGN.md. Four cores that sweep so often would do little else. */
const sweepMsIn: Readonly<Record<Shape, number>> = { 'one ledger': 5_000, services: 30_000 };

export async function startProcess(
  options: ProcessOptions,
  { time, provider, disk, seed, crews, during }: Surroundings,
): Promise<Process> {
  const { wallAheadMs = 0, isPaused, sweepMs = sweepMsIn[options.shape] } = options;
  const life = createLife();
  const script = createFaultScript();
  const outage = createOutage();
  const runtime = time.fork({ wallAheadMs, seed });
  const notices: Notice[] = [];
  const faults: string[] = [];
  options.script?.(script);
  const tools = options.tools(mortalPort(life, provider));
  const given = {
    store: mortalStore(
      life,
      createFaultyEventStore(createFaultyEventStore(disk.store(), script), outage.plan),
    ),
    runtime: mortalRuntime(life, runtime),
    sweepMs,
    onNotice: (notice: Notice) => notices.push(notice),
    onFault: (where: string, fault: unknown) => faults.push(`${where}: ${String(fault)}`),
    onPoint: deathAt(life, options),
    ...(isPaused === undefined ? {} : { isPaused }),
  };
  const ledger =
    options.shape === 'one ledger'
      ? await createLedger({ ...given, tools, tenant })
      : await startServices(
          { ...given, tools, tenant },
          {
            ...{ life, disk, crew: crews.next() },
            name: `process-${seed}`,
          },
        );
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
    call: (...call) => during(begin(...call)),
  };
}

function createOutage(): { readonly plan: FaultPlan; readonly set: (what: Outage) => void } {
  let now: Outage = 'none';
  const away = (): StoreFault =>
    new StoreFault('store.unavailable', 'safe', 'The event store is away (injected).');
  const full = (): StoreFault =>
    new StoreFault('store.disk-full', 'safe', 'The disk is full (injected).');
  return {
    plan: {
      beforeAppend: () => {
        if (now === 'full') throw full();
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
