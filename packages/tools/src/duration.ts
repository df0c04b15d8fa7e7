// Durations as people write them, in milliseconds: `500ms`, `30s`, `10min`, `24h`, `30d`, or a number.

/** Milliseconds, or a number with a unit: `500ms`, `30s`, `10min`, `24h`, `30d`. */
export type Duration = number | `${number}${'ms' | 's' | 'min' | 'h' | 'd'}`;

const unitMs: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 24 * 3_600_000,
};

/** Longer ones are taken for a mistake in the unit. */
const longestDurationMs = 10 * 366 * 24 * 3_600_000;

/** Whole milliseconds, or undefined where the text is no duration. */
export function parseDuration(duration: unknown): number | undefined {
  const milliseconds = typeof duration === 'string' ? inUnits(duration) : duration;
  return isMilliseconds(milliseconds) ? milliseconds : undefined;
}

export function isMilliseconds(value: unknown): value is number {
  return (
    Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= longestDurationMs
  );
}

function inUnits(text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)(ms|s|min|h|d)$/.exec(text);
  const unit = unitMs[match?.[2] ?? ''];
  return unit === undefined ? undefined : Number(match?.[1]) * unit;
}
