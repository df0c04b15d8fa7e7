// The log of the double: what was appended, in one order, with positions that rise by the size of what
// was written, as those of a server do. What is not durable yet is decided upon, and not read.
import { randomUUID } from 'node:crypto';
import { decide, type Expected, type StreamState } from './append-rules.ts';

export interface Proposed {
  /** A UUID. */
  readonly id: string;
  readonly type: string;
  readonly contentType: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

export interface LogRecord extends Proposed {
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdMs: number;
}

export type Appended =
  | { readonly kind: 'written'; readonly records: readonly LogRecord[] }
  | {
      readonly kind: 'repeated';
      readonly last: number;
      /** Undefined where the event was truncated. */
      readonly position: number | undefined;
    }
  | { readonly kind: 'wrong expected version'; readonly actual: number | undefined }
  | { readonly kind: 'stream deleted' };

export interface StreamRead {
  readonly kind: 'found' | 'not found' | 'deleted';
  /** Without what was truncated, in order. */
  readonly records: readonly LogRecord[];
}

/** The revision that stands for the end of a deleted stream. */
export const deletedRevision = Number.MAX_SAFE_INTEGER;
export const tombstoneType = '$streamDeleted';
const metadataType = '$metadata';

const firstPosition = 1_032;
const recordOverhead = 64;
/** The server's is bounded by bytes. */
const rememberedIdsMax = 100_000;

interface Stream {
  readonly records: LogRecord[];
  /** Events below it are truncated. */
  before: number;
  isTombstoned: boolean;
}

export class DoubleLog {
  readonly #records: LogRecord[] = [];
  readonly #streams = new Map<string, Stream>();
  readonly #remembered = new Map<string, { readonly stream: string; readonly revision: number }>();
  #next = firstPosition;
  #readableCount = 0;

  append(
    name: string,
    expected: Expected,
    proposed: readonly Proposed[],
    createdMs: number,
  ): Appended {
    const stream = this.#streamOf(name);
    const ids = proposed.map(({ id }) => id);
    const decision = decide(this.#stateOf(name, stream), expected, ids);
    switch (decision.kind) {
      case 'stream deleted':
        return decision;
      case 'wrong expected version':
        return { ...decision, actual: stream.records.at(-1)?.revision };
      case 'repeat':
        return repeated(stream, decision.last);
      case 'write': {
        const wasSoftDeleted = isSoftDeleted(stream);
        const records = this.#write(name, decision.first, proposed, createdMs);
        if (wasSoftDeleted) {
          const first = nextRevision(this.#streams.get(`$$${name}`));
          this.#write(`$$${name}`, first, [truncation(decision.first)], createdMs);
        }
        return { kind: 'written', records };
      }
    }
  }

  /** What was appended so far may be read. */
  makeReadable(): void {
    this.#readableCount = this.#records.length;
  }

  /** The records of an earlier run. */
  load(records: readonly LogRecord[]): void {
    for (const record of records) this.#add(record);
    this.makeReadable();
  }

  /** All of them, in order; those after `readableCount` are not durable yet. */
  records(): readonly LogRecord[] {
    return this.#records;
  }

  readableCount(): number {
    return this.#readableCount;
  }

  /** Forgets the last ones, acknowledged or not, as a leader does that was cut off. */
  loseLast(count: number): void {
    const kept = this.#records.slice(0, Math.max(0, this.#records.length - count));
    this.#records.length = 0;
    this.#streams.clear();
    this.#remembered.clear();
    this.load(kept);
  }

  readStream(name: string): StreamRead {
    const stream = this.#streams.get(name);
    if (stream?.isTombstoned === true) return { kind: 'deleted', records: [] };
    const end = this.#records[this.#readableCount - 1]?.position ?? 0;
    const readable = stream?.records.filter(({ position }) => position <= end) ?? [];
    if (stream === undefined || readable.length === 0 || isSoftDeleted(stream))
      return { kind: 'not found', records: [] };
    return { kind: 'found', records: readable.filter(({ revision }) => revision >= stream.before) };
  }

  #stateOf(name: string, stream: Stream): StreamState {
    return {
      last: stream.records.at(-1)?.revision ?? -1,
      isTombstoned: stream.isTombstoned,
      isSoftDeleted: isSoftDeleted(stream),
      hasMetadata: nextRevision(this.#streams.get(`$$${name}`)) > 0,
      idAt: (revision) => stream.records[revision]?.id,
      seenAt: (id) => {
        const seen = this.#remembered.get(id);
        return seen?.stream === name ? seen.revision : undefined;
      },
    };
  }

  #write(
    stream: string,
    first: number,
    proposed: readonly Proposed[],
    createdMs: number,
  ): readonly LogRecord[] {
    return proposed.map((event, index) => {
      const position = this.#next;
      const record = { ...event, stream, revision: first + index, position, createdMs };
      this.#add(record);
      return record;
    });
  }

  #add(record: LogRecord): void {
    this.#records.push(record);
    this.#next = record.position + sizeOf(record);
    const stream = this.#streamOf(record.stream);
    if (record.type === tombstoneType) stream.isTombstoned = true;
    else stream.records.push(record);
    if (record.stream.startsWith('$$')) truncateBy(this.#streamOf(record.stream.slice(2)), record);
    this.#remembered.set(record.id, { stream: record.stream, revision: record.revision });
    for (const oldest of this.#remembered.keys()) {
      if (this.#remembered.size <= rememberedIdsMax) break;
      this.#remembered.delete(oldest);
    }
  }

  #streamOf(name: string): Stream {
    const known = this.#streams.get(name);
    if (known !== undefined) return known;
    const made = { records: [], before: 0, isTombstoned: false };
    this.#streams.set(name, made);
    return made;
  }
}

/** Without a place where the event was truncated: a server does not find it then. */
function repeated(stream: Stream, last: number): Appended {
  const end = stream.records[last];
  const isThere = end !== undefined && end.revision >= stream.before;
  return { kind: 'repeated', last, position: isThere ? end.position : undefined };
}

function isSoftDeleted(stream: Stream): boolean {
  return stream.before >= deletedRevision;
}

function nextRevision(stream: Stream | undefined): number {
  return stream?.records.length ?? 0;
}

/** The event that truncates a stream. */
export function truncation(before: number | 'deleted'): Proposed {
  const tb = before === 'deleted' ? '9223372036854775807' : String(before);
  const [data, metadata] = [Buffer.from(`{"$tb":${tb}}`), new Uint8Array()];
  return { id: randomUUID(), type: metadataType, contentType: 'application/json', data, metadata };
}

function truncateBy(stream: Stream, { data }: LogRecord): void {
  const parsed: unknown = JSON.parse(Buffer.from(data).toString('utf8'));
  const before = typeof parsed === 'object' && parsed !== null && '$tb' in parsed ? parsed.$tb : 0;
  stream.before = Math.min(Number(before), deletedRevision);
}

export function sizeOf({ type, data, metadata }: Proposed): number {
  return recordOverhead + type.length + data.length + metadata.length;
}
