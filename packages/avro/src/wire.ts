// The wire format of Confluent's serializers: a zero byte, the id of the writer's schema in four bytes, the
// most significant one first, then the Avro binary encoding.
// https://docs.confluent.io/platform/current/schema-registry/fundamentals/serdes-develop/index.html#wire-format
import { AvroFault } from './avro-fault.ts';

const magicByte = 0;
const headBytes = 5;

/** Registries give ids of 32 bits with a sign, and have no answer about others. */
export const schemaIdMax = 2 ** 31 - 1;

export function frame(schemaId: number, body: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(headBytes + body.length);
  framed.writeUInt8(magicByte, 0);
  framed.writeUInt32BE(schemaId, 1);
  body.copy(framed, headBytes);
  return framed;
}

export interface Unframed {
  readonly schemaId: number;
  readonly body: Buffer;
}

/** @throws AvroFault `avro.truncated`, `avro.magic-byte` */
export function unframe(value: Uint8Array): Unframed {
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  const [first] = bytes;
  if (first !== undefined && first !== magicByte)
    throw new AvroFault(
      'avro.magic-byte',
      `A record in Avro begins with the byte 0 and the id of its schema, not with ${first}.`,
    );
  if (bytes.length < headBytes)
    throw new AvroFault(
      'avro.truncated',
      `A record in Avro has at least ${headBytes} bytes, not ${bytes.length}.`,
    );
  return { schemaId: bytes.readUInt32BE(1), body: bytes.subarray(headBytes) };
}
