// Text of unknown origin made fit for an event: well formed, of bounded size, never thrown over.

/** UTF-8 bytes of a reason, a code or an error text. */
const reasonBytesMax = 2_048;

/** At most `bytesMax` bytes of UTF-8, cut between characters; lone surrogates are replaced. */
export function cutText(text: string, bytesMax: number = reasonBytesMax): string {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length <= bytesMax) return bytes.toString('utf8');
  let end = bytesMax - ellipsisBytes;
  while (isContinuation(bytes[end])) end -= 1;
  return `${bytes.toString('utf8', 0, end)}…`;
}

/** Never throws, whatever was thrown. */
export function describeThrown(thrown: unknown): string {
  try {
    if (isNativeError(thrown)) return cutText(describeError(thrown));
    return cutText(typeof thrown === 'string' ? thrown : `thrown: ${String(thrown)}`);
  } catch {
    return 'thrown: something that has no text';
  }
}

/** Also of another realm, where instanceof fails. A proxy that throws is none. */
export function isNativeError(thrown: unknown): thrown is Error {
  try {
    return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]';
  } catch {
    return false;
  }
}

function describeError(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` [${error.code}]` : '';
  const cause = isNativeError(error.cause) ? ` (cause: ${error.cause.message})` : '';
  return `${error.name}${code}: ${error.message}${cause}`;
}

const ellipsisBytes = 3;

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
