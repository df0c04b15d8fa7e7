// What callers may take on: actions of their tools that are due, as the ledger last saw them. In memory
// alone and never a promise: whoever takes one is judged again by its stream. A lookup that was handed
// out is kept from the others for its time.
import { type Waiters } from '../answer/waiters.ts';

export interface Offer {
  readonly actionId: string;
  readonly tenant: string;
  readonly tool: string;
  /** `send`: claim it. `lookup`: ask for its effect. */
  readonly kind: 'send' | 'lookup';
  readonly revision: number;
  /** Only the process that proposed it has its arguments whole. */
  readonly secret: boolean;
}

export interface Asking {
  readonly revision: number;
  /** Of the lookup that was handed out; none where it was by a process before this one. */
  readonly lookup?: string;
  /** Monotonic ms: it was handed out then. */
  readonly sentMono: number;
  readonly untilMono: number;
}

export interface Offers {
  /** Whoever waits for work of the tenant looks again. */
  add(offer: Offer): void;
  /** Somebody takes it up. */
  drop(actionId: string): void;
  /** The action has moved on: nobody is asked about what it was. */
  forget(actionId: string): void;
  list(tenant: string): readonly Offer[];
  /** Resolves when there may be something new, after `waitMs`, or on abort. */
  wait(tenant: string, waitMs: number, signal?: AbortSignal): Promise<void>;
  noteAsking(actionId: string, asking: Asking): void;
  /** Somebody is being asked about this revision now. */
  isAsked(actionId: string, revision: number, nowMono: number): boolean;
  /**
   * When that lookup of the revision was handed out, monotonic ms; where none is named, the first one.
   * Undefined: by nobody here.
   */
  askedAt(actionId: string, revision: number, lookup?: string): number | undefined;
}

/** Of one revision; whoever was asked before the last so many is not known any more. */
const askingsMax = 16;

export function createOffers(waiters: Waiters): Offers {
  const offers = new Map<string, Map<string, Offer>>();
  const tenants = new Map<string, string>();
  const askings = new Map<string, readonly Asking[]>();
  const drop = (actionId: string): void => {
    const tenant = tenants.get(actionId);
    if (tenant === undefined) return;
    tenants.delete(actionId);
    const own = offers.get(tenant);
    own?.delete(actionId);
    if (own?.size === 0) offers.delete(tenant);
  };
  return {
    add: (offer) => {
      const own = offers.get(offer.tenant) ?? new Map<string, Offer>();
      offers.set(offer.tenant, own);
      own.set(offer.actionId, offer);
      tenants.set(offer.actionId, offer.tenant);
      waiters.notify(bell(offer.tenant));
    },
    drop,
    forget: (actionId) => {
      drop(actionId);
      askings.delete(actionId);
    },
    list: (tenant) => [...(offers.get(tenant)?.values() ?? [])],
    wait: (tenant, waitMs, signal) => waiters.wait(bell(tenant), waitMs, signal),
    noteAsking: (actionId, asking) => {
      const known = askings.get(actionId) ?? [];
      const [first, ...others] = known.filter(({ revision }) => revision === asking.revision);
      // The first one is kept: a verdict that names no lookup may be its.
      const kept = first === undefined ? [] : [first, ...others.slice(2 - askingsMax)];
      askings.set(actionId, [...kept, asking]);
    },
    isAsked: (actionId, revision, nowMono) => {
      const last = askings.get(actionId)?.at(-1);
      return last?.revision === revision && nowMono < last.untilMono;
    },
    askedAt: (actionId, revision, lookup) =>
      askings
        .get(actionId)
        ?.find(
          (each) => each.revision === revision && (lookup === undefined || each.lookup === lookup),
        )?.sentMono,
  };
}

/** No id of an action begins so. */
function bell(tenant: string): string {
  return `offers ${tenant}`;
}
