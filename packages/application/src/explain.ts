// What a call would be, without making it: its key and hashes, the epoch it would meet, and what
// would follow. Reads only.
import {
  type CallOrigin,
  checkJson,
  meet,
  type Meeting,
  type Refusal,
  refusal,
} from '@action-ledger/domain';
import { type EpochChains } from './chain-of-epochs.ts';
import { namesOf, underOlderName } from './names.ts';
import { type Parts } from './parts.ts';
import { policyFor } from './policy.ts';

export interface Explanation {
  readonly kind: 'explanation';
  readonly tool: string;
  readonly guarantee: string;
  readonly scope: string;
  readonly keyKind: 'derived' | 'caller';
  readonly keyHash: string;
  readonly argumentsHash: string;
  /** Canonical text of the arguments as they would be stored. */
  readonly arguments: string;
  readonly identity: 'all' | readonly string[];
  readonly epochs: readonly {
    readonly action: string;
    readonly status: string;
    readonly sameArguments: boolean;
  }[];
  readonly meeting: Meeting;
  readonly policy: string;
}

export interface ExplainRequest {
  readonly tool: string;
  readonly arguments: unknown;
  readonly tenant: string;
  readonly origin: CallOrigin;
  readonly key?: string;
}

export async function explainCall(
  parts: Parts,
  chains: EpochChains,
  request: ExplainRequest,
): Promise<Explanation | Refusal> {
  const tool = parts.tools.get(request.tool);
  if (tool === undefined) return refusal('tool.unknown', `There is no tool "${request.tool}".`);
  const plain = checkJson(request.arguments);
  if (plain.kind === 'refusal') return plain;
  const valid = tool.validate(plain.value);
  if (valid.kind === 'refusal') return valid;
  const named = namesOf(parts, tool, request, valid.args);
  if (named.kind === 'refusal') return named;
  const names = await underOlderName(parts, named);
  const epochs = await chains.load(names.keyHash, { fresh: true });
  if (epochs.kind === 'broken')
    return refusal(
      'stream.broken',
      `The record of ${epochs.actionId} is damaged: ${epochs.reason}`,
    );
  const policy = policyFor(tool, request.tenant, valid.args);
  const { declaration, rules } = tool;
  return {
    kind: 'explanation',
    tool: tool.name,
    guarantee: rules.guarantee,
    scope: declaration.scope,
    keyKind: names.keyKind,
    keyHash: names.keyHash,
    argumentsHash: names.argumentsHash,
    arguments: names.argumentsText,
    identity: declaration.identity,
    epochs: epochs.actions.map(({ id, status, argumentsHash }) => ({
      action: id,
      status,
      sameArguments: argumentsHash === names.argumentsHash,
    })),
    meeting: meet(epochs.actions, {
      argumentsHash: names.argumentsHash,
      call: request.origin,
      keyKind: names.keyKind,
      guarantee: rules.guarantee,
      policyVersion: policy.version,
    }),
    policy: policy.effect,
  };
}
