// A runtime whose time moves only when a test says so: timers fire in order, randomness and ids come
// from a seed. The wall clock can be set apart from the monotonic one, back and forth.
import { type Runtime, type Timer } from '@action-ledger/runtime';
import { createDue, type Due } from './due.ts';

export interface VirtualRuntime extends Runtime {
  /** Moves both clocks on, firing what falls due in order, and lets everything it starts come to rest. */
  advance(ms: number): Promise<void>;
  /** Lets what is under way go on as far as it can without time passing. */
  settle(): Promise<void>;
  /** Sets the wall clock alone: clocks differ, or jump. */
  setWall(wallMs: number): void;
  /** Another process on the same machine: the same passing of time, another wall clock, start of the monotonic one, ids. */
  fork(options?: { readonly wallAheadMs?: number; readonly seed?: number }): VirtualRuntime;
  pendingTimers(): number;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

interface World {
  now: number;
  order: number;
  readonly due: Due<Entry>;
  readonly settle: () => Promise<void>;
}

/** Turns of the real event loop after which nothing more is expected without time passing. */
const settleTurns = 24;

/** Turns in a row in which nobody but the one who settles has anything to do. */
const quietTurns = 1;
/** Far more than any work takes that ends. */
const busyTurnsMax = 100_000;

export interface VirtualRuntimeOptions {
  readonly wallMs?: number;
  readonly seed?: number;
  /**
   * How work comes to rest. `turns`: after a fixed number of turns of the event loop. `quiet`: when nothing
   * waits for a turn any more, however many hands it passes through; only where nothing real (a file read in
   * the background, a socket) is waited for.
   */
  readonly settling?: 'turns' | 'quiet';
  /** Something real that is under way beside, such as a call to a server: nothing comes to rest before it. */
  readonly underWay?: () => Promise<void> | undefined;
}

export function createVirtualRuntime(options: VirtualRuntimeOptions = {}): VirtualRuntime {
  const rest = options.settling === 'quiet' ? untilQuiet : forTurns;
  const settle = async (): Promise<void> => {
    await rest();
    for (let real = options.underWay?.(); real !== undefined; real = options.underWay?.()) {
      await real;
      await rest();
    }
  };
  const world: World = { now: 0, order: 0, due: createDue(isEarlier), settle };
  return createProcess(world, {
    wallMs: options.wallMs ?? 1_750_000_000_000,
    seed: options.seed ?? 1,
  });
}

function createProcess(
  world: World,
  options: { readonly wallMs: number; readonly seed: number },
): VirtualRuntime {
  const startedAt = world.now;
  let wallOffset = options.wallMs - world.now;
  const next = seededRandom(options.seed);
  const { settle } = world;
  const wallMs = (): number => Math.floor(world.now + wallOffset);
  return {
    clock: { wallMs, monoMs: () => world.now - startedAt },
    timers: {
      after: (delayMs, run): Timer => {
        world.order += 1;
        const at = world.now + Math.max(0, delayMs);
        const entry: Entry = { at, order: world.order, run, isCancelled: false };
        world.due.add(entry);
        return {
          cancel: () => {
            entry.isCancelled = true;
          },
        };
      },
    },
    randomness: { next },
    ids: { next: () => idFrom(next) },
    settle,
    advance: async (ms) => {
      const until = world.now + ms;
      await settle();
      for (
        let entry = earliest(world, until);
        entry !== undefined;
        entry = earliest(world, until)
      ) {
        world.now = Math.max(world.now, entry.at);
        entry.run();
        await settle();
      }
      world.now = until;
    },
    setWall: (wall) => {
      wallOffset = wall - world.now;
    },
    fork: ({ wallAheadMs = 0, seed = options.seed + 1 } = {}) =>
      createProcess(world, { wallMs: wallMs() + wallAheadMs, seed }),
    pendingTimers: () => world.due.count(isPending),
  };
}

/** Turns that are being waited for here: of others who settle meanwhile, and no work. */
let ownTurns = 0;

function nextTurn(): Promise<void> {
  ownTurns += 1;
  return new Promise((resolve) => {
    setImmediate(() => {
      ownTurns -= 1;
      resolve();
    });
  });
}

function isBusy(): boolean {
  const immediates = process.getActiveResourcesInfo().filter((kind) => kind === 'Immediate');
  return immediates.length > ownTurns;
}

async function forTurns(): Promise<void> {
  for (let turn = 0; turn < settleTurns; turn += 1) await nextTurn();
}

async function untilQuiet(): Promise<void> {
  let quiet = 0;
  for (let turn = 0; quiet < quietTurns; turn += 1) {
    if (turn > busyTurnsMax) throw new Error('what is under way does not come to rest');
    await nextTurn();
    quiet = isBusy() ? 0 : quiet + 1;
  }
}

/** Takes out the next one that falls due by then. */
function earliest({ due }: World, until: number): Entry | undefined {
  for (let first = due.first(); first !== undefined && first.at <= until; first = due.first()) {
    due.takeFirst();
    if (isPending(first)) return first;
  }
  return undefined;
}

function isPending({ isCancelled }: Entry): boolean {
  return !isCancelled;
}

function isEarlier(one: Entry, other: Entry): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** A small generator with a 32-bit state (mulberry32): enough to spread, not to keep secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

function idFrom(next: () => number): string {
  let id = '';
  for (let length = 0; length < 22; length += 1) id += alphabet.charAt(Math.floor(next() * 64));
  return id;
}
