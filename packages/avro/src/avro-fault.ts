// What is thrown about a record that cannot be read. It says what is wrong with the bytes, never what is in them.

/** Every code stands in docs/errors.md. */
export const avroFaultCodes = [
  'avro.incompatible',
  'avro.magic-byte',
  'avro.malformed',
  'avro.truncated',
  'avro.unknown-schema',
] as const;

export type AvroFaultCode = (typeof avroFaultCodes)[number];

export class AvroFault extends Error {
  readonly code: AvroFaultCode;
  /** The bytes stay what they are. */
  readonly retry = 'never';

  constructor(code: AvroFaultCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options);
    this.name = 'AvroFault';
    this.code = code;
  }
}
