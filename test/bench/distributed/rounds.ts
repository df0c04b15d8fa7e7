// Measuring in rounds: every contender does a slice in each, the order turned round from round to round.
import { median, percentile } from '../statistics.ts';

export interface Slice {
  readonly perSecond: number;
  readonly p50Ms: number;
}

export interface SliceOptions {
  readonly callers: number;
  /** It lasts at least so long. */
  readonly sliceMs: number;
}

export async function slice(
  { callers, sliceMs }: SliceOptions,
  perform: () => Promise<unknown>,
): Promise<Slice> {
  const latencies: number[] = [];
  const beganMs = performance.now();
  const caller = async (): Promise<void> => {
    while (performance.now() - beganMs < sliceMs) {
      const sentMs = performance.now();
      await perform();
      latencies.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const seconds = (performance.now() - beganMs) / 1_000;
  return {
    perSecond: latencies.length / seconds,
    p50Ms: percentile(Float64Array.from(latencies).sort(), 0.5),
  };
}

/** The first round warms up and is not among them. */
export async function inRounds<Name extends string, Measured>(
  rounds: number,
  names: readonly Name[],
  measure: (name: Name, round: number) => Promise<Measured>,
): Promise<readonly Readonly<Record<Name, Measured>>[]> {
  const found: Readonly<Record<Name, Measured>>[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const measured: [Name, Measured][] = [];
    for (const name of round % 2 === 0 ? names : names.toReversed())
      measured.push([name, await measure(name, round)]);
    if (round > 0) found.push(Object.fromEntries(measured) as Record<Name, Measured>);
  }
  return found;
}

export function medianOf<Item>(items: readonly Item[], pick: (item: Item) => number): number {
  return median(items.map(pick));
}
