export { type Misfit, misfitOf, type MisfitProblem } from './misfit.ts';
export { object, proposalForm, text } from './proposal-form.ts';
export {
  checkProposalRecord,
  decodeJsonProposal,
  type DecodedProposal,
  type DecodeProposal,
  namedIn,
  type NamedTool,
  type ProposalRecord,
  type UnreadableProposal,
} from './proposal-record.ts';
export { proposalJsonLimits, readJson } from './read-json.ts';
