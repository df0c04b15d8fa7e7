// How long what waits somewhere has stood still, and how much of that is held against whoever should have got on:
// while something that it needs is away it is excused, and after that it has a bounded time.

export interface Standing {
  /** A partition, or another place that gets on by itself. */
  readonly place: string;
  /** How far it is. */
  readonly next: number | undefined;
  /** Something waits there. */
  readonly waits: boolean;
}

export interface Silence {
  readonly longestSeconds: number;
  /** Of the one that was closest to its bound or furthest beyond it: of the term that ended last. */
  readonly heldSeconds: number;
  readonly boundSeconds: number;
}

export interface Silences {
  /**
   * From now on the service is excused, and all of them where none is named.
   * @returns to be called when it is back: from then on it has so many seconds
   */
  readonly excuse: (boundSeconds: number, service?: string) => () => void;
  readonly saw: (service: string, standings: readonly Standing[]) => void;
  /** Of each service that was seen. */
  readonly worst: () => ReadonlyMap<string, Silence>;
}

interface Excuse {
  readonly service: string | undefined;
  readonly boundSeconds: number;
  overAt: number | undefined;
}

/** How long it may be silent, and from when on. */
interface Term {
  readonly fromMs: number;
  readonly boundSeconds: number;
}

interface Seen {
  readonly next: number | undefined;
  readonly sinceMs: number;
}

/**
 * @param boundSeconds of who was not disturbed at all
 * @param onBroken told of each service whose silence is the furthest beyond its bound so far
 */
export function createSilences(
  nowMs: () => number,
  boundSeconds: number,
  onBroken: (service: string, silence: Silence) => void = () => undefined,
): Silences {
  const excuses: Excuse[] = [];
  const seen = new Map<string, Seen>();
  const worst = new Map<string, Silence>();
  const none: Silence = { longestSeconds: 0, heldSeconds: 0, boundSeconds };
  const heldOf = (service: string, sinceMs: number): Omit<Silence, 'longestSeconds'> => {
    const now = nowMs();
    const own = excuses.filter((each) => each.service === undefined || each.service === service);
    if (own.some(({ overAt }) => overAt === undefined)) return { heldSeconds: 0, boundSeconds };
    const terms: readonly Term[] = [
      { fromMs: sinceMs, boundSeconds },
      ...own.map((each) => ({ ...each, fromMs: each.overAt ?? now })),
    ];
    const { fromMs, boundSeconds: bound } = terms.reduce(later);
    return { heldSeconds: (now - fromMs) / 1_000, boundSeconds: bound };
  };
  const note = (service: string, sinceMs: number): void => {
    const before = worst.get(service) ?? none;
    const found = heldOf(service, sinceMs);
    const longestSeconds = Math.max(before.longestSeconds, (nowMs() - sinceMs) / 1_000);
    const held = leftOf(found) < leftOf(before) ? found : before;
    const now = { ...held, longestSeconds };
    worst.set(service, now);
    if (held === found && leftOf(found) < 0) onBroken(service, now);
  };
  return {
    excuse: (bound, service) => {
      const excuse: Excuse = { service, boundSeconds: bound, overAt: undefined };
      excuses.push(excuse);
      return () => {
        excuse.overAt = nowMs();
      };
    },
    saw: (service, standings) => {
      if (!worst.has(service)) worst.set(service, none);
      for (const { place, next, waits } of standings) {
        const name = `${service} ${place}`;
        const before = seen.get(name);
        if (!waits) seen.delete(name);
        else if (before === undefined || before.next !== next)
          seen.set(name, { next, sinceMs: nowMs() });
        else note(service, before.sinceMs);
      }
    },
    worst: () => worst,
  };
}

function leftOf({ heldSeconds, boundSeconds }: Omit<Silence, 'longestSeconds'>): number {
  return boundSeconds - heldSeconds;
}

function later(one: Term, other: Term): Term {
  return endOf(one) >= endOf(other) ? one : other;
}

function endOf({ fromMs, boundSeconds }: Term): number {
  return fromMs + boundSeconds * 1_000;
}
