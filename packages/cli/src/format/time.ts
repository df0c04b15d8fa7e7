// Times and durations as people read them: UTC, and in units that fit.

/** `2026-03-01 12:30:05` (UTC), with milliseconds where they matter. */
export function dateTime(atMs: number, options: { readonly ms?: boolean } = {}): string {
  const text = isoTime(atMs).replace('T', ' ').replace('Z', '');
  return options.ms === true ? text : text.replace(/\.\d+$/, '');
}

export function isoTime(atMs: number): string {
  const date = new Date(atMs);
  return Number.isNaN(date.getTime()) ? 'no valid time' : date.toISOString();
}

/** `12:30:05.123` (UTC). */
export function timeOfDay(atMs: number): string {
  return dateTime(atMs, { ms: true }).slice(11);
}

export function dateOf(atMs: number): string {
  return dateTime(atMs).slice(0, 10);
}

const units: readonly (readonly [string, number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** `250 ms`, `1.5 s`, `24 h`: the largest unit of which there is at least one. */
export function duration(ms: number): string {
  if (Math.abs(ms) < 1) return ms === 0 ? '0 ms' : `${ms.toFixed(2)} ms`;
  for (const [unit, size] of units) {
    if (Math.abs(ms) >= size && !(unit === 'd' && Math.abs(ms) < 2 * size))
      return `${rounded(ms / size)} ${unit}`;
  }
  return `${rounded(ms)} ms`;
}

function rounded(value: number): string {
  return String(Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 10) / 10);
}

/** ISO 8601 or ms since the epoch; without a zone it is UTC, as every time shown is. */
export function parseTime(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,15}$/.test(trimmed) && trimmed.length > 4) return Number(trimmed);
  const found = timeForm.exec(trimmed);
  if (found === null) return undefined;
  const [, date, time = '00:00:00', zone = 'Z'] = found;
  const at = Date.parse(`${date ?? ''}T${time.length === 5 ? `${time}:00` : time}${zone}`);
  return Number.isNaN(at) ? undefined : at;
}

const timeForm =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?(Z|[+-]\d\d:\d\d)?$/;
