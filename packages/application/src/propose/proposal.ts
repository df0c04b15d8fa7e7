// What a caller asks for: one tool call, where it comes from, and how long to wait for its outcome.
import { type CallOrigin } from '@action-ledger/domain';

export interface Proposal {
  readonly tool: string;
  /** Plain JSON values; checked, never coerced. */
  readonly arguments: unknown;
  readonly tenant: string;
  readonly origin: CallOrigin;
  /** The caller's own idempotency key. */
  readonly key?: string;
  /** On whose behalf. */
  readonly by?: string;
  /** W3C trace context; malformed it is ignored. */
  readonly traceparent?: string;
  readonly tracestate?: string;
  /** How long to wait for the outcome; default: the tool's lease. */
  readonly waitMs?: number;
  /** Ends the waiting, not the action. */
  readonly signal?: AbortSignal;
  /** Of this request alone: said again with the same text, it is the same call also where calls are only observed. */
  readonly request?: string;
  /**
   * Where it was read from a log: when it came there (wall-clock ms). It is valid from then on, older than
   * the event that settled or undid its action it is a redelivery, and nobody waits for what is answered:
   * a tool that only reads, or that takes secrets, is refused.
   */
  readonly loggedAt?: number;
  /** Claimed and dispatched for a caller that carries it out itself, where nothing holds it back. */
  readonly execute?: Caller;
  /** Set by workflows alone; from elsewhere it is left out. */
  readonly link?: ProposalLink;
}

export interface Caller {
  /** Of this request alone: said again with the same one, the same claim is meant. */
  readonly worker: string;
}

/** As a program makes it: callers have a door of their own. */
export function ofProgram(proposal: Proposal): Proposal {
  const { execute: _execute, ...rest } = withoutLink(proposal);
  return proposal.execute === undefined ? withoutLink(proposal) : rest;
}

/** As it comes from elsewhere. */
export function withoutLink(proposal: Proposal): Proposal {
  if (proposal.link === undefined) return proposal;
  const { link: _link, ...rest } = proposal;
  return rest;
}

/** The event of another stream that the action follows from. */
export interface ProposalLink {
  readonly workflow: { readonly id: string; readonly step: string };
  /** In place of the derived key; absent where the tool's own identity counts. */
  readonly keyHash?: string;
}
