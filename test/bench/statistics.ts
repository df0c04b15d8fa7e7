// Medians and percentiles by nearest rank: always a value that was measured, but for the median of
// an even count, which is the mean of the two in the middle.

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  if (upper === undefined) return NaN;
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[(sorted.length >> 1) - 1] ?? upper)) / 2;
}

/** `share` in (0, 1]; `sorted` ascending. */
export function percentile(sorted: ArrayLike<number>, share: number): number {
  const rank = Math.max(1, Math.ceil(share * sorted.length));
  return sorted[rank - 1] ?? NaN;
}
