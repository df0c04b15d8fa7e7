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
import { needsApproval } from '@action-ledger/tools';
import { type Difference } from '../answer/answer.ts';
import { type RefusedCode } from '../answer/answer-codes.ts';
import { checkProposal } from '../core/check-request.ts';
import { type EpochChains } from './chain-of-epochs.ts';
import { argumentsHashFor, differencesFrom, namesOf, underOlderName } from './names.ts';
import { chainOf } from './met-chain.ts';
import { type Parts, toolNamed } from '../core/parts.ts';
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
  /** In a conflict: the fields that are not as the met action has them. */
  readonly differs?: readonly Difference[];
  readonly policy: string;
  /** People would be asked before it is sent. */
  readonly approval: boolean;
}

export interface ExplainRequest {
  readonly tool: string;
  readonly arguments: unknown;
  readonly tenant: string;
  readonly origin: CallOrigin;
  readonly key?: string;
}

/** What explaining needs of a ledger: nothing that writes. */
export type ExplainParts = Pick<
  Parts,
  'tools' | 'callerTools' | 'observes' | 'actions' | 'sha256' | 'digestSecret'
>;

export async function explainCall(
  parts: ExplainParts,
  chains: EpochChains,
  request: ExplainRequest,
): Promise<Explanation | Refusal<RefusedCode>> {
  const tool = toolNamed(parts, request.tenant, request.tool);
  if (tool === undefined) return refusal('tool.unknown', `There is no tool "${request.tool}".`);
  const misfit = checkProposal(request);
  if (misfit !== undefined) return misfit;
  const plain = checkJson(request.arguments);
  if (plain.kind === 'refusal') return plain;
  const valid = tool.validate(plain.value);
  if (valid.kind === 'refusal') return valid;
  const named = namesOf(parts, tool, request, valid.args);
  if (named.kind === 'refusal') return named;
  const { names, epochs } = await chainOf(chains, await underOlderName(parts, named));
  if (epochs.kind === 'broken')
    return refusal(
      'stream.broken',
      `The record of ${epochs.actionId} is damaged: ${epochs.reason}`,
    );
  // Where calls are only observed it says what the ledger would do with them.
  const declared = tool.observes ?? tool;
  const policy = policyFor(declared, request.tenant, valid.args);
  const { declaration, rules } = tool;
  const meeting = meet(epochs.actions, {
    argumentsHash: names.argumentsHash,
    argumentsHashFor: (action) => argumentsHashFor(names, action),
    call: request.origin,
    keyKind: names.keyKind,
    guarantee: declared.rules.guarantee,
    policyVersion: policy.version,
  });
  const other = meeting.kind === 'conflict' ? epochs.actions[meeting.epoch] : undefined;
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
    epochs: epochs.actions.map((action) => ({
      action: action.id,
      status: action.status,
      sameArguments: action.argumentsHash === argumentsHashFor(names, action),
    })),
    meeting,
    ...(other === undefined ? {} : { differs: differencesFrom(names, other) }),
    policy: policy.effect,
    approval: policy.effect === 'ask' || needsApproval(declared, valid.args),
  };
}
