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
  /** Monotonic ms: the first lookup of this revision was handed out then. */
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
  asking(actionId: string): Asking | undefined;
}

export function createOffers(waiters: Waiters): Offers {
  const offers = new Map<string, Map<string, Offer>>();
  const tenants = new Map<string, string>();
  const askings = new Map<string, Asking>();
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
      const known = askings.get(actionId);
      // A verdict names the revision alone: it may be that of whoever was asked first.
      const isAgain = known?.revision === asking.revision;
      askings.set(actionId, isAgain ? { ...asking, sentMono: known.sentMono } : asking);
    },
    asking: (actionId) => askings.get(actionId),
  };
}

/** No id of an action begins so. */
function bell(tenant: string): string {
  return `offers ${tenant}`;
}
