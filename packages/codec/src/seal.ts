// From decided events to the texts that are stored: canonical JSON, chained by hash. The text is the
// record; everything else is read back from it.
import {
  canonicalJson,
  chainHash,
  type JsonObject,
  sealMetadata,
  type Sha256,
} from '@action-ledger/domain';
import { type NewEvent } from '@action-ledger/event-store';

export interface DecidedEvent {
  readonly type: string;
  readonly data: object;
  /** Canonical text of the member `arguments` of the data, where it is known: it is spliced in. */
  readonly argumentsText?: string;
}

export interface SealContext {
  readonly sha256: Sha256;
  readonly nextId: () => string;
  /** Wall-clock ms since the epoch, for all events of the append. */
  readonly at: number;
  /** Who asked for it, where that is a person or another system. */
  readonly by?: string;
}

export interface Sealed {
  readonly events: readonly NewEvent[];
  /** Of the last event: what the next one is chained to. */
  readonly hash: string;
}

/** Event data as it was before any change of shape. A later one is named in the metadata (`format`). */
export const firstFormat = 1;

export function sealEvents(
  context: SealContext,
  previousHash: string,
  decided: readonly DecidedEvent[],
): Sealed {
  const { sha256, nextId, at, by } = context;
  const metadata = by === undefined ? `{"at":${at}}` : canonicalJson({ at, by });
  let hash = previousHash;
  const events = decided.map(({ type, data, argumentsText }): NewEvent => {
    const id = nextId();
    const text = dataText(data as JsonObject, argumentsText);
    hash = chainHash(sha256, hash, { id, type, data: text, metadata });
    return { id, type, data: text, metadata: sealMetadata(metadata, hash) };
  });
  return { events, hash };
}

function dataText(data: JsonObject, argumentsText: string | undefined): string {
  if (argumentsText === undefined) return canonicalJson(data);
  const { arguments: _arguments, ...rest } = data;
  // `arguments` must come first in canonical order for the splice; `after` alone would precede it.
  if ('after' in rest) return canonicalJson(data);
  return `{"arguments":${argumentsText},${canonicalJson(rest).slice(1)}`;
}
