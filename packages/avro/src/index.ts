export { AvroFault, type AvroFaultCode, avroFaultCodes } from './avro-fault.ts';
export { findIncompatible, type Incompatible } from './compatibility.ts';
export {
  type AvroDecoders,
  createDecoders,
  createDecodersBy,
  type LateAvroDecoders,
  type SchemaSource,
} from './decoders.ts';
export { type AvroEncoders, encodeProposal, encodersAsAvro } from './encoders.ts';
export { type AvroEvent } from './event-record.ts';
export { ownSchemaIds, type RecordKind, type SchemaIds, subjectOf } from './newest.ts';
export { type AvroState } from './state-record.ts';
export {
  createSchemaRegistry,
  type SchemaRegistry,
  type SchemaRegistryOptions,
} from './registry/schema-registry.ts';
export {
  RegistryFault,
  type RegistryFaultCode,
  registryFaultCodes,
} from './registry/registry-fault.ts';
