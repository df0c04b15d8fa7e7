// A call that the ledger would have kept from going out, and that only is observed: it becomes an action of
// its own beside the one that it meets, under a name of its own and so with a downstream key of its own.
import {
  type Action,
  actionIdOf,
  isHeldBack,
  keyHashOf,
  linkKey,
  type Observed,
  type Sha256,
  type ToldObserved,
} from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Answer, answerFor } from '../answer/answer.ts';
import { waitingFor } from '../propose/answer-met.ts';
import { isOwnAttempt } from '../callers/handed-out.ts';
import { restUntil } from '../answer/follow.ts';
import { type Names } from '../propose/names.ts';
import { open, type OpenDeps } from '../propose/open-epoch.ts';
import { type Parts } from '../core/parts.ts';
import { openPolicyVersion } from '../propose/policy.ts';
import { type Proposal } from '../propose/proposal.ts';
import { onceSent } from './once-sent.ts';

type Beside = Observed & Required<Pick<Observed, 'action' | 'request'>>;

/** The names of others are in its own. */
export function isBeside(observed: Observed | undefined): observed is Beside {
  return observed?.action !== undefined && observed.request !== undefined;
}

/** The same whichever epoch of its chain the request meets. */
export function besideKeyOf(
  sha256: Sha256,
  tenant: string,
  action: string,
  request: string,
): string {
  return linkKey(sha256, tenant, 'observed', keyHashOf(action), request);
}

/** What the request has sent beside this chain before, whatever has become of the chain since. */
export async function sentBeside(
  { actions, sha256 }: Parts,
  { tenant }: Proposal,
  chain: readonly Action[],
  request: string | undefined,
): Promise<Action | undefined> {
  const [first] = chain;
  if (first === undefined || request === undefined) return undefined;
  const found = await actions.load(actionIdOf(besideKeyOf(sha256, tenant, first.id, request), 0));
  return found.kind === 'broken' || found.action.status === 'new' ? undefined : found.action;
}

/** @returns undefined where another has come first: to be met again */
export async function sendBeside(
  deps: OpenDeps,
  tool: Tool,
  proposal: Proposal,
  names: Names,
  observed: Observed & { readonly action: string },
): Promise<Answer | undefined> {
  const { parts } = deps;
  const request = requestOf(proposal) ?? parts.runtime.ids.next();
  const keyHash = besideKeyOf(parts.sha256, proposal.tenant, observed.action, request);
  const { key: _key, ...unnamed } = proposal;
  const answer = await open(
    deps,
    tool,
    unnamed,
    { ...names, keyHash, older: [] },
    {
      epoch: 0,
      chain: [],
      after: undefined,
      policy: { effect: 'allow', version: openPolicyVersion },
      unread: false,
      observed: { ...observed, request },
    },
  );
  if (answer !== undefined && answer.state !== 'refused') noteObserved(parts, proposal, observed);
  return answer;
}

/** By which a request that is said again is known; undefined where each is another. */
export function requestOf({ execute, request }: Proposal): string | undefined {
  return execute?.worker ?? request;
}

/** The same request again, whose answer was lost: it is no second call. */
export async function sameRequest(
  parts: Parts,
  tool: Tool,
  proposal: Proposal,
  action: Action,
): Promise<Answer> {
  if (isOwnAttempt(action, proposal.execute)) return answerFor(action, { repeat: false });
  const rested = restUntil(parts, action.id, waitingFor(parts, tool, proposal));
  return onceSent(
    action,
    rested.then((found) => answerFor(found ?? action, { repeat: false })),
  );
}

/** Beside the record, where it would have been held back. */
export function noteObserved(
  parts: Parts,
  { tenant, tool, origin }: Proposal,
  observed: ToldObserved,
): void {
  if (!isHeldBack(observed)) return;
  const { would, action = '', reason } = observed;
  parts.sides.add({
    at: parts.clock.nowMs(),
    tenant,
    tool,
    action,
    kind: 'observed',
    reason: reason === undefined ? would : `${would}: ${reason}`,
    call: origin,
  });
}
