// What callers that carry actions out in processes of their own ask of a ledger.
import { type ActionRefusalCode, type Refusal } from '@action-ledger/domain';
import { type Tool } from '@action-ledger/tools';
import { type Broken } from '../record/action-store.ts';
import { type Answer } from '../answer/answer.ts';
import { withoutUndefined } from '../core/check-request.ts';
import { type Parts, toolOf } from '../core/parts.ts';
import { propose, type ProposeDeps } from '../propose/propose.ts';
import { type Caller, type Proposal, withoutLink } from '../propose/proposal.ts';
import {
  type CallerToolRefusalCode,
  type CallerTools,
  type RegisterTools,
} from './caller-tools.ts';
import { handedOut, type HandedOut, ownAttempt } from './handed-out.ts';
import { mayBeHandedAgain } from './hold-dispatch.ts';
import {
  type ClaimHeld,
  extendHeld,
  type LeaseKept,
  type OutcomeRequest,
  type OutcomeTaken,
  takeOutcome,
} from './outcome.ts';
import { takeOn, type Taker } from './take.ts';
import { findWork, takeVerdict, type VerdictRequest, type Work, type WorkRequest } from './work.ts';

export interface Proposed {
  readonly answer: Answer;
  /** It is the caller's to carry out, now. */
  readonly dispatch?: HandedOut;
}

type No = Refusal<ActionRefusalCode> | Broken;

/** The actions named are taken for those of whoever asks. @throws StoreFault */
export interface CallerDoor {
  tools(tenant: string): readonly Tool[];
  register(request: RegisterTools): Promise<readonly Tool[] | Refusal<CallerToolRefusalCode>>;
  propose(proposal: Proposal & { readonly execute: Caller }): Promise<Proposed>;
  /** Undefined: there is nothing to send now. */
  take(actionId: string, caller: Taker): Promise<HandedOut | undefined>;
  extend(request: ClaimHeld): Promise<LeaseKept | No>;
  outcome(request: OutcomeRequest): Promise<OutcomeTaken | No>;
  work(request: WorkRequest): Promise<readonly Work[]>;
  verdict(
    request: VerdictRequest,
  ): Promise<{ readonly kind: 'verdict'; readonly answer: Answer } | No>;
}

export function callerDoor(deps: ProposeDeps, callerTools: CallerTools): CallerDoor {
  const { parts } = deps;
  return {
    // The ledger's own come first.
    tools: (tenant) => callerTools.list(tenant).filter(({ name }) => !parts.tools.get(name)),
    register: (request) => callerTools.register(request),
    propose: async (proposal) => {
      const answer = await propose(deps, withoutUndefined(withoutLink(proposal)));
      return { answer, ...(await dispatchOf(parts, answer, proposal.execute)) };
    },
    take: (actionId, caller) => takeOn(parts, actionId, caller),
    extend: (request) => extendHeld(parts, request),
    outcome: (request) => takeOutcome(parts, request),
    work: (request) => findWork(parts, request),
    verdict: (request) => takeVerdict(parts, request),
  };
}

async function dispatchOf(
  parts: Parts,
  { actionId, state }: Answer,
  caller: Caller,
): Promise<{ readonly dispatch?: HandedOut }> {
  if (actionId === undefined || state !== 'dispatched') return {};
  const own = await ownAttempt(parts, actionId, caller);
  const tool = own && toolOf(parts, own);
  if (own === undefined || tool === undefined || !(await mayBeHandedAgain(parts, own))) return {};
  const dispatch = handedOut(tool, own, parts.clock.nowMs());
  return dispatch === undefined ? {} : { dispatch };
}
