// Reads an answer's body. Integers beyond 2^53-1 (external ids, often) come as texts, digit for digit.
import { type JsonValue } from '@action-ledger/domain';

/** Undefined: the bytes are not what the format says. */
export function readBody(body: Buffer, format: 'json' | 'text'): JsonValue | undefined {
  try {
    const text = utf8.decode(body);
    if (format === 'text') return text;
    if (text === '') return null;
    return /\d{16}/.test(text) ? parseExactly(text) : (JSON.parse(text) as JsonValue);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

type SourceReviver = (
  name: string,
  value: unknown,
  context: { readonly source?: string },
) => unknown;

function parseExactly(text: string): JsonValue {
  const keepDigits: SourceReviver = (_name, value, { source }) =>
    typeof value === 'number' && Number.isInteger(value) && !Number.isSafeInteger(value)
      ? source
      : value;
  return JSON.parse(text, keepDigits as (name: string, value: unknown) => unknown) as JsonValue;
}
