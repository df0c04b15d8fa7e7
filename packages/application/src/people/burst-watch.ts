// Many unknown outcomes of one tool in a short time say that its provider is in trouble: told once per
// burst, so that the tool can be paused before more come (DESIGN.md section 7, Load).

export interface BurstLimit {
  /** So many within the time are a burst. */
  readonly unknowns: number;
  readonly withinMs: number;
}

export const usualBurst: BurstLimit = { unknowns: 5, withinMs: 60_000 };

/** @returns to be told of each unknown outcome; true where it completes a burst */
export function createBurstWatch(
  clock: { monoMs(): number },
  { unknowns, withinMs }: BurstLimit,
): (watched: string) => boolean {
  const recent = new Map<string, number[]>();
  return (watched) => {
    const now = clock.monoMs();
    const times = (recent.get(watched) ?? []).filter((at) => now - at < withinMs);
    times.push(now);
    const isBurst = times.length >= unknowns;
    // The next burst begins from nothing: a tool that was resumed is not paused by what was before.
    recent.set(watched, isBurst ? [] : times);
    return isBurst;
  };
}

/**
 * The same over tenants that share a tool: of each tenant no more than half of a burst counts, so that nobody
 * alone brings about what stops the others.
 * @returns to be told of each unknown outcome and its tenant; true where it completes a burst
 */
export function createSharedBurstWatch(
  clock: { monoMs(): number },
  { unknowns, withinMs }: BurstLimit,
): (watched: string, tenant: string) => boolean {
  const needed = Math.max(2, unknowns);
  const shareMax = Math.ceil(needed / 2);
  const recent = new Map<string, readonly Seen[]>();
  return (watched, tenant) => {
    const now = clock.monoMs();
    const young = (recent.get(watched) ?? []).filter(({ at }) => now - at < withinMs);
    const own = young.filter((each) => each.tenant === tenant);
    const kept = own.length < shareMax ? young : young.filter((each) => each !== own[0]);
    const seen = [...kept, { tenant, at: now }];
    const isBurst = seen.length >= needed;
    recent.set(watched, isBurst ? [] : seen);
    return isBurst;
  };
}

interface Seen {
  readonly tenant: string;
  readonly at: number;
}
