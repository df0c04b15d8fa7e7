// The hash chain: each event's metadata holds a SHA-256 over the previous event's hash and the
// canonical text of its own id, type, data and metadata (without the hash). Editing, removing or
// moving one event breaks the chain at that event.
import { type Sha256 } from './sha256.ts';

export interface ChainedText {
  readonly id: string;
  readonly type: string;
  /** Canonical JSON texts, as stored. */
  readonly data: string;
  readonly metadata: string;
}

/** What the first event of a stream is chained to. It names the stream: a stream cannot be moved whole. */
export function chainStart(stream: string): string {
  return stream;
}

export function chainHash(
  sha256: Sha256,
  previous: string,
  { id, type, data, metadata }: ChainedText,
): string {
  // The length says where data ends, so that text cannot be moved between data and metadata.
  const head = JSON.stringify([previous, id, type, data.length]).slice(0, -1);
  return sha256(`${head},${data},${metadata}]`);
}

/**
 * Adds the hash as the last member of a metadata object's text (`{"at":1}` → `{"at":1,"hash":"…"}`).
 * The object has one member at least.
 */
export function sealMetadata(metadata: string, hash: string): string {
  return `${metadata.slice(0, -1)},"hash":"${hash}"}`;
}

/** The metadata text and the hash in it, or undefined where it holds none in the last place. */
export function unsealMetadata(
  sealed: string,
): { readonly metadata: string; readonly hash: string } | undefined {
  const start = sealed.length - hashMember.length;
  const tail = sealed.slice(start);
  if (start < 2 || !tail.startsWith(',"hash":"') || !tail.endsWith('"}')) return undefined;
  return { metadata: `${sealed.slice(0, start)}}`, hash: tail.slice(9, -2) };
}

const hashMember = `,"hash":"${'0'.repeat(43)}"}`;

/**
 * What the first event that is left of a stream is chained to: the stream's name, or where the events
 * before it were archived, the last of them as it says itself.
 */
export function chainBefore(
  stream: string,
  first: Pick<ChainedText, 'type' | 'data'> & { readonly revision: number },
): ChainPlace {
  const start = { revision: -1, hash: chainStart(stream) };
  if (first.type !== 'ActionArchived' || first.revision === 0) return start;
  const { through, previousHash } = markerIn(first.data);
  if (through !== first.revision - 1 || typeof previousHash !== 'string') return start;
  return { revision: through, hash: previousHash };
}

function markerIn(data: string): { readonly through?: unknown; readonly previousHash?: unknown } {
  try {
    return (JSON.parse(data) as object | null) ?? {};
  } catch {
    return {};
  }
}

export interface ChainPlace {
  readonly revision: number;
  readonly hash: string;
}

export interface ChainBreak {
  readonly revision: number;
  readonly what: 'revision missing' | 'no hash' | 'edited, removed or moved';
}

/** The first event of a stream that does not continue the chain; `from` continues a part. */
export function findChainBreak(
  sha256: Sha256,
  stream: string,
  events: readonly (ChainedText & { readonly revision: number })[],
  from?: ChainPlace,
): ChainBreak | undefined {
  const [first] = events;
  if (first === undefined) return undefined;
  let { revision, hash: previous } = from ?? chainBefore(stream, first);
  for (const event of events) {
    revision += 1;
    if (event.revision !== revision) return { revision, what: 'revision missing' };
    const sealed = unsealMetadata(event.metadata);
    if (sealed === undefined) return { revision, what: 'no hash' };
    const hash = chainHash(sha256, previous, { ...event, metadata: sealed.metadata });
    if (hash !== sealed.hash) return { revision, what: 'edited, removed or moved' };
    previous = hash;
  }
  return undefined;
}
