// What is asked by headers: the key of a proposal, how long to wait for its answer, and which revision
// the author of a command has seen.
import { oneKey, type Refusal, refusal } from '@action-ledger/domain';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

type Headers = (name: string) => readonly string[];

export type Key =
  | { readonly kind: 'one-key'; readonly key: string | undefined }
  | Refusal<'key.mismatch' | 'key.invalid'>;

/** Of header and body; more than one header is as good as a header and a body that differ. */
export function keyOf(headers: Headers, bodyKey: string | undefined): Key {
  let key: string | undefined = bodyKey;
  for (const given of headers('idempotency-key')) {
    // Node reads header bytes as Latin-1: what is beyond ASCII would be another key than was meant.
    if (!/^[\x20-\x7e]*$/.test(given))
      return refusal(
        'key.invalid',
        'The Idempotency-Key header holds characters beyond ASCII: send such a key in the body.',
      );
    const one = oneKey(given, key);
    if (one.kind === 'refusal') return one;
    key = one.key;
  }
  return { kind: 'one-key', key };
}

/** W3C trace context. Sent twice, `traceparent` says nothing; lines of `tracestate` are one list. */
export function traceOf(headers: Headers): { traceparent?: string; tracestate?: string } {
  const [traceparent, ...more] = headers('traceparent');
  if (traceparent === undefined || more.length > 0) return {};
  const tracestate = headers('tracestate').join(',');
  return tracestate === '' ? { traceparent } : { traceparent, tracestate };
}

export interface Wait {
  readonly waitMs: number;
  /** What was preferred and is done. */
  readonly applied: Readonly<Record<string, string>>;
}

/** `Prefer: wait=N` in seconds (RFC 7240), bounded; what cannot be read counts as not preferred. */
export function waitOf(headers: Headers, { waitMs, waitMsMax }: Limits): Wait {
  const preferences = headers('prefer').flatMap((line) => line.split(/[,;]/));
  for (const preference of preferences) {
    const seconds = /^\s*wait\s*=\s*"?(\d{1,9})"?\s*$/i.exec(preference)?.[1];
    if (seconds === undefined) continue;
    const bounded = Math.min(Number(seconds) * 1_000, waitMsMax);
    return {
      waitMs: bounded,
      applied: { 'preference-applied': `wait=${Math.floor(bounded / 1_000)}` },
    };
  }
  return { waitMs, applied: {} };
}

/** Of a request that is answered at once where nothing is preferred. */
export function preferredWait(headers: Headers, limits: Limits): Wait {
  return waitOf(headers, { ...limits, waitMs: 0 });
}

export type Seen =
  | { readonly kind: 'seen'; readonly revision: number }
  | { readonly kind: 'no'; readonly answer: HttpAnswer };

/** By `If-Match` with the entity tag of the action, or by the body; the same in both. */
export function revisionSeen(headers: Headers, inBody: number | undefined): Seen {
  const tags = headers('if-match').flatMap((line) => line.split(','));
  let seen = inBody;
  for (const tag of tags) {
    const text = /^\s*(?:W\/)?"(\d{1,15})"\s*$/.exec(tag)?.[1];
    if (text === undefined)
      return no('request.revision-needed', 'If-Match must be the ETag of the action: "7".');
    const revision = Number(text);
    if (seen !== undefined && seen !== revision) return no('request.revision-mismatch');
    seen = revision;
  }
  if (seen === undefined)
    return no(
      'request.revision-needed',
      'Name the revision that you saw: `revisionSeen` in the body, or the ETag of the action as If-Match. Nothing was recorded.',
    );
  return { kind: 'seen', revision: seen };
}

function no(
  code: 'request.revision-needed' | 'request.revision-mismatch',
  detail?: string,
): Extract<Seen, { kind: 'no' }> {
  return { kind: 'no', answer: problem(code, detail === undefined ? {} : { detail }) };
}
