// The door for bodies: JSON in UTF-8, parsed by the domain's strict reader. What JSON.parse would change
// or drop without a word is refused with its place; nothing is repaired.
import { parseJson } from '@action-ledger/domain';
import { problem, Refused } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Headers {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

/** @throws Refused with the answer: 400, 413 or 415 */
export function readBody(
  bytes: Uint8Array,
  headers: Headers,
  { bodyBytesMax, bodyDepthMax }: Pick<Limits, 'bodyBytesMax' | 'bodyDepthMax'>,
): unknown {
  if (!isPlainUtf8(headers)) throw new Refused(problem('request.media-type'));
  const parsed = parseJson(textOf(bytes), { bytesMax: bodyBytesMax, depthMax: bodyDepthMax });
  if (parsed.kind === 'parsed') return parsed.value;
  const { code, message, detail } = parsed;
  throw new Refused(
    problem(code === 'json.too-large' ? 'request.too-large' : code, {
      detail: message,
      ...(detail === undefined ? {} : { facts: detail }),
    }),
  );
}

function isPlainUtf8(headers: Headers): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(headers['content-type'] ?? '')?.[1];
  return (
    encoding.toLowerCase() === 'identity' && (charset === undefined || /^utf-?8$/i.test(charset))
  );
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new Refused(problem('json.malformed', { detail: 'The body is not UTF-8.' }));
  }
}
