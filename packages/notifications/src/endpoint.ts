// Where notifications go: a function of the program, or an address. What it wants is its filter; what it
// says about one decides whether that is sent again.
import { type Notification, type NotificationKind } from './notification.ts';

export type Sent =
  | { readonly kind: 'delivered' }
  /** It is tried again, not before `afterMs`. */
  | { readonly kind: 'failed'; readonly reason: string; readonly afterMs?: number }
  /** No try can help. */
  | { readonly kind: 'refused'; readonly reason: string };

export interface Endpoint {
  /** Stands in the record and in metrics: never an address that is a secret. */
  readonly name: string;
  readonly wants: (notification: Notification) => boolean;
  /** Never rejects. */
  readonly send: (notification: Notification) => Promise<Sent>;
}

export interface EndpointFilter {
  /** Default: all of them, and what concerns no single one. */
  readonly tenants?: readonly string[];
  /** Default: all. */
  readonly kinds?: readonly NotificationKind[];
}

/** What concerns no single tenant is not told to the endpoint of some. */
export function filterOf({ tenants, kinds }: EndpointFilter): Endpoint['wants'] {
  return ({ tenant, kind }) =>
    (tenants === undefined || (tenant !== undefined && tenants.includes(tenant))) &&
    (kinds === undefined || kinds.includes(kind));
}

export interface HookOptions extends EndpointFilter {
  /** Default `hook`. */
  readonly name?: string;
  /** Told when it returns, or when its promise resolves; what it throws is tried again. */
  readonly tell: (notification: Notification) => unknown;
}

export function createHook({ name = 'hook', tell, ...filter }: HookOptions): Endpoint {
  return {
    name,
    wants: filterOf(filter),
    send: async (notification) => {
      try {
        await tell(notification);
        return { kind: 'delivered' };
      } catch (error) {
        return { kind: 'failed', reason: reasonOf(error) };
      }
    },
  };
}

/** It goes on record, so that it is bounded. In UTF-16 units. */
const reasonMax = 1_000;

function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, reasonMax).toWellFormed();
}
