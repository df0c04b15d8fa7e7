// Bytes as records. A record is read by the schema that it was written with, and resolved to the newest one that
// this program knows: older records get the defaults of what is new, newer ones lose what is not known here.
// What is not known, cut or of another kind is refused; nothing is guessed or repaired.
import { type DecodedProposal } from '@action-ledger/proposals';
import { releasedSchemas } from '@action-ledger/schemas';
import { AvroFault } from './avro-fault.ts';
import { type AvroType, readingType } from './avro-type.ts';
import { type AvroEvent, eventOfFields } from './event-record.ts';
import { type Fields } from './fields.ts';
import { readingTypes, type RecordKind } from './newest.ts';
import { proposalOfFields } from './proposal-record.ts';
import { type AvroState, stateOfFields } from './state-record.ts';
import { schemaIdMax, type Unframed, unframe } from './wire.ts';

export interface AvroDecoders {
  /** @throws AvroFault */
  readonly event: (value: Uint8Array) => AvroEvent;
  /** @throws AvroFault */
  readonly state: (value: Uint8Array) => AvroState;
  /** As intake takes it: what is wrong with the record is told, not thrown. */
  readonly proposal: (value: Uint8Array) => DecodedProposal;
}

export interface LateAvroDecoders {
  readonly event: (value: Uint8Array) => Promise<AvroEvent>;
  readonly state: (value: Uint8Array) => Promise<AvroState>;
  readonly proposal: (value: Uint8Array) => Promise<DecodedProposal>;
}

/** Where schemas are known by their ids. */
export interface SchemaSource {
  /** @returns the JSON text; undefined where it knows no such id. @throws where it cannot be asked now */
  readonly schemaOf: (id: number) => Promise<string | undefined>;
}

/** By the ids of our own registry. */
export function createDecoders(): AvroDecoders {
  const own = new Map(releasedSchemas.map(({ id, schema }) => [id, schema]));
  const writers = createWriters();
  const read = (kind: RecordKind, value: Uint8Array): Fields => {
    const { schemaId, body } = unframe(value);
    return resolved(
      kind,
      body,
      writers.get(schemaId) ?? known(writers, schemaId, own.get(schemaId)),
    );
  };
  return {
    event: (value) => eventOfFields(read('event', value)),
    state: (value) => stateOfFields(read('state', value)),
    proposal: (value) => {
      try {
        return proposalOfFields(read('proposal', value));
      } catch (fault) {
        return unreadable(fault);
      }
    },
  };
}

/** By the ids of a registry, which is asked once for each that can be one. What it throws is passed on. */
export function createDecodersBy(source: SchemaSource): LateAvroDecoders {
  const writers = createWriters();
  const writerOf = async ({ schemaId }: Unframed): Promise<Writer> =>
    writers.get(schemaId) ?? known(writers, schemaId, await schemaIn(source, schemaId));
  const read = async (kind: RecordKind, value: Uint8Array): Promise<Fields> => {
    const unframed = unframe(value);
    return resolved(kind, unframed.body, await writerOf(unframed));
  };
  return {
    event: async (value) => eventOfFields(await read('event', value)),
    state: async (value) => stateOfFields(await read('state', value)),
    proposal: async (value) => {
      try {
        return proposalOfFields(await read('proposal', value));
      } catch (fault) {
        return unreadable(fault);
      }
    },
  };
}

async function schemaIn(source: SchemaSource, schemaId: number): Promise<string | undefined> {
  return schemaId > schemaIdMax ? undefined : source.schemaOf(schemaId);
}

/** @throws what is no fault of the record */
function unreadable(fault: unknown): DecodedProposal {
  if (!(fault instanceof AvroFault)) throw fault;
  return { kind: 'unreadable', code: fault.code, reason: fault.message };
}

interface Writer {
  readonly schemaId: number;
  readonly type: AvroType;
  /** By what it is read as; made when it is first needed. */
  readonly resolvers: Map<RecordKind, ReturnType<AvroType['createResolver']>>;
}

/** More than any registry of one ledger has; ids come from the outside. */
const writersMax = 1_000;

type Writers = Map<number, Writer>;

function createWriters(): Writers {
  return new Map();
}

function known(writers: Writers, schemaId: number, schema: string | undefined): Writer {
  if (schema === undefined)
    throw new AvroFault('avro.unknown-schema', `There is no schema with the id ${schemaId}.`);
  const writer = { schemaId, type: typeOf(schemaId, schema), resolvers: new Map() };
  const [oldest] = writers.keys();
  if (writers.size >= writersMax && oldest !== undefined) writers.delete(oldest);
  writers.set(schemaId, writer);
  return writer;
}

function typeOf(schemaId: number, schema: string): AvroType {
  try {
    return readingType(schema);
  } catch (cause) {
    throw new AvroFault('avro.incompatible', `Schema ${schemaId} is none of Avro.`, { cause });
  }
}

function resolverOf(kind: RecordKind, { schemaId, type, resolvers }: Writer) {
  const made = resolvers.get(kind);
  if (made !== undefined) return made;
  try {
    const resolver = readingTypes[kind].createResolver(type);
    resolvers.set(kind, resolver);
    return resolver;
  } catch (cause) {
    throw new AvroFault(
      'avro.incompatible',
      `What was written by schema ${schemaId} cannot be read as ${readingTypes[kind].name ?? kind}.`,
      { cause },
    );
  }
}

function resolved(kind: RecordKind, body: Buffer, writer: Writer): Fields {
  const resolver = resolverOf(kind, writer);
  let fields: Fields;
  try {
    fields = readingTypes[kind].fromBuffer(body, resolver) as Fields;
  } catch (cause) {
    const isCut = cause instanceof Error && /truncated/.test(cause.message);
    throw isCut
      ? new AvroFault('avro.truncated', 'The record ends before its last member.', { cause })
      : new AvroFault('avro.malformed', 'The bytes do not fit the schema they name.', { cause });
  }
  if (isSuspect(fields) && !isSame(body, writer.type))
    throw new AvroFault('avro.malformed', 'A text of the record is not UTF-8.');
  return fields;
}

/** What is not UTF-8 is read with this character in its place; it may have been there before. */
function isSuspect(fields: Fields): boolean {
  return Object.values(fields).some(
    (value) => typeof value === 'string' && value.includes('\ufffd'),
  );
}

function isSame(body: Buffer, type: AvroType): boolean {
  return type.toBuffer(type.fromBuffer(body)).equals(body);
}
