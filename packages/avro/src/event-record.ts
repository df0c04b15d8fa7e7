// An event of the store as a flat record, and back. Payload and metadata are the stored texts, byte for byte, so
// that whoever reads a stream from the topic can check its chain.
import { actionOfStream } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { type Fields, optional } from './fields.ts';

export interface AvroEvent {
  readonly eventId: string;
  readonly stream: string;
  readonly actionId?: string;
  readonly tenant?: string;
  readonly revision: bigint;
  readonly position: bigint;
  readonly type: string;
  /** Milliseconds since the Unix epoch; 0 where it is not known. */
  readonly occurredAt: number;
  readonly format: number;
  /** Canonical JSON text as stored; absent where it stays in the store. */
  readonly payload?: string;
  readonly metadata?: string;
}

/** @param tenant undefined where it is not known */
export function fieldsOfEvent(event: RecordedEvent, tenant: string | undefined): Fields {
  const { data, metadata } = event;
  return { ...placeOf(event), tenant: tenant ?? null, payload: data, metadata };
}

/** That there is such an event, and not what it says. */
export function fieldsOfPlace(event: RecordedEvent): Fields {
  return { ...placeOf(event), tenant: null, payload: null, metadata: null };
}

function placeOf({ id, stream, revision, position, type, metadata }: RecordedEvent): Fields {
  return {
    eventId: id,
    stream,
    actionId: actionOfStream(stream) ?? null,
    revision,
    position,
    type,
    occurredAt: numberIn(metadata, /[{,]"at":(\d{1,15})[,}]/) ?? 0,
    format: numberIn(metadata, /[{,]"format":(\d{1,9})[,}]/) ?? 1,
  };
}

/** Metadata are canonical and flat; in a text of theirs every quotation mark is escaped. */
function numberIn(metadata: string, member: RegExp): number | undefined {
  const digits = member.exec(metadata)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

export function eventOfFields(fields: Fields): AvroEvent {
  const { eventId, stream, revision, position, type, occurredAt, format } =
    fields as unknown as Omit<AvroEvent, 'occurredAt'> & { readonly occurredAt: bigint };
  return {
    eventId,
    stream,
    revision,
    position,
    type,
    occurredAt: Number(occurredAt),
    format,
    ...optional(fields, ['actionId', 'tenant', 'payload', 'metadata']),
  };
}
