// The rules by which a server of EventStoreDB takes an append, in the order in which it tries them
// (IndexWriter.CheckCommit of its source). Nothing is simplified: what looks odd here is what a client
// meets there.

export type Expected = 'any' | 'no stream' | 'stream exists' | number;

/** What the rules ask of a stream. */
export interface StreamState {
  /** -1 where there is none. */
  readonly last: number;
  readonly isTombstoned: boolean;
  readonly isSoftDeleted: boolean;
  readonly hasMetadata: boolean;
  readonly idAt: (revision: number) => string | undefined;
  /** Where an id was seen lately, in this stream: from a memory that is bounded and knows one place per id. */
  readonly seenAt: (id: string) => number | undefined;
}

export type Decision =
  | { readonly kind: 'write'; readonly first: number }
  | { readonly kind: 'repeat'; readonly last: number }
  | { readonly kind: 'wrong expected version' }
  | { readonly kind: 'stream deleted' };

const wrong: Decision = { kind: 'wrong expected version' };
const deleted: Decision = { kind: 'stream deleted' };

export function decide(stream: StreamState, expected: Expected, ids: readonly string[]): Decision {
  if (stream.isTombstoned) return deleted;
  if (expected === 'stream exists') {
    if (stream.isSoftDeleted) return deleted;
    if (stream.last < 0 && !stream.hasMetadata) return wrong;
  }
  if (expected === 'any' || expected === 'stream exists') return decideByMemory(stream, ids);
  const wanted = expected === 'no stream' ? -1 : expected;
  if (wanted < stream.last) return decideBehind(stream, wanted, ids);
  return wanted > stream.last ? wrong : write(stream);
}

/** Best effort: an id that was forgotten, or used in another stream since, is written again. */
function decideByMemory(stream: StreamState, ids: readonly string[]): Decision {
  let last: number | undefined;
  for (const id of ids) {
    const at = stream.seenAt(id);
    if (at === undefined) return last === undefined ? write(stream) : wrong;
    last = at;
  }
  return last === undefined ? write(stream) : { kind: 'repeat', last };
}

/** Bodies are never compared, and what was truncated but not scavenged still is. */
function decideBehind(stream: StreamState, wanted: number, ids: readonly string[]): Decision {
  for (const [index, id] of ids.entries()) {
    if (stream.idAt(wanted + 1 + index) === id) continue;
    return index === 0 && wanted === -1 && stream.isSoftDeleted ? write(stream) : wrong;
  }
  return ids.length === 0 ? wrong : { kind: 'repeat', last: wanted + ids.length };
}

function write(stream: StreamState): Decision {
  return { kind: 'write', first: stream.last + 1 };
}
