// What records are written by today: of each subject the newest schema that was released, and its type.
import { actionTopics } from '@action-ledger/event-log';
import { type AvroType, readingType, writingType } from './avro-type.ts';
import { releasedSchemas, type ReleasedSchema } from '@action-ledger/schemas';

export type RecordKind = 'event' | 'state' | 'proposal';

/** Of the values of a topic, as every registry names it. */
export const subjectOf: Readonly<Record<RecordKind, string>> = {
  event: `${actionTopics.events}-value`,
  state: `${actionTopics.state}-value`,
  proposal: `${actionTopics.proposals}-value`,
};

/** By which records are written, in the registry that their readers ask. */
export type SchemaIds = Readonly<Record<RecordKind, number>>;

function newestOf(kind: RecordKind): ReleasedSchema {
  return releasedSchemas
    .filter(({ subject }) => subject === subjectOf[kind])
    .reduce((one, other) => (other.version > one.version ? other : one));
}

export const newest: Readonly<Record<RecordKind, ReleasedSchema>> = {
  event: newestOf('event'),
  state: newestOf('state'),
  proposal: newestOf('proposal'),
};

/** Of our own registry, which the gateway serves. */
export const ownSchemaIds: SchemaIds = {
  event: newest.event.id,
  state: newest.state.id,
  proposal: newest.proposal.id,
};

type Types = Readonly<Record<RecordKind, AvroType>>;

const typesBy = (typeOf: (schema: string) => AvroType): Types => ({
  event: typeOf(newest.event.schema),
  state: typeOf(newest.state.schema),
  proposal: typeOf(newest.proposal.schema),
});

export const readingTypes: Types = typesBy(readingType);
export const writingTypes: Types = typesBy(writingType);
