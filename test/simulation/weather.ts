// What the provider does amiss, request by request.
import {
  ackLost,
  declined,
  errorAfterCommit,
  type Fault,
  lateArrival,
  type LookupFault,
  type LookupQuery,
  type ProviderRequest,
  reqLost,
  slow,
  storedError,
  timeout,
  tooManyRequests,
} from '@action-ledger/sandbox';
import { type Chaos, type FaultKind } from './chaos.ts';
import { type Dice } from './dice.ts';
import { minute } from './tools.ts';

/** More goes wrong while something is given back, which others want, while calls join that are kept, in undoing, and of what programs look up. */
const timesFor: Readonly<Record<string, number>> = {
  release: 4,
  reserve: 2,
  quota: 2,
  cancel_flight: 4,
  cancel_hotel: 4,
  parcel: 3,
};

/** Below the in-flight bound of 60 s. */
const lateMsMax = 50_000;

export interface Weather {
  readonly fault: (request: ProviderRequest) => Fault;
  readonly lookupFault: (query: LookupQuery) => LookupFault | undefined;
}

/**
 * @param leftMs until the request can arrive no more
 * @param onSlowLookup the answer comes after so long
 */
export function createWeather(
  dice: Dice,
  chaos: Chaos,
  isAway: () => boolean,
  leftMs: (request: ProviderRequest) => number,
  onSlowLookup: (query: LookupQuery, ms: number) => void,
): Weather {
  return {
    fault: (request) => {
      const { key, attempt } = request;
      const what = `${key} ${attempt}`;
      if (isAway()) return reqLost;
      const reply = { replyAfterMs: dice.between(5, 400, 'reply', what) };
      const echoes = chaos.strikes('provider: reports twice', 0.03, what)
        ? { echoAfterMs: [0, 1].map((nth) => dice.between(10, 90_000, 'echo', what, nth)) }
        : {};
      const times = timesFor[request.tool] ?? 1;
      const struck = faultsOf(dice, what, leftMs(request)).find(([kind, chance]) =>
        chaos.strikes(kind, chance * times, what),
      );
      return { ...reply, ...(struck?.[2] ?? {}), ...echoes };
    },
    lookupFault: (query) => {
      const { key } = query;
      if (isAway() || chaos.strikes('lookup: away', 0.05, key)) return { outage: true };
      if (chaos.strikes('lookup: the effect of another', 0.01, key)) return { wrongOwner: true };
      if (!chaos.strikes('lookup: slow', 0.08, key)) return undefined;
      const afterMs = dice.between(100, 40_000, 'lookup', key);
      onSlowLookup(query, afterMs);
      return { afterMs };
    },
  };
}

/** The network and the provider keep to the in-flight bound. */
function faultsOf(
  dice: Dice,
  what: string,
  leftMs: number,
): readonly (readonly [FaultKind, number, Fault])[] {
  const within = (low: number, high: number, why: string): number =>
    Math.min(leftMs, dice.between(low, high, why, what));
  return [
    ['provider: answer lost', 0.05, ackLost],
    ['provider: request lost', 0.03, reqLost],
    ['provider: silent, done', 0.02, timeout({ commits: true })],
    ['provider: silent, not done', 0.02, timeout({ commits: false })],
    ['provider: arrives late', 0.03, lateArrival(within(500, lateMsMax, 'late'))],
    ['provider: error after commit', 0.03, errorAfterCommit(502)],
    ['provider: error stored', 0.01, storedError],
    [
      'provider: too many requests',
      0.03,
      // Some are not to come again before the end of what they are valid for.
      tooManyRequests(
        dice.between(1_000, dice.of('429 for', what) < 0.35 ? 60 * minute : 90_000, '429', what),
      ),
    ],
    ['provider: declines', 0.02, declined('not today')],
    ['provider: slow', 0.04, slow(within(1_000, 90_000, 'slow'))],
  ];
}
