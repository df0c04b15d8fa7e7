// From stored texts back to events. A shape that has changed since is lifted by its upcaster, so the
// rest of the program knows the newest shape only.
import { type ActionEvent, type JsonObject, unsealMetadata } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { firstFormat } from './seal.ts';

export interface StoredMetadata {
  readonly at: number;
  readonly by?: string;
  readonly format?: number;
  readonly hash: string;
}

export interface UnsealedEvent<Event = { readonly type: string; readonly data: JsonObject }> {
  readonly event: Event;
  readonly metadata: StoredMetadata;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
}

/** Lifts data of one format to the next. Keyed by type, then by the format that it lifts from. */
export type Upcasters = Readonly<
  Record<string, Readonly<Record<number, (data: JsonObject) => JsonObject>>>
>;

const upcasters: Upcasters = {};

/** @throws SyntaxError where the stored text is not JSON: the stream is damaged. */
export function unsealEvent(recorded: RecordedEvent, known: Upcasters = upcasters): UnsealedEvent {
  const metadata = JSON.parse(recorded.metadata) as StoredMetadata;
  const { stream, revision, position, type } = recorded;
  const data = upcast(
    known,
    type,
    JSON.parse(recorded.data) as JsonObject,
    metadata.format ?? firstFormat,
  );
  return { event: { type, data }, metadata, stream, revision, position };
}

/** The caller knows by the stream's name that it holds the events of an action. */
export function unsealActionEvent(recorded: RecordedEvent): UnsealedEvent<ActionEvent> {
  return unsealEvent(recorded) as unknown as UnsealedEvent<ActionEvent>;
}

/**
 * Reads the events of actions one after another, all but the hash. The rest of the metadata is the
 * same for the events of one append: then it is parsed once.
 */
export function createUnsealer(): (recorded: RecordedEvent) => {
  readonly event: ActionEvent;
  readonly at: number;
} {
  let known = '';
  let parsed: Omit<StoredMetadata, 'hash'> = { at: 0 };
  return ({ type, data, metadata }) => {
    if (known === '' || !isSealedAs(metadata, known)) {
      parsed = JSON.parse(metadata) as StoredMetadata;
      known = unsealMetadata(metadata)?.metadata.slice(0, -1) ?? '';
    }
    const { at, format = firstFormat } = parsed;
    const lifted = upcast(upcasters, type, JSON.parse(data) as JsonObject, format);
    return { event: { type, data: lifted } as unknown as ActionEvent, at };
  };
}

/** The same but for the hash, which comes last. */
function isSealedAs(metadata: string, known: string): boolean {
  return (
    metadata.length === known.length + sealLength &&
    metadata.startsWith(known) &&
    metadata.startsWith(',"hash":"', known.length)
  );
}

const sealLength = `,"hash":"${'0'.repeat(43)}"}`.length;

function upcast(known: Upcasters, type: string, data: JsonObject, format: number): JsonObject {
  let lifted = data;
  for (let from = format; ; from += 1) {
    const lift = known[type]?.[from];
    if (lift === undefined) return lifted;
    lifted = lift(lifted);
  }
}
