// What the ledger would do with a call, where it only observes: judged by what is on record and by the tool
// as it is declared, and then the call goes out.
import { type Action, type meet, type Observed, type PolicyDecision } from '@action-ledger/domain';
import { needsApproval, type Tool } from '@action-ledger/tools';
import { type Answer } from '../answer/answer.ts';
import { differencesFrom, type Names } from '../propose/names.ts';
import { open, type OpenDeps } from '../propose/open-epoch.ts';
import { type Parts } from '../core/parts.ts';
import { policyFor } from '../propose/policy.ts';
import { type Proposal } from '../propose/proposal.ts';
import { noteObserved, requestOf, sameRequest, sendBeside, sentBeside } from './beside.ts';

export interface Met {
  readonly chain: readonly Action[];
  readonly meeting: ReturnType<typeof meet>;
  /** Of the tool as it is declared. */
  readonly policy: PolicyDecision;
  readonly unread: boolean;
}

/**
 * What would open an epoch opens it; what would meet one goes out beside it.
 * @returns undefined where another has come first: to be met again
 */
export async function observeMet(
  deps: OpenDeps,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  met: Met,
): Promise<Answer | undefined> {
  const { parts } = deps;
  const { chain, meeting, unread } = met;
  const request = requestOf(proposal);
  const own = chain.find(({ observed }) => request !== undefined && observed?.request === request);
  const before = own ?? (await sentBeside(parts, proposal, chain, request));
  if (before !== undefined) return sameRequest(parts, tool, proposal, before);
  const held = heldBackBy(proposal, names, met);
  if (held !== undefined) return sendBeside(deps, tool, proposal, names, held);
  const observed = opened(parts, tool, proposal, names, met);
  const answer = await open(deps, tool, proposal, names, {
    epoch: meeting.epoch,
    chain,
    after: undefined,
    policy: policyFor(tool, proposal.tenant, names.args),
    unread,
    observed: request === undefined ? observed : { ...observed, request },
  });
  if (answer?.state !== 'refused' && answer !== undefined) noteObserved(parts, proposal, observed);
  return answer;
}

/** By an action on record; undefined where none keeps it. */
function heldBackBy(
  { tool }: Proposal,
  names: Names,
  { chain, meeting }: Met,
): (Observed & { readonly action: string }) | undefined {
  const last = chain.at(-1);
  const action = meeting.kind === 'answer' ? chain[meeting.epoch] : last;
  if (action === undefined) return undefined;
  if (action.tool !== tool)
    return { would: 'conflict', action: action.id, reason: `it is of ${action.tool}` };
  switch (meeting.kind) {
    case 'answer':
      return { would: 'duplicate', action: action.id, reason: action.status };
    case 'conflict': {
      const differs = differencesFrom(names, action).map(({ path }) => path);
      return { would: 'conflict', action: action.id, reason: differs.join(', ') };
    }
    case 'exhausted':
      return { would: 'refused', action: action.id, reason: 'epochs.exhausted' };
    case 'open':
      return undefined;
  }
}

function opened(
  parts: Parts,
  tool: Tool,
  { tenant, tool: name }: Proposal,
  { args }: Names,
  { policy }: Met,
): Observed {
  const paused = parts.whyPaused(tenant, name);
  if (paused !== undefined) return { would: 'paused', reason: paused };
  const because = policy.reason === undefined ? {} : { reason: policy.reason };
  if (policy.effect === 'deny') return { would: 'denied', ...because };
  const asks = policy.effect === 'ask' || needsApproval(tool.observes ?? tool, args);
  return asks ? { would: 'approval', ...because } : { would: 'send' };
}
