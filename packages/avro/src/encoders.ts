// Records as bytes, by the newest schemas. The ids are those of the registry that readers ask: our own, which the
// gateway serves, or another that has registered the same schemas.
import { type Action } from '@action-ledger/domain';
import { type RecordedEvent } from '@action-ledger/event-store';
import { type ProposalRecord } from '@action-ledger/proposals';
import { fieldsOfEvent, fieldsOfPlace } from './event-record.ts';
import { type Fields } from './fields.ts';
import { ownSchemaIds, type RecordKind, type SchemaIds, writingTypes } from './newest.ts';
import { fieldsOfProposal } from './proposal-record.ts';
import { fieldsOfState } from './state-record.ts';
import { frame } from './wire.ts';

/** As a projector takes them. */
export interface AvroEncoders {
  readonly event: (event: RecordedEvent, tenant?: string) => Uint8Array;
  readonly placeOnly: (event: RecordedEvent) => Uint8Array;
  readonly state: (action: Action) => Uint8Array;
}

export function encodersAsAvro(ids: SchemaIds = ownSchemaIds): AvroEncoders {
  return {
    event: (event, tenant) => encoded('event', ids, fieldsOfEvent(event, tenant)),
    placeOnly: (event) => encoded('event', ids, fieldsOfPlace(event)),
    state: (action) => encoded('state', ids, fieldsOfState(action)),
  };
}

export function encodeProposal(
  proposal: ProposalRecord,
  ids: Pick<SchemaIds, 'proposal'> = ownSchemaIds,
): Uint8Array {
  return encoded('proposal', ids, fieldsOfProposal(proposal));
}

function encoded<Kind extends RecordKind>(
  kind: Kind,
  ids: Readonly<Record<Kind, number>>,
  fields: Fields,
): Uint8Array {
  return frame(ids[kind], writingTypes[kind].toBuffer(fields));
}
