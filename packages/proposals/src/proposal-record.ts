// A proposal as a record of the topic `action.proposals`: what POST /v1/actions takes, and beside it what
// credentials tell there (the tenant, and on whose behalf) and the id of the proposal, which is its call id.
import { type JsonLimits } from '@action-ledger/domain';
import { z } from 'zod';
import { misfitOf } from './misfit.ts';
import { proposalForm, text } from './proposal-form.ts';
import { proposalJsonLimits, readJson } from './read-json.ts';

const { call: _call, ...members } = proposalForm.shape;

const recordForm = z.strictObject({
  ...members,
  proposalId: text,
  tenant: text,
  by: text.optional(),
});

export interface ProposalRecord {
  /** Of this proposal alone within its run and turn: published again, it is the same call. */
  readonly proposalId: string;
  readonly tenant: string;
  /** On whose behalf. */
  readonly by?: string;
  readonly tool: string;
  /** Plain JSON values, strictly parsed. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly conversation?: string;
  readonly run?: string;
  readonly turn?: string;
  /** The caller's own idempotency key. */
  readonly key?: string;
}

export interface UnreadableProposal {
  readonly kind: 'unreadable';
  /** Stable; one of docs/errors.md. */
  readonly code: string;
  readonly reason: string;
  /** What it names all the same, as far as that can be read. */
  readonly named?: NamedTool;
}

export interface NamedTool {
  readonly tenant?: string;
  readonly tool?: string;
}

export type DecodedProposal =
  { readonly kind: 'proposal'; readonly proposal: ProposalRecord } | UnreadableProposal;

/** @throws an error with `retry: 'safe'` where what it needs is away (a registry of schemas): it is asked again */
export type DecodeProposal = (value: Uint8Array) => DecodedProposal | Promise<DecodedProposal>;

/** JSON in UTF-8. */
export function decodeJsonProposal(
  value: Uint8Array,
  limits: JsonLimits = proposalJsonLimits,
): DecodedProposal {
  const read = readJson(value, limits, 'value');
  return read.kind === 'parsed'
    ? checkProposalRecord(read.value)
    : { kind: 'unreadable', code: read.code, reason: read.message };
}

/** @param given its arguments are strictly parsed; members that are undefined count as missing */
export function checkProposalRecord(given: unknown): DecodedProposal {
  const checked = recordForm.safeParse(given);
  if (checked.success)
    return { kind: 'proposal', proposal: withoutMissing(checked.data) as ProposalRecord };
  const { message, place } = misfitOf(checked.error);
  return {
    kind: 'unreadable',
    code: 'request.invalid',
    reason: `${message} (${place}).`,
    named: namedIn(given),
  };
}

/** By its members, whatever else is wrong with them. */
export function namedIn(given: unknown): NamedTool {
  const { tenant, tool } = (given ?? {}) as Readonly<Record<keyof NamedTool, unknown>>;
  return {
    ...(typeof tenant === 'string' ? { tenant } : {}),
    ...(typeof tool === 'string' ? { tool } : {}),
  };
}

function withoutMissing(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
