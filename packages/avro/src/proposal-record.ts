// What a platform proposes by the topic of proposals, as a flat record: its arguments are a JSON text, which is
// held to the same strictness as a body of the HTTP API, and the whole to the same form.
import { canonicalJson, type JsonObject, parseJson } from '@action-ledger/domain';
import {
  checkProposalRecord,
  type DecodedProposal,
  namedIn,
  type ProposalRecord,
} from '@action-ledger/proposals';
import { type Fields, withNulls } from './fields.ts';

export function fieldsOfProposal(proposal: ProposalRecord): Fields {
  const { proposalId, tenant, tool, by, conversation, run, turn, key } = proposal;
  const text = canonicalJson(proposal.arguments as JsonObject);
  return withNulls({ proposalId, tenant, tool, arguments: text, by, conversation, run, turn, key });
}

export function proposalOfFields({ arguments: text, ...rest }: Fields): DecodedProposal {
  const parsed = parseJson(String(text));
  if (parsed.kind !== 'parsed')
    return { kind: 'unreadable', code: parsed.code, reason: parsed.message, named: namedIn(rest) };
  const given = Object.entries(rest).filter(([, value]) => value !== null);
  return checkProposalRecord({ ...Object.fromEntries(given), arguments: parsed.value });
}
