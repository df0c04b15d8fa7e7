// The invariants of DESIGN.md section 12 by their stable names, and how a broken one is told.

export const invariantNames = [
  'attempts-follow-dispatches',
  'chain-holds',
  'dispatch-under-live-claim',
  'doubt-is-kept',
  'effects-at-most-one',
  'epochs-without-gaps',
  'links-complete',
  'no-rest-past-the-lease',
  'one-action-per-external-id',
  'one-arguments-hash',
  'requests-within-attempts',
  'stream-folds',
  'success-never-changes',
  'undone-in-reverse',
  'unknown-is-watched',
] as const;

export type InvariantName = (typeof invariantNames)[number];

export interface BrokenInvariant {
  readonly stream: string;
  readonly invariant: InvariantName;
  /** One sentence for the person who looks into it: what is there, and what should be. */
  readonly detail: string;
}

export interface AuditContext {
  /** Wall-clock ms since the epoch, never below the time of an event. */
  readonly now: number;
  /** What a sweep completes is not missed before the next one. Default: that of DESIGN.md. */
  readonly sweepMs?: number;
}
