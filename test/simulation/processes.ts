// The processes of a run, as they run for real: one ledger that does everything, or fronts that only record
// and beside them executors, a reconciler, a compensator and an auditor, each with a core of its own. Each
// lives and dies by itself, and a supervisor starts it again.
import { hash } from 'node:crypto';
import {
  amongProcesses,
  createFollower,
  type Duty,
  type OwnCore,
  type Service,
} from '@action-ledger/application';
import { createAuditor } from '@action-ledger/auditor';
import { composeLedger, createLedger, type Ledger, type WritePoint } from '@action-ledger/client';
import { createCompensator } from '@action-ledger/compensator';
import { type MemoryEventLog } from '@action-ledger/event-log';
import { type EventStore } from '@action-ledger/event-store';
import { createExecutor } from '@action-ledger/executor';
import { createReconciler } from '@action-ledger/reconciler';
import { type Runtime } from '@action-ledger/runtime';
import { type ProviderPort } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { createToolSet } from '@action-ledger/tools';
import { type Chaos } from './chaos.ts';
import { type Dice } from './dice.ts';
import { type Ether } from './ether.ts';
import { createKnown } from './known.ts';
import { createLife, type Life, livingRuntime, never } from './life.ts';
import { logLine, sessionMs } from './log-line.ts';
import { providerLine } from './provider-line.ts';
import { storeLine } from './store-line.ts';
import { minute, type Release, simulatedTools } from './tools.ts';
import { type Watch } from './watch.ts';

export const sha256 = (text: string): string => hash('sha256', text, 'base64url');

export type Shape = 'one ledger' | 'services';
type ServiceRole = 'executor' | 'reconciler' | 'compensator' | 'auditor';
type Role = 'ledger' | 'front' | ServiceRole;

export interface Surroundings {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly store: () => EventStore;
  readonly log: () => MemoryEventLog;
  readonly provider: ProviderPort;
  readonly isStoreAway: () => boolean;
  readonly onStalledSend: (key: string) => void;
  readonly watch: Pick<Watch, 'sends' | 'writes' | 'breach' | 'ownerOfKey'>;
  readonly trace: (line: string) => void;
  readonly onBreach: (what: string, invariant: string) => void;
  /** Of processes that take requests: what is due of the tools of programs is offered to them there. */
  readonly frontDuties: readonly Duty[];
}

export interface Processes {
  /** A ledger that takes calls, if one runs. */
  readonly front: (nth: number) => Ledger | undefined;
  /** Whoever stands still wakes, whoever is dead is started again. */
  readonly heal: () => void;
  /** All of them at once, until they are opened again. */
  readonly closeDown: () => void;
  readonly openAgain: () => void;
  readonly kill: (nth: number) => void;
  readonly stall: (nth: number, ms: number) => void;
  readonly jump: (nth: number, ms: number) => void;
  readonly faults: readonly string[];
  /** Nobody takes part any more: whatever is left of them can be forgotten. */
  readonly end: () => void;
}

interface Incarnation {
  readonly life: Life;
  readonly runtime: VirtualRuntime;
  readonly expire: () => void;
  ledger?: Ledger;
}

interface Seat {
  readonly name: string;
  readonly role: Role;
  incarnation: number;
  now: Incarnation | undefined;
}

const rolesOf: Readonly<Record<Shape, readonly Role[]>> = {
  'one ledger': ['ledger'],
  services: ['front', 'front', 'executor', 'executor', 'reconciler', 'compensator', 'auditor'],
};

/** Whoever starts later than this runs the second release; whoever ran before is replaced one by one. */
const rolloutAtMs = 8 * minute;
const rolloutEveryMs = 40_000;

/** Four and more cores that sweep as often as one would do little else. */
const sweepMsIn: Readonly<Record<Shape, number>> = { 'one ledger': 5_000, services: 30_000 };
/** Of consumers, whose looks at their lag would only cost time. */
const lookEveryMs = 24 * 3_600_000;
const clockSkewMs = 180_000;

export function startProcesses(shape: Shape, world: Surroundings): Processes {
  const { time, dice, chaos, trace } = world;
  const faults: string[] = [];
  let release: Release = 1;
  const all: Incarnation[] = [];
  let isClosed = false;
  const seats: readonly Seat[] = rolesOf[shape].map((role, index) => ({
    name: `${role}-${index}`,
    role,
    incarnation: 0,
    now: undefined,
  }));

  const start = (seat: Seat): void => {
    seat.incarnation += 1;
    const name = `${seat.name}.${seat.incarnation}`;
    const life = createLife(name);
    const differs = chaos.strikes('clock: differs', 0.3, name);
    const runtime = time.fork({
      seed: Math.floor(dice.of('seed of', name) * 2 ** 31),
      wallAheadMs: differs ? dice.between(-clockSkewMs, clockSkewMs, 'skew', name) : 0,
    });
    const ether = etherOf(world, life, {
      die: () => {
        die(seat, life);
      },
      stall: (ms) => {
        if (seat.now?.life === life) stall(seat, ms);
      },
      jump: (ms) => {
        jump(seat, ms);
      },
    });
    const line = logLine(ether, world.log());
    const incarnation: Incarnation = { life, runtime, expire: line.expire };
    seat.now = incarnation;
    all.push(incarnation);
    trace(`${name} starts`);
    open(seat.role, { shape, world, ether, runtime, line, faults, release }).then(
      (ledger) => {
        if (ledger !== undefined) incarnation.ledger = ledger;
      },
      (error: unknown) => {
        if (life.is() === 'dead') return;
        trace(`${name} does not start: ${String(error)}`);
        die(seat, life);
      },
    );
  };
  /** @returns whether it lived */
  const bury = ({ life, expire }: Incarnation): boolean => {
    if (life.is() === 'dead') return false;
    life.die();
    trace(`${life.name} is dead`);
    time.timers.after(sessionMs, expire);
    return true;
  };
  const die = (seat: Seat, life: Life): void => {
    const { now } = seat;
    if (now?.life !== life || !bury(now)) return;
    const { name } = life;
    time.timers.after(dice.between(500, 60_000, 'restart after', name), () => {
      if (seat.now === now && !isClosed) start(seat);
    });
  };
  const stall = ({ now }: Seat, ms: number): void => {
    if (now?.life.is() !== 'up') return;
    trace(`${now.life.name} stands still for ${ms} ms`);
    now.life.stall();
    time.timers.after(ms, () => {
      now.life.wake();
    });
  };
  const jump = ({ now }: Seat, ms: number): void => {
    if (now === undefined) return;
    trace(`the clock of ${now.life.name} jumps by ${ms} ms`);
    now.runtime.setWall(now.runtime.clock.wallMs() + ms);
  };
  const seatAt = (nth: number): Seat => seats[nth % seats.length] as Seat;

  for (const seat of seats) start(seat);
  const isRolledOut = chaos.strikes('process: a new release', 0.3, 'once');
  seats.forEach((seat, index) => {
    if (!isRolledOut) return;
    time.timers.after(rolloutAtMs + index * rolloutEveryMs, () => {
      release = 2;
      if (seat.now !== undefined) die(seat, seat.now.life);
    });
  });
  return {
    faults,
    end: () => {
      for (const { life, expire } of all) {
        life.die();
        expire();
      }
    },
    front: (nth) => {
      const ledgers = seats.flatMap(({ now }) =>
        now?.ledger !== undefined && now.life.is() === 'up' ? [now.ledger] : [],
      );
      return ledgers[nth % Math.max(1, ledgers.length)];
    },
    heal: () => {
      for (const { now } of seats) now?.life.wake();
    },
    closeDown: () => {
      isClosed = true;
      for (const { now } of seats) if (now !== undefined) bury(now);
    },
    openAgain: () => {
      isClosed = false;
      for (const seat of seats) start(seat);
    },
    kill: (nth) => {
      const seat = seatAt(nth);
      if (seat.now !== undefined) die(seat, seat.now.life);
    },
    stall: (nth, ms) => {
      stall(seatAt(nth), ms);
    },
    jump: (nth, ms) => {
      jump(seatAt(nth), ms);
    },
  };
}

function etherOf(
  world: Surroundings,
  life: Life,
  { die, ...self }: Pick<Ether, 'stall' | 'jump'> & { readonly die: () => void },
): Ether {
  const { dice, chaos, time, isStoreAway, onStalledSend, watch } = world;
  return {
    life,
    dice,
    chaos,
    pause: (ms) => new Promise((resolve) => void time.timers.after(ms, resolve)),
    isStoreAway,
    onStalledSend,
    ...self,
    wake: life.wake,
    sends: watch.sends,
    writes: (ids) => {
      watch.writes(life.name, ids);
    },
    breach: watch.breach,
    isRecovering: () => world.store().condition().kind !== 'ready',
    known: createKnown(),
    killed: () => {
      die();
      return never();
    },
  };
}

interface Opening {
  readonly shape: Shape;
  readonly world: Surroundings;
  readonly ether: Ether;
  readonly runtime: Runtime;
  readonly line: ReturnType<typeof logLine>;
  readonly faults: string[];
  readonly release: Release;
}

async function open(role: Role, opening: Opening): Promise<Ledger | undefined> {
  const { shape, world, ether, line, faults } = opening;
  const runtime = livingRuntime(ether.life, opening.runtime);
  const provider = providerLine(ether, world.provider, world.watch.ownerOfKey);
  const tools = simulatedTools(provider, opening.release);
  const onFault = (where: string, fault: unknown): void => {
    faults.push(`${ether.life.name} ${where}: ${String(fault)}`);
  };
  const ports = {
    store: storeLine(ether, world.store),
    runtime,
    // In some runs few things are under way at once, and the rest waits for room.
    ...(world.dice.of('few slots') < 0.2 ? { slotsMax: 2 } : {}),
    sweepMs: sweepMsIn[shape],
    onFault,
    onPoint: (point: WritePoint, actionId: string): void | Promise<void> => {
      const place = [ether.life.name, point, actionId] as const;
      if (
        point === 'dispatched' &&
        world.chaos.strikes('process: stalled', 0.015, 'before it sends', actionId)
      ) {
        // Some wake after the deadline of the attempt, some after the end of its lease too.
        ether.stall(world.dice.between(25_000, 55_000, 'stalled', ...place));
        return ether.life.pass();
      }
      if (!world.chaos.strikes('process: killed at a point', 0.0006, ...place)) return undefined;
      const death = ether.killed();
      // Within a send it is an exception that ends the call.
      if (point === 'sending') throw new Error('the process is dead');
      return death;
    },
  };
  if (role === 'ledger') return createLedger({ ...ports, tools });
  if (role === 'front') {
    const { ledger, core } = await composeLedger(
      { ...ports, tools },
      { duties: world.frontDuties, crew: amongProcesses },
    );
    const instance = ether.life.name;
    await createFollower({ core, log: line, instance, runtime, lookEveryMs, onFault }).start();
    return ledger;
  }
  await serviceOf(
    role,
    { ...opening, runtime },
    {
      ...ports,
      instance: ether.life.name,
      crew: amongProcesses,
      sha256,
      tools: createToolSet(tools),
      digestSecret: () => {
        throw new Error('no tool here has secrets');
      },
    },
  ).start();
  return undefined;
}

function serviceOf(role: ServiceRole, { runtime, line, world }: Opening, own: OwnCore): Service {
  const { onFault, store } = own;
  const more = onFault === undefined ? {} : { onFault };
  const deps = { core: { own }, log: line, runtime, lookEveryMs, ...more };
  switch (role) {
    case 'executor':
      return createExecutor(deps);
    case 'reconciler':
      return createReconciler(deps);
    case 'compensator':
      return createCompensator(deps);
    case 'auditor':
      return createAuditor({
        log: line,
        store,
        runtime,
        sha256,
        clock: { nowMs: () => runtime.clock.wallMs() },
        lookEveryMs,
        sweepMs: sweepMsIn.services,
        ownerOfExternalId: () => undefined,
        onBroken: (breach) => {
          const { invariant, stream, detail } = breach;
          world.onBreach(`auditor: ${invariant} of ${stream}: ${detail}`, invariant);
        },
        ...more,
      });
  }
}
