// What goes wrong around the ledger: some of it all day, the rest in its hours (times.ts). Drawn from the
// seed and from what it befalls, so that the same seed meets the same weather.
import {
  ackLost,
  draw,
  errorAfterCommit,
  type Fault,
  lateArrival,
  type LookupFault,
  type LookupQuery,
  type ProviderRequest,
  reqLost,
  storedError,
  timeout,
  tooManyRequests,
} from '@action-ledger/sandbox';
import {
  errorsAfterCommit,
  isWithin,
  lookupsDown,
  minute,
  pagerDown,
  providerDown,
  second,
} from './times.ts';

export interface Weather {
  readonly fault: (request: ProviderRequest) => Fault | undefined;
  readonly lookupFault: (query: LookupQuery) => LookupFault | undefined;
  /** `mute`: it takes what it gets, and does not say so. */
  readonly pager: (id: string, tries: number) => 'up' | 'down' | 'mute';
}

export const retryAfterMs = 90 * second;
/** Within the in-flight bound of 60 s. */
const lateByMs = 45 * second;
const answeredAfterMs = 150;

export function createWeather(seed: number, now: () => number): Weather {
  return {
    fault: (request) => {
      if (isWithin(now(), providerDown)) return reqLost;
      const { tenant, key, attempt } = request;
      const drawn = draw(seed, 'request', tenant, key, attempt);
      if (isWithin(now(), errorsAfterCommit) && drawn < 0.3) return errorAfterCommit(502);
      const echo = echoOf(seed, request);
      return { replyAfterMs: answeredAfterMs, ...faultOf(drawn), ...echo };
    },
    lookupFault: ({ tenant, key }) => {
      if (isWithin(now(), lookupsDown) || isWithin(now(), providerDown)) return { outage: true };
      const drawn = draw(seed, 'lookup', tenant, key, now());
      if (drawn < 0.03) return { outage: true };
      return drawn < 0.06 ? { afterMs: 3 * second } : undefined;
    },
    pager: (id, tries) => {
      if (!isWithin(now(), pagerDown)) return 'up';
      const half = (pagerDown.from + pagerDown.until) / 2;
      if (now() < half) return 'down';
      return draw(seed, 'pager', id, tries) < 0.5 ? 'mute' : 'down';
    },
  };
}

function faultOf(drawn: number): Fault | undefined {
  const faults: readonly (readonly [share: number, fault: Fault])[] = [
    [0.03, ackLost],
    [0.015, timeout({ commits: true })],
    [0.015, timeout({ commits: false })],
    [0.01, lateArrival(lateByMs)],
    [0.01, errorAfterCommit(500)],
    [0.005, storedError],
    [0.02, tooManyRequests(retryAfterMs)],
  ];
  let left = drawn;
  for (const [share, fault] of faults) {
    if (left < share) return fault;
    left -= share;
  }
  return undefined;
}

/** Some effects are reported by the provider itself, sooner or later, some twice. */
function echoOf(seed: number, { tenant, key, attempt }: ProviderRequest): Fault {
  const drawn = draw(seed, 'echo', tenant, key, attempt);
  if (drawn >= 0.05) return {};
  const afterMs = Math.round(drawn * 200 * minute);
  return { echoAfterMs: drawn < 0.01 ? [afterMs, afterMs + minute] : [afterMs] };
}
