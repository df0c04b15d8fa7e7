// The key as the provider sees it: the ledger's 43 base64url characters (256 bits), or a form that the
// provider insists on. The same for every attempt of an action.
import { type DownstreamKeyFormat } from './definition.ts';

const longestKey = 255;

/**
 * @param key 43 base64url characters
 * @throws Error where a tool's own format gives no usable text
 */
export function formatDownstreamKey(format: DownstreamKeyFormat, key: string): string {
  if (typeof format === 'function') return checked(format(key));
  switch (format) {
    case 'base64url':
      return key;
    case 'hex':
      return Buffer.from(key, 'base64url').toString('hex');
    case 'uuid':
      return asUuid(Buffer.from(key, 'base64url'));
  }
}

/** Why a format is unusable, or undefined: it must be repeatable and keep different keys apart. */
export function keyFormatProblem(format: unknown): string | undefined {
  if (typeof format !== 'function')
    return namedFormats.includes(format as string)
      ? undefined
      : `give one of ${namedFormats.join(', ')}, or a function`;
  const sample = format as (key: string) => string;
  try {
    const [first, again, other] = [sampleKeys[0], sampleKeys[0], sampleKeys[1]].map((key) =>
      checked(sample(key)),
    );
    if (first !== again) return 'the function must give the same text for the same key';
    if (first === other) return 'the function must give different texts for different keys';
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const namedFormats: readonly string[] = ['base64url', 'uuid', 'hex'];
const sampleKeys = ['A'.repeat(43), `${'A'.repeat(20)}B${'A'.repeat(22)}`] as const;

function checked(text: unknown): string {
  if (typeof text !== 'string' || text.length > longestKey || !/^[\x21-\x7e]+$/.test(text))
    throw new Error(
      `the function must give 1 to ${longestKey} printable ASCII characters without blanks`,
    );
  return text;
}

/** 122 bits of the key. Marked as version 4, because providers that ask for a UUID often check for that. */
function asUuid(bytes: Buffer): string {
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x40, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex', 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-');
}
