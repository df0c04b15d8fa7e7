// What a platform proposes by the topic of proposals, as a flat record.
import { canonicalJson, isJsonObject, type JsonObject, parseJson } from '@action-ledger/domain';
import { AvroFault } from './avro-fault.ts';
import { type Fields, optional } from './fields.ts';

export interface AvroProposal {
  /** Of this tool call alone: said again, it is the same call. */
  readonly proposalId: string;
  readonly tenant: string;
  readonly tool: string;
  readonly arguments: JsonObject;
  /** On whose behalf. */
  readonly by?: string;
  readonly conversation?: string;
  readonly run?: string;
  readonly turn?: string;
  /** The caller's own idempotency key. */
  readonly key?: string;
  readonly traceparent?: string;
  readonly tracestate?: string;
}

const optionalNames = [
  'by',
  'conversation',
  'run',
  'turn',
  'key',
  'traceparent',
  'tracestate',
] as const;

export function fieldsOfProposal(proposal: AvroProposal): Fields {
  const { proposalId, tenant, tool, arguments: args } = proposal;
  return {
    proposalId,
    tenant,
    tool,
    arguments: canonicalJson(args),
    ...Object.fromEntries(optionalNames.map((name) => [name, proposal[name] ?? null])),
  };
}

/** @throws AvroFault `avro.malformed` where the arguments are no strict JSON, or no object */
export function proposalOfFields(fields: Fields): AvroProposal {
  const { proposalId, tenant, tool, arguments: text } = fields as Record<string, string>;
  return {
    proposalId: proposalId ?? '',
    tenant: tenant ?? '',
    tool: tool ?? '',
    arguments: argumentsIn(text ?? ''),
    ...optional(fields, optionalNames),
  };
}

function argumentsIn(text: string): JsonObject {
  const parsed = parseJson(text);
  if (parsed.kind !== 'parsed')
    throw new AvroFault('avro.malformed', `The arguments are no strict JSON: ${parsed.message}`);
  if (isJsonObject(parsed.value)) return parsed.value;
  throw new AvroFault('avro.malformed', 'The arguments are no JSON object.');
}
