// Schemas as types of the library. Read, whole numbers of 64 bits are BigInt, so that none loses its last digits;
// written, they are the numbers that this program has them as.
import avsc, { type Type } from 'avsc';

export type AvroType = Type;

const bigLong = avsc.types.LongType.__with({
  fromBuffer: (buffer: Buffer) => buffer.readBigInt64LE(),
  toBuffer: (value: bigint) => {
    const buffer = Buffer.allocUnsafe(8);
    buffer.writeBigInt64LE(value);
    return buffer;
  },
  fromJSON: (value: number | string) => BigInt(value),
  toJSON: Number,
  isValid: (value: unknown) => typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
  compare: (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other)),
});

/** @throws where the text is no schema of Avro */
export function readingType(schema: string): AvroType {
  return avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema, {
    // Also where it is written as an object, such as one with a logical type.
    typeHook: (part) => (isLong(part) ? bigLong : undefined),
  });
}

/** @throws where the text is no schema of Avro */
export function writingType(schema: string): AvroType {
  return avsc.Type.forSchema(JSON.parse(schema) as avsc.Schema);
}

function isLong(part: avsc.Schema): boolean {
  return part === 'long' || (part as { readonly type?: unknown }).type === 'long';
}
