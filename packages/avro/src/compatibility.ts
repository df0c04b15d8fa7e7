// FULL_TRANSITIVE: what was written by any version can be read by any other, so that programs and records of all
// ages go together, in whatever order they are brought up.
import { type AvroType, readingType } from './avro-type.ts';
import { type ReleasedSchema } from '@action-ledger/schemas';

export interface Incompatible {
  readonly subject: string;
  readonly writer: number;
  readonly reader: number;
  /** As the library says it. */
  readonly why: string;
}

/** Both ways over every pair of versions of each subject. */
export function findIncompatible(
  schemas: readonly Omit<ReleasedSchema, 'id'>[],
): readonly Incompatible[] {
  const typed = schemas.map((schema) => ({ ...schema, type: readingType(schema.schema) }));
  return typed.flatMap((writer) =>
    typed
      .filter(({ subject, version }) => subject === writer.subject && version !== writer.version)
      .flatMap((reader) => {
        const why = whyNot(writer.type, reader.type);
        if (why === undefined) return [];
        const { subject } = writer;
        return [{ subject, writer: writer.version, reader: reader.version, why }];
      }),
  );
}

function whyNot(writer: AvroType, reader: AvroType): string | undefined {
  try {
    reader.createResolver(writer);
    return undefined;
  } catch (error) {
    return String(error);
  }
}
