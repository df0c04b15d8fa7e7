// Room for attempts: at most so many of a tool at once, so many a second, one per declared entity, and
// so many in all. What finds no room waits in the order in which it came, and is woken when there may be
// some. Being woken is no promise: whoever comes asks again, and where he takes none, the next is woken.
import { type Action, canonicalJson, type JsonObject, readField } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type DueIndex } from '../attend/due-index.ts';
import { type LedgerClock } from '../core/ledger-clock.ts';

export type Slot =
  /** Until it is released. */
  | 'taken'
  /** Taken for this action before, by somebody else who will release it. */
  | 'held'
  /** Not now. The action will be woken. */
  | 'full';

export interface Wanted {
  readonly actionId: string;
  readonly tenant: string;
  readonly tool: Tool;
  readonly arguments: JsonObject;
  /** It comes first now: where others wait already, it is full for it. */
  readonly isNew: boolean;
}

export interface Slots {
  take(wanted: Wanted): Slot;
  /** For an attempt that goes on elsewhere: takes what it needs, whether or not there is room. */
  hold(wanted: Omit<Wanted, 'isNew'>): void;
  /** Gives back what was held so, and nothing that was taken. */
  letGo(actionId: string): void;
  /** Nothing where the action has none; it waits no longer either. */
  release(actionId: string): void;
  /** It waits no longer: somebody else has it. */
  leave(actionId: string): void;
  /** It was looked at, or is not going to be. Where it was woken and has taken no room, that goes to the next. */
  passOn(actionId: string): void;
  /** No more fit in, of whatever tool. */
  readonly isFull: () => boolean;
  /** Called after each release; one at a time. */
  readonly onRelease: (listener: (() => void) | undefined) => void;
}

/**
 * Creates an action together with its dispatch where there is room for it, else without; the slot is
 * the attempt's from then on, or given back.
 * @param worker in whose name it is dispatched
 */
export async function createInSlot<Created>(
  slots: Slots,
  wanted: Omit<Wanted, 'isNew'>,
  worker: string,
  create: (isSent: boolean) => Promise<Created>,
): Promise<Created> {
  const slot = slots.take({ ...wanted, isNew: true });
  let created: Created | undefined;
  try {
    created = await create(slot !== 'full');
    return created;
  } finally {
    if (slot === 'taken' && !isDispatchedBy(worker, created)) slots.release(wanted.actionId);
  }
}

/** What was created may have been taken up by another since: where its append was in doubt, it is read again. */
export function isDispatchedBy(worker: string, created: unknown): boolean {
  const { action } = (created ?? {}) as { readonly action?: Pick<Action, 'status' | 'claim'> };
  return action?.status === 'dispatched' && action.claim?.worker === worker;
}

export interface SlotsOptions {
  /** Of all tools together. Default: no bound. */
  readonly slotsMax?: number;
  readonly clock: Pick<LedgerClock, 'monoMs' | 'nowMs'>;
  readonly due: Pick<DueIndex, 'set'>;
}

interface Pool {
  readonly name: string;
  /** As its tool says now; a caller may declare another. */
  max: number;
  taken: number;
  /** How many were woken for room that they have not asked for yet. */
  offered: number;
  /** In the order in which they came. */
  readonly waiting: Set<string>;
}

export function createSlots({ slotsMax = Infinity, clock, due }: SlotsOptions): Slots {
  const pools = createPools(slotsMax);
  const rates = createRates(clock);
  /** After so many ms it may find room. */
  const wake = (actionId: string, afterMs: number): void => {
    due.set(actionId, clock.nowMs() + Math.ceil(afterMs));
  };
  const places = createPlaces(pools, (next) => {
    wake(next, 0);
  });
  const release = (actionId: string): void => {
    rates.forget(actionId);
    places.release(actionId);
  };
  return {
    take: (wanted) => {
      const { actionId, isNew, tool } = wanted;
      if (tool.load === undefined && slotsMax === Infinity) return 'taken';
      if (places.has(actionId)) return 'held';
      const needed = pools.neededBy(wanted);
      const full = needed.find((pool) => isFull(pool, isNew));
      places.leave(actionId);
      if (full !== undefined) {
        places.wait(actionId, full);
        return 'full';
      }
      const waitMs = rates.waitMs(wanted);
      if (waitMs > 0) {
        wake(actionId, waitMs);
        return 'full';
      }
      places.take(actionId, needed);
      return 'taken';
    },
    hold: ({ actionId, ...wanted }) => {
      if (!places.has(actionId)) places.take(actionId, pools.neededBy(wanted), true);
    },
    letGo: (actionId) => {
      if (places.isHeld(actionId)) release(actionId);
    },
    release,
    leave: places.leave,
    passOn: places.passOn,
    isFull: () => pools.taken() >= slotsMax,
    onRelease: places.onRelease,
  };
}

interface Places extends Pick<Slots, 'release' | 'leave' | 'passOn' | 'onRelease'> {
  readonly has: (actionId: string) => boolean;
  /** It goes on elsewhere. */
  readonly isHeld: (actionId: string) => boolean;
  readonly take: (actionId: string, needed: readonly Pool[], isHeld?: boolean) => void;
  readonly wait: (actionId: string, pool: Pool) => void;
}

/** What each action has taken, or waits for. */
function createPlaces(pools: Pools, wake: (actionId: string) => void): Places {
  const takenBy = new Map<string, readonly Pool[]>();
  const waitsIn = new Map<string, Pool>();
  const offers = createOffers();
  const held = new Set<string>();
  let tellReleased: (() => void) | undefined;
  const leave = (actionId: string): void => {
    waitsIn.get(actionId)?.waiting.delete(actionId);
    waitsIn.delete(actionId);
  };
  const wakeNext = (pool: Pool): void => {
    for (const next of nextOf(pool)) {
      leave(next);
      offers.make(next, pool);
      wake(next);
    }
  };
  return {
    has: (actionId) => takenBy.has(actionId),
    isHeld: (actionId) => held.has(actionId),
    leave,
    wait: (actionId, pool) => {
      pool.waiting.add(actionId);
      waitsIn.set(actionId, pool);
    },
    take: (actionId, needed, isHeld = false) => {
      leave(actionId);
      offers.withdraw(actionId);
      if (isHeld && needed.length === 0) return;
      for (const each of needed) each.taken += 1;
      takenBy.set(actionId, needed);
      if (isHeld) held.add(actionId);
    },
    release: (actionId) => {
      leave(actionId);
      held.delete(actionId);
      const taken = takenBy.get(actionId);
      if (taken === undefined) return;
      takenBy.delete(actionId);
      for (const each of taken) {
        each.taken -= 1;
        wakeNext(each);
        pools.forgetEmpty(each);
      }
      tellReleased?.();
    },
    passOn: (actionId) => {
      const pool = offers.withdraw(actionId);
      if (pool === undefined) return;
      wakeNext(pool);
      pools.forgetEmpty(pool);
    },
    onRelease: (listener) => {
      tellReleased = listener;
    },
  };
}

/** Who was woken for room of which pool, and has not been looked at yet. */
function createOffers() {
  const made = new Map<string, Pool>();
  const withdraw = (actionId: string): Pool | undefined => {
    const pool = made.get(actionId);
    if (pool === undefined) return undefined;
    made.delete(actionId);
    pool.offered -= 1;
    return pool;
  };
  return {
    make: (actionId: string, pool: Pool): void => {
      withdraw(actionId);
      made.set(actionId, pool);
      pool.offered += 1;
    },
    withdraw,
  };
}

/** Those that find room now. */
function nextOf({ max, taken, offered, waiting }: Pool): readonly string[] {
  const found: string[] = [];
  for (const each of waiting) {
    if (taken + offered + found.length >= max) break;
    found.push(each);
  }
  return found;
}

function isFull({ taken, max, waiting }: Pool, isNew: boolean): boolean {
  return taken >= max || (isNew && waiting.size > 0);
}

const allTools = 'all';

interface Pools {
  readonly neededBy: (wanted: Pick<Wanted, 'tool' | 'tenant' | 'arguments'>) => readonly Pool[];
  readonly forgetEmpty: (pool: Pool) => void;
  /** Of the slots that all tools share. */
  readonly taken: () => number;
}

function createPools(slotsMax: number): Pools {
  const pools = new Map<string, Pool>();
  const named = (name: string, max: number): Pool => {
    const known = pools.get(name);
    if (known !== undefined) {
      known.max = max;
      return known;
    }
    const made = { name, max, taken: 0, offered: 0, waiting: new Set<string>() };
    pools.set(name, made);
    return made;
  };
  return {
    neededBy: ({ tool, tenant, arguments: args }) => {
      const { name, load } = tool;
      const own = ownerOf(tool, tenant);
      const needed: Pool[] = [];
      if (slotsMax !== Infinity) needed.push(named(allTools, slotsMax));
      if (load === undefined) return needed;
      if (load.concurrent !== Infinity) needed.push(named(`tool ${own}`, load.concurrent));
      if (load.oneAtATime.length > 0) {
        const values = load.oneAtATime.map((path) => readField(args, path) ?? null);
        needed.push(named(`entity ${canonicalJson([tenant, name, values])}`, 1));
      }
      return needed;
    },
    forgetEmpty: ({ name, taken, offered, waiting }) => {
      if (taken + offered + waiting.size === 0) pools.delete(name);
    },
    taken: () => pools.get(allTools)?.taken ?? 0,
  };
}

/** What callers of one tenant declare takes no room of another tenant's tool of that name. */
function ownerOf({ name, byCaller }: Tool, tenant: string): string {
  return byCaller === true ? canonicalJson([tenant, name]) : name;
}

interface Rates {
  /** 0: it may go now. Whoever must wait has a place, and may go when it comes back after that time. */
  readonly waitMs: (wanted: Wanted) => number;
  readonly forget: (actionId: string) => void;
}

/** The generic cell rate algorithm: by tool, when the next send would be due at an even pace. */
function createRates(clock: { monoMs(): number }): Rates {
  const dueAt = new Map<string, number>();
  const places = new Map<string, number>();
  return {
    waitMs: ({ actionId, tenant, tool }) => {
      const perSecond = tool.load?.perSecond ?? Infinity;
      if (perSecond === Infinity) return 0;
      const now = clock.monoMs();
      const place = places.get(actionId);
      if (place !== undefined) {
        if (now < place) return place - now;
        places.delete(actionId);
        return 0;
      }
      const intervalMs = 1_000 / perSecond;
      const aheadMs = intervalMs * Math.max(0, perSecond - 1);
      const own = ownerOf(tool, tenant);
      const due = Math.max(dueAt.get(own) ?? now, now);
      dueAt.set(own, due + intervalMs);
      const at = due - aheadMs;
      if (at <= now) return 0;
      places.set(actionId, at);
      return at - now;
    },
    forget: (actionId) => {
      places.delete(actionId);
    },
  };
}
