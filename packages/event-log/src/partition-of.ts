// In which partition the records of a key are: the same for a key as long as the number of partitions
// stays. Adapters over a broker use that of the broker.

/** FNV-1a over the UTF-16 units of the key: spreads well, keeps no secret. */
export function partitionOf(key: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) {
    hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  }
  // The low bits of the product depend on the low bits of the units alone.
  return ((hash ^ (hash >>> 15)) >>> 0) % partitions;
}
