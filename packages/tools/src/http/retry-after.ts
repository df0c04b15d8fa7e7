// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date, which is measured against the answer's
// own `Date`, so that no clock of ours takes part.
import { type IncomingHttpHeaders } from 'node:http';

/** Milliseconds, or undefined where there is none that can be understood. */
export function retryAfterMs(headers: IncomingHttpHeaders): number | undefined {
  const text = headers['retry-after']?.trim();
  if (text === undefined) return undefined;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000;
  const [until, sent] = [Date.parse(text), Date.parse(headers.date ?? '')];
  return Number.isNaN(until - sent) ? undefined : Math.max(0, until - sent);
}
