// Streams in ranges of the index: those whose names are neighbours share a range. Almost all names
// are `action-` and a hash in base64url, so that nine bits of the hash spread them evenly.
export const rangeCount = 512;

/** The 64 characters of base64url in the order of their codes, as the index sorts them. */
const alphabet = '-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz';
const ranks = new Uint8Array(128);
for (let rank = 0; rank < alphabet.length; rank += 1) ranks[alphabet.charCodeAt(rank)] = rank;

export function rangeOf(stream: string): number {
  const start = stream.indexOf('-') + 1;
  return rankAt(stream, start) * 8 + (rankAt(stream, start + 1) >> 3);
}

function rankAt(stream: string, at: number): number {
  const code = stream.charCodeAt(at);
  return code < 128 ? (ranks[code] ?? 0) : 0;
}
