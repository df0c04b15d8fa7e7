// The programs of a run that carry actions out themselves, several of one tenant, with the SDK as it is. They
// die in the middle of a call and come back, stand still and wake, and hear of nothing meanwhile.
import { createLedger, type Ledger, type RemoteLedger } from '@action-ledger/client';
import { type ProviderPort } from '@action-ledger/sandbox';
import { type VirtualRuntime } from '@action-ledger/testkit/virtual-runtime';
import { type Chaos } from '../chaos.ts';
import { type Dice } from '../dice.ts';
import { faultsMs } from '../disturb.ts';
import { type Ether } from '../ether.ts';
import { createKnown } from '../known.ts';
import { createLife, type Life, livingRuntime, never } from '../life.ts';
import { tenants } from '../plan.ts';
import { providerLine } from '../provider-line.ts';
import { type Watch } from '../watch.ts';
import { type Principal } from './door.ts';
import { lineOf } from './line.ts';
import { toolsOfProgram } from './tools.ts';

export type RemoteProposing = Pick<RemoteLedger, 'propose'>;

export interface Programs {
  /** One of the tenant's that runs, if there is one. */
  readonly of: (tenant: string, nth: number) => RemoteProposing | undefined;
  /** Whoever stands still wakes. */
  readonly heal: () => void;
  readonly closeDown: () => void;
  readonly openAgain: () => void;
  readonly end: () => void;
}

export interface ProgramsDeps {
  readonly time: VirtualRuntime;
  readonly dice: Dice;
  readonly chaos: Chaos;
  readonly provider: ProviderPort;
  readonly front: (nth: number) => Ledger | undefined;
  readonly watch: Pick<Watch, 'actions' | 'sends' | 'breach' | 'ownerOfKey'>;
  readonly onStalledSend: (key: string) => void;
  readonly trace: (line: string) => void;
}

interface Seat extends Principal {
  readonly name: string;
  readonly namesNoLookup: boolean;
  incarnation: number;
  now:
    { readonly life: Life; readonly runtime: VirtualRuntime; ledger?: RemoteProposing } | undefined;
}

/** In so many runs some take part; of these tenants. */
const share = 0.4;

/** @returns the tenants whose programs take part, each with how many */
export function crewsOf(dice: Dice): ReadonlyMap<string, number> {
  if (dice.of('programs take part') >= share) return new Map();
  const [first, second] = tenants;
  const crews = new Map<string, number>([[first, dice.pick([1, 1, 2, 3], 'programs')]]);
  if (dice.of('programs of another') < 0.3) crews.set(second, 1);
  return crews;
}

export function startPrograms(crews: ReadonlyMap<string, number>, deps: ProgramsDeps): Programs {
  const { time, dice, chaos, trace } = deps;
  let isClosed = false;
  const seats = [...crews].flatMap(([tenant, count]) =>
    Array.from({ length: count }, (_, nth): Seat => {
      const name = `program-${tenant}-${nth}`;
      const namesNoLookup = dice.of('names no lookup', name) < 0.2;
      return { name, tenant, namesNoLookup, incarnation: 0, now: undefined };
    }),
  );
  const start = (seat: Seat): void => {
    seat.incarnation += 1;
    const life = createLife(`${seat.name}.${seat.incarnation}`);
    const differs = chaos.strikes('clock: differs', 0.2, life.name);
    const runtime = time.fork({
      seed: Math.floor(dice.of('seed of', life.name) * 2 ** 31),
      wallAheadMs: differs ? dice.between(-180_000, 180_000, 'skew', life.name) : 0,
    });
    const incarnation: NonNullable<Seat['now']> = { life, runtime };
    seat.now = incarnation;
    trace(`${life.name} starts`);
    open(deps, seat, incarnation, { die, stall }).then(
      (ledger) => {
        incarnation.ledger = ledger;
      },
      (error: unknown) => {
        trace(`${life.name} does not start: ${String(error)}`);
        die(seat, life);
      },
    );
  };
  const die = (seat: Seat, life: Life): void => {
    if (seat.now?.life !== life || life.is() === 'dead') return;
    life.die();
    trace(`${life.name} is dead`);
    time.timers.after(dice.between(500, 60_000, 'restart after', life.name), () => {
      if (seat.now?.life === life && !isClosed) start(seat);
    });
  };
  const stall = ({ now }: Seat, ms: number): void => {
    if (now?.life.is() !== 'up') return;
    trace(`${now.life.name} stands still for ${ms} ms`);
    now.life.stall();
    time.timers.after(ms, now.life.wake);
  };
  for (const seat of seats) {
    time.timers.after(dice.between(100, 20_000, 'begins', seat.name), () => {
      if (!isClosed && seat.now === undefined) start(seat);
    });
    for (let nth = 0; nth < 3; nth += 1)
      time.timers.after(dice.between(0, faultsMs, 'disturbed at', seat.name, nth), () => {
        if (chaos.strikes('program: killed', 0.2, seat.name, nth) && seat.now !== undefined)
          die(seat, seat.now.life);
        if (chaos.strikes('program: stalled', 0.2, seat.name, nth))
          stall(seat, dice.between(1_000, 240_000, 'stalled for', seat.name, nth));
      });
  }
  const bury = (): void => {
    for (const { now } of seats) now?.life.die();
  };
  return {
    of: (tenant, nth) => {
      const running = seats.flatMap((seat) => {
        const { ledger, life } = seat.now ?? {};
        return seat.tenant === tenant && ledger !== undefined && life?.is() === 'up'
          ? [ledger]
          : [];
      });
      return running[nth % Math.max(1, running.length)];
    },
    heal: () => {
      for (const { now } of seats) now?.life.wake();
    },
    closeDown: () => {
      isClosed = true;
      bury();
    },
    openAgain: () => {
      isClosed = false;
      seats.forEach(start);
    },
    end: bury,
  };
}

let loading: Promise<unknown> | undefined;

/** What runs tools is loaded with the first program, from files: all others find it there. */
export function programsLoaded(): Promise<unknown> {
  const elsewhere = async (): Promise<Response> => {
    const headers = { get: () => null };
    return { status: 302, headers, body: null } as unknown as Response;
  };
  loading ??= createLedger({
    url: 'http://elsewhere',
    fetch: elsewhere,
    tools: toolsOfProgram({ send: never, lookUp: never }),
  }).catch(() => undefined);
  return loading;
}

interface Fate {
  readonly die: (seat: Seat, life: Life) => void;
  readonly stall: (seat: Seat, ms: number) => void;
}

function open(
  deps: ProgramsDeps,
  seat: Seat,
  { life, runtime }: NonNullable<Seat['now']>,
  fate: Fate,
): Promise<RemoteProposing> {
  const { time, dice, chaos, front, watch } = deps;
  const { told } = watch.sends;
  /** The lookups that it was handed last, by action. */
  const asked = new Map<string, string>();
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => void time.timers.after(ms, resolve));
  const stall = (ms: number): void => {
    if (seat.now?.life === life) fate.stall(seat, ms);
  };
  const ether = etherOf(deps, life, {
    pause,
    stall,
    jump: (ms) => {
      runtime.setWall(runtime.clock.wallMs() + ms);
    },
    killed: () => {
      fate.die(seat, life);
      return never();
    },
  });
  const own = {
    ...ether,
    sends: {
      ...watch.sends,
      looksUp: (key: string) => told.looksUp(asked.get(watch.ownerOfKey(key) ?? '') ?? ''),
    },
  };
  return createLedger({
    url: 'http://ledger',
    runtime: livingRuntime(life, runtime),
    tools: toolsOfProgram(providerLine(own, deps.provider, watch.ownerOfKey)),
    onFault: (where, fault) => {
      deps.trace(`${life.name} ${where}: ${String(fault)}`);
    },
    fetch: lineOf({
      life,
      who: seat,
      dice,
      chaos,
      now: () => time.clock.monoMs(),
      pause,
      front,
      told,
      stall,
      sentNext: (actionId) =>
        new Promise((resolve) => {
          watch.sends.onNext(watch.actions.get(actionId)?.downstreamKey ?? '', resolve);
        }),
      onLookup: (actionId, lookup) => asked.set(actionId, lookup),
      namesNoLookup: seat.namesNoLookup,
      breach: watch.breach,
    }),
  });
}

function etherOf(
  { dice, chaos, watch, onStalledSend }: ProgramsDeps,
  life: Life,
  own: Pick<Ether, 'pause' | 'stall' | 'jump' | 'killed'>,
): Ether {
  return {
    life,
    dice,
    chaos,
    isStoreAway: () => false,
    wake: life.wake,
    sends: watch.sends,
    writes: () => undefined,
    breach: watch.breach,
    isRecovering: () => false,
    known: createKnown(),
    onStalledSend,
    ...own,
  };
}
