// The door for bodies: JSON in UTF-8, strictly read, and what is refused as an answer.
import { readJson } from '@action-ledger/proposals';
import { type HttpAnswer, problem } from './answers/http-answer.ts';
import { type Limits } from './limits.ts';

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
  const parsed = readJson(bytes, { bytesMax: bodyBytesMax, depthMax: bodyDepthMax }, 'body');
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
