// How an event of the port lies in EventStoreDB, and back: pure. Data and metadata are stored as JSON
// that the server's own tools can read, and come back byte for byte: where a text is not the canonical
// one of its value, the text itself is stored beside it. The port's id is in the metadata; the id of
// the server, a UUID, is derived from it, so that a retry has the same one.
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '@action-ledger/domain';
import { type NewEvent, type RecordedEvent, StoreFault } from '@action-ledger/event-store';

/** What the client appends. */
export interface StoredEvent {
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: 'application/json';
  readonly data: unknown;
  readonly metadata: StoredMetadata;
}

export type StoredMetadata = Readonly<{
  format: typeof storedFormat;
  /** That of the port. */
  id: string;
  /** The value of the metadata's text; or the text, where it is not canonical. */
  metadata?: JsonValue;
  metadataText?: string;
  /** Where the text of the data is not canonical: `data` is null then. */
  dataText?: string;
}>;

/** What the client reads: nothing of it is known to be ours. */
export interface ReadEvent {
  readonly streamId: string;
  readonly id: string;
  readonly revision: bigint;
  readonly type: string;
  readonly isJson: boolean;
  readonly data: unknown;
  readonly metadata?: unknown;
  readonly position?: LogPlace | undefined;
}

/** Where a record lies in the log of the server: bytes from its start. */
export interface LogPlace {
  readonly commit: bigint;
  readonly prepare: bigint;
}

const storedFormat = 1;

export function storedEvent({ id, type, data, metadata }: NewEvent): StoredEvent {
  const [dataValue, metadataValue] = [valueOf(data), valueOf(metadata)];
  return {
    id: uuidOf(id),
    type,
    contentType: 'application/json',
    data: dataValue === undefined ? null : dataValue.value,
    metadata: {
      format: storedFormat,
      id,
      ...(metadataValue === undefined
        ? { metadataText: metadata }
        : { metadata: metadataValue.value }),
      ...(dataValue === undefined ? { dataText: data } : {}),
    },
  };
}

/**
 * @param stream its name without what the ledger puts before it
 * @throws StoreFault `store.corrupt` where it is no event of a ledger, `store.format` where the server
 *   does not say where it lies
 */
export function recordedEvent(stream: string, read: ReadEvent): RecordedEvent {
  const revision = Number(read.revision);
  const position = positionOf(read.position);
  if (position === undefined) throw noPosition();
  const metadata = storedMetadata(read);
  if (metadata === undefined) {
    throw new StoreFault(
      'store.corrupt',
      'never',
      `Revision ${revision} of ${stream} was not written by a ledger, or was changed since.`,
      { detail: { stream, revision, position, through: position } },
    );
  }
  return {
    id: metadata.id,
    type: read.type,
    data: metadata.dataText ?? canonicalJson(read.data as JsonValue),
    metadata: metadata.metadataText ?? canonicalJson(metadata.metadata ?? null),
    stream,
    revision,
    position,
  };
}

/** Undefined where the server has said none: 2^64 - 1 stands for it. */
export function positionOf(place: LogPlace | undefined): number | undefined {
  if (place === undefined || place.commit < 0n || place.commit > largestPosition) return undefined;
  return Number(place.commit);
}

export function placeOf(position: number): LogPlace {
  return { commit: BigInt(position), prepare: BigInt(position) };
}

/** The id that the server compares: version 8 of RFC 9562, from the id of the port. */
export function uuidOf(id: string): string {
  const hash = createHash('sha256').update(id).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x80, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const largestPosition = BigInt(Number.MAX_SAFE_INTEGER);

/** Undefined where the text would not come back from its value. */
function valueOf(text: string): { readonly value: JsonValue } | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return canonicalJson(value) === text ? { value } : undefined;
  } catch {
    return undefined;
  }
}

function storedMetadata(read: ReadEvent): StoredMetadata | undefined {
  const metadata = read.metadata as Partial<StoredMetadata> | null | undefined;
  if (!read.isJson || typeof metadata !== 'object' || metadata === null) return undefined;
  const { format, id, metadataText, dataText } = metadata;
  const isOurs =
    format === storedFormat &&
    typeof id === 'string' &&
    isTextOrMissing(metadataText) &&
    isTextOrMissing(dataText);
  return isOurs ? (metadata as StoredMetadata) : undefined;
}

function isTextOrMissing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function noPosition(): StoreFault {
  return new StoreFault(
    'store.format',
    'never',
    'The server does not say where the events of a stream lie in its log: it is too old.',
  );
}
