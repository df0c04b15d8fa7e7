// The door for bodies: JSON in UTF-8, parsed by the domain's strict reader. What JSON.parse would change
// or drop without a word is refused with its place; nothing is repaired.
import { parseJson } from '@action-ledger/domain';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

interface Headers {
  readonly 'content-type'?: string | undefined;
  readonly 'content-encoding'?: string | undefined;
}

export type ReadBody =
  | { readonly kind: 'parsed'; readonly value: unknown }
  /** 400, 413 or 415. */
  | { readonly kind: 'refused'; readonly answer: HttpAnswer };

export function readBody(
  bytes: Uint8Array,
  headers: Headers,
  { bodyBytesMax, bodyDepthMax }: Pick<Limits, 'bodyBytesMax' | 'bodyDepthMax'>,
): ReadBody {
  if (!isPlainUtf8(headers)) return refused(problem('request.media-type'));
  const text = textOf(bytes);
  if (text === undefined)
    return refused(problem('json.malformed', { detail: 'The body is not UTF-8.' }));
  const parsed = parseJson(text, { bytesMax: bodyBytesMax, depthMax: bodyDepthMax });
  if (parsed.kind === 'parsed') return parsed;
  const { code, message, detail } = parsed;
  return refused(
    problem(code === 'json.too-large' ? 'request.too-large' : code, {
      detail: message,
      ...(detail === undefined ? {} : { facts: detail }),
    }),
  );
}

function refused(answer: HttpAnswer): ReadBody {
  return { kind: 'refused', answer };
}

function isPlainUtf8(headers: Headers): boolean {
  const encoding = headers['content-encoding'] ?? 'identity';
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)"?/i.exec(headers['content-type'] ?? '')?.[1];
  return (
    encoding.toLowerCase() === 'identity' && (charset === undefined || /^utf-?8$/i.test(charset))
  );
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
