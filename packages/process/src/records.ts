// How records are written and read by a process: as Avro by the schemas of our own registry or of another one, or
// as JSON. Proposals are read in either, by their first byte.
import {
  type AvroEncoders,
  createDecoders,
  createDecodersBy,
  createSchemaRegistry,
  encodersAsAvro,
  type SchemaRegistry,
} from '@action-ledger/avro';
import { decodeJsonProposal, type DecodeProposal } from '@action-ledger/proposals';
import { type ProcessParts } from './process-parts.ts';

/** Waits for a registry that is named and cannot be asked. @returns undefined where records are JSON */
export async function encodersOf(
  parts: ProcessParts,
  stop?: AbortSignal,
): Promise<AvroEncoders | undefined> {
  if (parts.settings.records === 'json') return undefined;
  const registry = registryOf(parts);
  return encodersAsAvro(...(registry === undefined ? [] : [await registry.ids(stop)]));
}

export function proposalDecoderOf(parts: ProcessParts): DecodeProposal {
  const registry = registryOf(parts);
  const { proposal: decodeAvro } =
    registry === undefined ? createDecoders() : createDecodersBy(registry);
  return (value) => (value[0] === avroMagic ? decodeAvro(value) : decodeJsonProposal(value));
}

/** The whole state as canonical JSON text, from a record in either form. */
export function stateTextOf(parts: RegistryParts): (value: Uint8Array) => Promise<string> {
  const registry = registryOf(parts);
  const { state } = registry === undefined ? createDecoders() : createDecodersBy(registry);
  return async (value) =>
    value[0] === avroMagic ? (await state(value)).state : Buffer.from(value).toString();
}

/** Of the Confluent wire format. No JSON begins so. */
const avroMagic = 0;

/** What it takes to ask a registry, where one is named. */
type RegistryParts = Pick<ProcessParts, 'settings' | 'runtime' | 'logger'>;

function registryOf({
  settings: { schemaRegistryUrl: url, kafkaPrefix: prefix },
  runtime,
  logger,
}: RegistryParts): SchemaRegistry | undefined {
  if (url === undefined) return undefined;
  return createSchemaRegistry({
    url,
    runtime,
    ...(prefix === undefined ? {} : { prefix }),
    onFault: (fault) => {
      logger.warn({ fault }, 'waiting for the schema registry');
    },
  });
}
