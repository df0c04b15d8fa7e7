// Plain counters: one number for each set of label values, and a histogram over fixed bounds. Label
// values come from closed lists (words, statuses, routes), never from callers.
import { type Sample } from './exposition.ts';

export interface Counts {
  readonly add: (values: readonly string[], by?: number) => void;
  readonly samples: () => readonly Sample[];
}

/** More than any closed list has: beyond it everything is counted as `other`. */
const setsMax = 1_000;

export function createCounts(labels: readonly string[]): Counts {
  const counted = new Map<string, { readonly values: readonly string[]; count: number }>();
  return {
    add: (values, by = 1) => {
      const key = values.length === 1 ? (values[0] ?? '') : values.join('\n');
      const known = counted.get(key);
      if (known !== undefined) known.count += by;
      else if (counted.size < setsMax) counted.set(key, { values, count: by });
      else {
        const other = counted.get('other') ?? { values: labels.map(() => 'other'), count: 0 };
        other.count += by;
        counted.set('other', other);
      }
    },
    samples: () =>
      [...counted.values()].map(({ values, count }) => ({
        labels: labelled(labels, values),
        value: count,
      })),
  };
}

export function labelled(
  names: readonly string[],
  values: readonly string[],
): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

/** @param counts by bound, each alone; the last is of what lies beyond all of them */
export function histogramSamples(
  bounds: readonly number[],
  { counts, sum }: { readonly counts: readonly number[]; readonly sum: number },
  labels: Readonly<Record<string, string>> = {},
): readonly Sample[] {
  let total = 0;
  const buckets = [...bounds, Infinity].map((bound, at): Sample => {
    total += counts[at] ?? 0;
    const le = bound === Infinity ? '+Inf' : String(bound);
    return { suffix: '_bucket', labels: { ...labels, le }, value: total };
  });
  return [
    ...buckets,
    { suffix: '_sum', labels, value: sum },
    { suffix: '_count', labels, value: total },
  ];
}

export interface Durations {
  readonly observe: (value: string, seconds: number) => void;
  readonly samples: () => readonly Sample[];
}

/** A histogram for each value of one label. */
export function createDurations(label: string, bounds: readonly number[]): Durations {
  const byValue = new Map<string, { readonly counts: number[]; sum: number }>();
  return {
    observe: (value, seconds) => {
      let known = byValue.get(value);
      if (known === undefined) {
        known = { counts: [...bounds.map(() => 0), 0], sum: 0 };
        byValue.set(value, known);
      }
      let at = 0;
      while (seconds > (bounds[at] ?? Infinity)) at += 1;
      known.counts[at] = (known.counts[at] ?? 0) + 1;
      known.sum += seconds;
    },
    samples: () =>
      [...byValue].flatMap(([value, known]) => histogramSamples(bounds, known, { [label]: value })),
  };
}
