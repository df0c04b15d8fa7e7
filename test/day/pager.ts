// Where people are told: a pager that hears of everything, and the desk of one tenant. It keeps what was
// sent to it, whether or not the ledger was told that it has arrived.
import { type Endpoint, type Notification } from '@action-ledger/notifications';
import { type Weather } from './weather.ts';

export interface Sending {
  readonly at: number;
  readonly to: string;
  readonly notification: Notification;
  /** It is in somebody's hands. */
  readonly arrived: boolean;
  /** The ledger knows that. */
  readonly acknowledged: boolean;
}

export interface Pager {
  /** As one process reaches them. */
  readonly endpoints: readonly Endpoint[];
  readonly sendings: readonly Sending[];
}

export const pagerNames = ['pager', 'acme-desk'] as const;

/** @param onArrived told once of each notification that has reached the pager */
export function createPager(
  weather: Weather,
  now: () => number,
  onArrived: (notification: Notification) => void,
): Pager {
  const sendings: Sending[] = [];
  const known = new Set<string>();
  const endpointOf = (to: (typeof pagerNames)[number]): Endpoint => ({
    name: to,
    wants: ({ tenant }) => to === 'pager' || tenant === 'acme',
    send: async (notification) => {
      const tries = sendings.filter(
        (each) => each.to === to && each.notification.id === notification.id,
      ).length;
      const is = weather.pager(`${to} ${notification.id}`, tries);
      const arrived = is !== 'down';
      sendings.push({ at: now(), to, notification, arrived, acknowledged: is === 'up' });
      if (arrived && to === 'pager' && !known.has(notification.id)) {
        known.add(notification.id);
        onArrived(notification);
      }
      return is === 'up' ? { kind: 'delivered' } : { kind: 'failed', reason: 'no answer' };
    },
  });
  return { endpoints: pagerNames.map(endpointOf), sendings };
}
